import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { API, apiSidebar } from '../api-sidebar.ts';
import { SECTIONS } from '../nav.ts';
import { addressOf, anchorOf, titleOf } from '../page.ts';
import { OUT, PAGES, ROOT } from '../paths.ts';

const { version }: { readonly version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const titleAt = (page: string) => titleOf(readFileSync(join(PAGES, `${page}.md`), 'utf8'));
const linkTo = (page: string) => `/${page.replace(/(^|\/)index$/, '$1')}`;

const sections = SECTIONS.map(({ title, groups }) => ({
  text: title,
  collapsed: title === 'Evidence',
  items: groups.flatMap((group) => {
    const items = group.pages.map(addressOf).map((page) => ({ text: titleAt(page), link: linkTo(page) }));
    return groups.length === 1 ? items : [{ text: group.title, items }];
  }),
}));
const names = { text: 'Every name', collapsed: false, items: [...apiSidebar()] };

/** Beside a name stand the entries only: there are hundreds of such pages, and each holds its sidebar. */
const sidebar = { [`/${API}/`]: [names], '/': [...sections, { ...names, collapsed: true }] };

export default defineConfig({
  title: 'pawl',
  description: 'Makes the effect of a message happen once: SQS consumers on AWS Lambda, claims in DynamoDB.',
  lang: 'en',
  srcDir: PAGES,
  outDir: OUT,
  cacheDir: join(ROOT, '.pawl/vitepress'),
  // Without a web server's help: every link names its file.
  cleanUrls: false,
  markdown: {
    anchor: { slugify: anchorOf },
    // Braces in a heading are code here.
    attrs: { disable: true },
  },
  themeConfig: {
    nav: [
      ...SECTIONS.map(({ title, groups }) => ({
        text: title,
        link: linkTo(addressOf(groups[0]?.pages[0] ?? '')),
        activeMatch: `^/${groups[0]?.pages[0]?.split('/')[0]}/`,
      })),
      { text: `Version ${version}`, items: [{ text: 'What changed', link: '/changelog' }] },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: 'local' },
  },
  vite: { build: { target: 'es2022', chunkSizeWarningLimit: 2_000 } },
});
