import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOfPage } from '../files-of-page.ts';

export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Every page under `docs/`, as paths from the root. */
const docs: readonly string[] = readdirSync(join(repositoryRoot, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => `docs/${path}`)
  .toSorted();

/** The pages with examples, as paths from the root. */
export const guides: readonly string[] = ['README.md', ...docs.filter((path) => !path.startsWith('docs/evidence/'))];

/** The guides, and the pages that link to them. */
export const pages: readonly string[] = [
  'README.md',
  ...docs,
  ...[
    'CONTRIBUTING.md',
    'DESIGN.md',
    'RELEASING.md',
    'SECURITY.md',
    'VERSIONING.md',
    'bench/BENCHMARKS.md',
    'bench/README.md',
    'checks/README.md',
    'examples/README.md',
    'proof/README.md',
    'shop/README.md',
    'test/README.md',
    'test/suites/README.md',
  ],
];

export interface Block {
  /** From 1, in its guide. */
  readonly number: number;
  /** What a reader has and the guide does not show: an HTML comment that begins with `given`, right before the code. */
  readonly given: string;
  readonly code: string;
}

const block = /(?:<!-- given\n(?<given>[\s\S]*?)-->\n)?```ts\n(?<code>[\s\S]*?)```/g;

/** The TypeScript of a guide, in its order. */
export function blocksOf(guide: string): readonly Block[] {
  return [...readFileSync(join(repositoryRoot, guide), 'utf8').matchAll(block)].map(({ groups }, index) => ({
    number: index + 1,
    given: groups?.['given'] ?? '',
    code: groups?.['code'] ?? '',
  }));
}

/** The files that a guide lets its reader make, by their paths. */
export function filesOf(guide: string): ReadonlyMap<string, string> {
  return filesOfPage(readFileSync(join(repositoryRoot, guide), 'utf8'));
}

/** The one block of a guide that contains this text. */
export function blockWith(guide: string, text: string): Block {
  const [block, ...others] = blocksOf(guide).filter(({ code }) => code.includes(text));
  if (block === undefined || others.length > 0) {
    throw new Error(`${guide}: expected one block with ${JSON.stringify(text)}; got ${block ? 1 + others.length : 0}`);
  }
  return block;
}
