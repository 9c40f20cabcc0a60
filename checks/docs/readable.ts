import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ordered } from '../../site/nav.ts';
import { guides, pages, repositoryRoot } from './pages.ts';

/**
 * Fails if a page takes more than ten minutes to read, if the site has no place for it, if a page that is no evidence has a commit in it, or
 * if a merge has left its marks. A README has at most 200 lines.
 */

/** What a reader reads in ten minutes, at 220 words a minute. */
const mostWords = 2_200;

/** Pages in which a reader looks one thing up, by its name: none of them is read from top to bottom. */
const lookedUp: readonly string[] = ['docs/errors.md', 'docs/reference/commands.md', 'docs/reference/wiring.md'];

const mostLinesOfReadme = 200;

/** The words of a page that a reader reads: code, comments and addresses are left out. */
export function wordsOf(markdown: string): number {
  const prose = markdown
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/```[\s\S]*?```/g, '')
    .replace(/\]\([^)]*\)/g, ']');
  return prose.match(/[A-Za-z0-9][\w’'.-]*/g)?.length ?? 0;
}

/** What is wrong with the pages, a sentence each. */
export function unreadable(read: (page: string) => string): readonly string[] {
  const ofSite = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/index.md');
  const placed = ordered.map((page) => `docs/${page}.md`);
  return [
    ...guides
      .filter((page) => !lookedUp.includes(page) && wordsOf(read(page)) > mostWords)
      .map((page) => `${page} has ${wordsOf(read(page))} words, more than ${mostWords}: split it.`),
    ...ofSite.filter((page) => !placed.includes(page)).map((page) => `${page} is not in site/nav.ts.`),
    ...placed.filter((page) => !ofSite.includes(page)).map((page) => `site/nav.ts names ${page}, which is not there.`),
    ...placed.filter((page, index) => placed.indexOf(page) !== index).map((page) => `site/nav.ts names ${page} twice.`),
    ...guides.flatMap((page) =>
      commitsIn(read(page)).map((commit) => `${page} names the commit ${commit}: move it into docs/evidence/.`),
    ),
    ...pages
      .filter((page) => /^(<{7}|>{7}) /m.test(read(page)))
      .map((page) => `${page} has a conflict of a merge in it.`),
    ...(read('README.md').split('\n').length > mostLinesOfReadme
      ? [`README.md has more than ${mostLinesOfReadme} lines.`]
      : []),
  ];
}

/** Seven hexadecimal digits with a letter and a number among them, in prose. */
function commitsIn(markdown: string): readonly string[] {
  const prose = markdown.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
  return (prose.match(/\b[0-9a-f]{7}\b/g) ?? []).filter((word) => /\d/.test(word) && /[a-f]/.test(word));
}

if (import.meta.main) {
  const found = unreadable((page) => readFileSync(join(repositoryRoot, page), 'utf8'));
  for (const one of found) console.error(one);
  if (found.length > 0) process.exitCode = 1;
  else console.log(`${guides.length} pages take ten minutes each at most, and the site has a place for all.`);
}
