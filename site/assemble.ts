import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addressOf, siteMarkdown } from './page.ts';
import { pages, root } from './paths.ts';
import { withTimeLines } from './time-lines/page.ts';

/** Puts the pages together: `docs/`, the changelog, and what belongs to them. What is generated from the code comes beside them (`api.ts`). */
export function assemble(): void {
  rmSync(pages, { recursive: true, force: true });
  for (const path of readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.md')) assemblePage(path);
    else if (/\.(txt|json|yaml|yml|tf|svg)$/.test(path)) {
      // Beside the page that shows it, and where a link to it leads.
      copy(path, path);
      copy(path, join('public', path));
    }
  }
  for (const to of ['images', 'public/images']) cpSync(join(root, 'docs/images'), join(pages, to), { recursive: true });
  writeFileSync(join(pages, 'changelog.md'), siteMarkdown(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')));
}

/** One page, as a path from `docs/`. */
export function assemblePage(path: string): void {
  const to = join(pages, `${addressOf(path)}.md`);
  mkdirSync(dirname(to), { recursive: true });
  const markdown = withTimeLines(readFileSync(join(root, 'docs', path), 'utf8'));
  writeFileSync(to, withFiles(siteMarkdown(markdown)));
}

function copy(path: string, to: string): void {
  mkdirSync(dirname(join(pages, to)), { recursive: true });
  cpSync(join(root, 'docs', path), join(pages, to));
}

/** Links to files that are no pages: VitePress would take an extension that it does not know for a page's. */
function withFiles(markdown: string): string {
  return markdown.replace(
    /\[([^\]]+)\]\((?!https?:|\/)([^)\s#]+\.(?:txt|json|yaml|yml|tf|svg))\)/g,
    (whole, text: string, target: string, at: number) =>
      // Of a picture, which is no link.
      markdown[at - 1] === '!' ? whole : `<a href="${target}" target="_self">${text.replaceAll('`', '')}</a>`,
  );
}
