import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { api, apiSidebar } from '../api-sidebar.ts';
import { siteSections } from '../nav.ts';
import { addressOf, anchorOf, titleOf } from '../page.ts';
import { outFolder, pages, root } from '../paths.ts';
import { search } from '../search.ts';

const { version }: { readonly version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const titleAt = (page: string) => titleOf(readFileSync(join(pages, `${page}.md`), 'utf8'));
const linkTo = (page: string) => `/${page.replace(/(^|\/)index$/, '$1')}`;

const sections = siteSections.map(({ title, groups }) => ({
  text: title,
  items: groups.flatMap((group) => {
    const items = group.pages.map(addressOf).map((page) => ({ text: titleAt(page), link: linkTo(page) }));
    return groups.length === 1 ? items : [{ text: group.title, items }];
  }),
}));
const sectionsOf = (...titles: readonly string[]) => sections.filter(({ text }) => titles.includes(text));
const names = { text: 'Every name', items: [...apiSidebar()] };
const reference = [...sectionsOf('Reference'), names];

/** What stands beside a page, by where the page is. Nothing folds: the theme's folding groups are buttons inside buttons, which a screen reader cannot tell apart. */
const sidebar = {
  [`/${api}/`]: [names],
  '/reference/': reference,
  '/errors': reference,
  '/evidence/': sectionsOf('Evidence'),
  '/': sectionsOf('Tutorial', 'Guides', 'Explanation'),
};

export default defineConfig({
  title: 'pawl',
  description: 'Makes the effect of a message happen once: SQS consumers on AWS Lambda, claims in DynamoDB.',
  lang: 'en',
  srcDir: pages,
  outDir: outFolder,
  cacheDir: join(root, '.pawl/vitepress'),
  // Without a web server's help: every link names its file.
  cleanUrls: false,
  markdown: {
    anchor: { slugify: anchorOf },
    // Braces in a heading are code here.
    attrs: { disable: true },
    // The theme's own are too faint for their background.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      ...siteSections.map(({ title, groups }) => ({
        text: title,
        link: linkTo(addressOf(groups[0]?.pages[0] ?? '')),
        activeMatch: `^/${groups[0]?.pages[0]?.split('/')[0]}/`,
      })),
      { text: `Version ${version}`, items: [{ text: 'What changed', link: '/changelog' }] },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search,
  },
  vite: { build: { target: 'es2022', chunkSizeWarningLimit: 3_000 } },
});
