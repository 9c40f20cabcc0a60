import { dirname } from 'node:path';

/**
 * What the changed files ask for. Which tests stand on a file, Vitest finds by what they import. Tests that read a file or start it stand in the folder
 * of `test/` that follows the file's own.
 */

export interface Step {
  /** From the root, as it is typed. */
  readonly command: readonly string[];
  readonly why: string;
  /** It needs a registry, an emulator or half an hour: `verify` only names it. */
  readonly isByHand: boolean;
}

/** What the tree says: whether there is such a file or folder, and the files below a folder. */
export interface Tree {
  has(path: string): boolean;
  below(folder: string): readonly string[];
}

interface Need {
  /** The files that ask for it. */
  readonly of: RegExp;
  readonly why: string;
  readonly run: readonly string[];
  readonly isByHand?: true;
}

const check = (part: string): readonly string[] => ['npm', 'run', 'check', '--', part];
const unitTests = (...folders: readonly string[]): readonly string[] => [
  'vitest',
  'run',
  '--project',
  'unit',
  ...folders,
];

const always = ['types', 'lint', 'format', 'boundaries', 'unused', 'plain'];
const published = /^lib\/(?!cli\/console\/page\/).+\.ts$/;
const manifest = /^(lib\/[^/]+\/)?package(-lock)?\.json$/;
const built = /^(lib\/[^/]+\/package\.json|checks\/(build|packages)\.ts)$/;
const decides = /^lib\/pawl\/(kernel|rules)\//;
const locks = /^lib\/pawl\/(kernel|locks)\//;
const page = /\.md$/;

/** In the order in which they run: what is quick stands first. */
const needs: readonly Need[] = [
  ...always.map((part) => ({ of: /^/, why: 'always', run: check(part) })),
  { of: /^lib\/cli\/console\/page\//, why: "the console's page has a configuration of its own", run: check('page') },
  { of: /^test\/fixtures\/apps\//, why: 'these apps have a configuration of their own', run: check('apps') },
  ...['links', 'readable', 'snippets', 'spelling'].map((part) => ({
    of: page,
    why: 'a page changed',
    run: check(part),
  })),
  { of: page, why: 'tests quote pages', run: unitTests('test/docs', 'test/suites/promises') },
  ...['api', 'nameable', 'docstrings'].map((part) => ({
    of: published,
    why: 'a package may promise something else',
    run: check(part),
  })),
  {
    of: /^lib\/(pawl\/deployment\/template|cli\/template)/,
    why: "cfn-lint reads the shop's templates",
    run: check('templates'),
  },
  { of: manifest, why: 'a manifest changed', run: check('licences') },
  {
    of: /^(\.github|\.ci|examples)\/|package\.json$/,
    why: 'tests hold manifests, workflows and examples together',
    run: unitTests('test/checks'),
  },
  { of: built, why: 'what is packed changed', run: ['npm', 'run', 'build'] },
  { of: /^(bin|lambda|shop)\//, why: 'the shop changed', run: ['npm', 'start', '--', '--orders', '60'] },
  { of: /^site\//, why: 'the site changed', run: ['npm', 'run', 'docs'] },
  {
    of: locks,
    why: 'every order of steps of two holders',
    run: ['vitest', 'run', '--project', 'long', 'test/proof/model-locks'],
  },
  {
    of: locks,
    why: 'locks under faults',
    run: ['npm', 'run', 'simulate', '--', '--world', 'locks', '--seeds', '20000'],
  },
  { of: decides, why: 'every state of the protocol', run: ['npm', 'run', 'model'] },
  { of: decides, why: 'the library under faults', run: ['npm', 'run', 'simulate', '--', '--seeds', '100000'] },
  { of: decides, why: 'two versions on one table', run: ['npm', 'run', 'campaign', '--', 'versions'], isByHand: true },
  { of: /^examples\//, why: 'an example changed', run: ['npm', 'run', 'examples'], isByHand: true },
  { of: built, why: 'the tarballs in fresh projects', run: ['npm', 'run', 'e2e', '--', 'package'], isByHand: true },
  { of: /^\.github\//, why: "GitHub's schemas", run: ['npm', 'run', 'e2e', '--', 'workflows'], isByHand: true },
  {
    of: /^lib\/(pawl\/deployment\/template|cli\/template)/,
    why: 'tools that are not ours read the templates',
    run: ['npm', 'run', 'e2e', '--', 'printed'],
    isByHand: true,
  },
];

const code = /\.(ts|tsx|mts|cjs)$/;
const test = /^test\/.*\.test\.ts$/;
/** A store passes the laws; what it is made of may break them. */
const underLaws = /^lib\/(pawl\/(stores|locks|kernel|rules|aws)|testing\/laws)\//;

/** The folder of `test/` that follows this file's, or the nearest one above it. */
export function folderOfTests(path: string, tree: Tree): string | undefined {
  if (path.startsWith('test/')) return undefined;
  for (let folder = dirname(path.replace(/^lib\//, '')); folder !== '.'; folder = dirname(folder))
    if (tree.has(`test/${folder}`)) return `test/${folder}`;
  return undefined;
}

function testsOf(paths: readonly string[], tree: Tree): readonly Step[] {
  const changedTests = paths.filter((path) => test.test(path) && tree.has(path));
  const others = paths.filter((path) => code.test(path) && !test.test(path));
  const beside = new Set(others.flatMap((path) => folderOfTests(path, tree) ?? []));
  const follow = [...beside].flatMap((folder) =>
    tree.below(folder).filter((path) => test.test(path) && !path.endsWith('.long.test.ts')),
  );
  const related = [...new Set([...others.filter((path) => tree.has(path)), ...follow])];
  const step = (command: readonly string[], why: string): Step => ({ command, why, isByHand: false });
  const relatedIn = (project: string) => ['vitest', 'related', '--run', '--project', project, ...related];
  return [
    ...(related.length > 0 ? [step(relatedIn('unit'), 'tests of the rooms that changed, and of those on them')] : []),
    ...(related.length > 0 && paths.some((path) => underLaws.test(path))
      ? [step(relatedIn('laws'), 'what a store stands on')]
      : []),
    ...(changedTests.length > 0 ? [step(['vitest', 'run', ...changedTests], 'tests that changed')] : []),
  ];
}

/** @param paths from the root; those that were deleted, too */
export function planOf(paths: readonly string[], tree: Tree): readonly Step[] {
  if (paths.length === 0) return [];
  const needed = needs
    .filter(({ of }) => paths.some((path) => of.test(path)))
    .map(({ run, why, isByHand = false }): Step => ({ command: run, why, isByHand }));
  const quick = needed.filter(({ command }) => command.includes('check'));
  return [...quick, ...testsOf(paths, tree), ...needed.filter((step) => !quick.includes(step))];
}

/** As it is typed. Files of tests by their number: there may be a hundred. */
export function textOf({ command }: Step): string {
  const files = command.filter((word) => /^[\w.-]+\/.*\.\w+$/.test(word));
  if (files.length <= 3) return command.join(' ');
  return [...command.filter((word) => !files.includes(word)), `… ${files.length} files`].join(' ');
}
