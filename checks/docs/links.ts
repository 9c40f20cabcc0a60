import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodes, explained, pageAt } from '../../lib/pawl/kernel/error-code.ts';
import { anchorOf } from '../../site/page.ts';
import { notEmpty } from '../not-empty.ts';
import { namesNothing } from '../scripts/named.ts';
import { pages, repositoryRoot } from './pages.ts';

/**
 * Fails if a page links to a file that is not there, or to a place that the file does not have; if the code prints such a link; and if a page or the code
 * names a script that `package.json` does not have. The site's own check (`site/links.ts`) looks at the pages that are built.
 */

/** The pages of this repository that the package does not have are linked by their address. */
export const here = 'https://github.com/pawl-dev/pawl/blob/main/';

export interface Link {
  readonly target: string;
  readonly anchor: string | undefined;
  /** From the root. */
  readonly path: string;
}

/** What a link into a page may name: its headings, as GitHub names them, and its own anchors. */
export function anchorsOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  const headings = Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => anchorOf(heading));
  return [...headings, ...Array.from(text.matchAll(/<a name="([^"]+)">/g), ([, name = '']) => name)];
}

/** The links of a page to files of this repository: where each leads, and how it is written. */
export function linksOf(page: string): readonly Link[] {
  const text = readFileSync(join(repositoryRoot, page), 'utf8');
  return Array.from(text.matchAll(/\]\(([^)#]*)(?:#([^)]+))?\)/g), ([, target = '', anchor]) => {
    const path = target.startsWith(here) ? target.slice(here.length) : target === '' ? page : join(page, '..', target);
    return { target, anchor, path };
  }).filter(({ target }) => target.startsWith(here) || !/^https?:/.test(target));
}

/** The links from page to page that lead nowhere. */
export function deadLinks(): readonly string[] {
  const links = pages.flatMap((page) => linksOf(page).map((link) => ({ ...link, page })));
  return notEmpty('links from page to page', links)
    .filter(({ path, anchor }) => leadsNowhere(path, anchor))
    .map(({ page, target, anchor }) => `${page} links to ${target}${anchor === undefined ? '' : `#${anchor}`}`);
}

const allSources = ['lib', 'bin', 'bench', 'checks', 'proof', 'shop'];

/**
 * The places in `docs/` that messages and comments of the code name, and that are not there.
 *
 * @param root the folder that has `docs/`: this repository, or pawl as it is published
 */
export function deadMentions(root = repositoryRoot, folders: readonly string[] = allSources): readonly string[] {
  const sources = folders.flatMap((folder) =>
    globSync(`${folder}/**/*.{ts,tsx}`, { cwd: repositoryRoot, exclude: ['lib/*/dist/**'] }),
  );
  const mentions = sources.flatMap((source) =>
    Array.from(
      readFileSync(join(repositoryRoot, source), 'utf8').matchAll(
        /(?<![\w/.])(?:node_modules\/pawl\/)?(docs\/[\w/-]+\.md)(?:#([a-z][\w-]*))?/g,
      ),
      ([mention, path = '', anchor]) => ({ source, mention, path, anchor }),
    ),
  );
  return notEmpty('places in docs/ that the code names', mentions)
    .filter(({ path, anchor }) => leadsNowhere(path, anchor, root))
    .map(({ source, mention }) => `${source} names ${mention}`);
}

/**
 * The addresses with which messages end that lead nowhere in a project of a user.
 *
 * @param installed what is `node_modules/pawl` there
 */
export function deadAddresses(installed: string): readonly string[] {
  const addresses = errorCodes.map((code) => explained('', code).split(' See ')[1] ?? '');
  const dead = notEmpty('addresses of errors', addresses).filter((address) => {
    const [path = '', anchor] = address.split('#');
    return !path.startsWith(pageAt('')) || leadsNowhere(path.slice(pageAt('').length), anchor, installed);
  });
  return [...dead.map((address) => `A message ends with ${address}`), ...deadMentions(installed, ['lib'])];
}

/** The scripts that pages, workflows and the code name, and that are not there. An example's README names its own. */
export function deadScripts(): readonly string[] {
  const sources = globSync(
    '{*,.github/**/*,{bench,bin,checks,docs,lib,proof,shop,site,test}/**/*}.{md,yml,txt,ts,tsx,cjs}',
    {
      cwd: repositoryRoot,
      exclude: ['lib/*/dist/**', 'site/dist/**', 'test/checks/scripts.test.ts'],
    },
  );
  return notEmpty('pages, workflows and sources', sources).flatMap((source) =>
    namesNothing(readFileSync(join(repositoryRoot, source), 'utf8')).map((command) => `${source} names ${command}`),
  );
}

function leadsNowhere(path: string, anchor: string | undefined, root = repositoryRoot): boolean {
  if (!existsSync(join(root, path))) return true;
  return anchor !== undefined && !anchorsOf(join(root, path)).includes(anchor);
}

if (import.meta.main) {
  const dead = [...deadLinks(), ...deadMentions(), ...deadScripts()];
  for (const one of dead) console.error(`${one}, which is not there.`);
  if (dead.length > 0) process.exitCode = 1;
  else console.log(`The links of ${pages.length} pages, and those that the code prints, lead somewhere.`);
}
