import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The entries of the package. To add one, add it to `ENTRIES`, and run `npm run entries` and `npm run api`.
 *
 * Owns: what package.json says of them, `exports` and `typesVersions`, which this file writes. Does not own: the files behind them (`build.ts`).
 */

/** The name that a user imports, and its module below `lib/`, without the extension. */
export const ENTRIES = {
  '.': 'index',
  './dynamodb': 'stores/dynamodb/index',
  './dynamodb/lean': 'stores/dynamodb/lean/index',
  './sqs': 'sqs/index',
  './sqs/lean': 'sqs/lean/index',
  './s3': 'payload/envelopes/large-payload',
  './middy': 'middy/index',
  './middy/lean': 'middy/lean',
  './transactions': 'transactions/index',
  './transactions/lean': 'transactions/lean',
  './http': 'http/index',
  './locks': 'locks/index',
  './observe': 'observe/index',
  './operate': 'operate/index',
  './sweep': 'sweep/index',
  './statements': 'statements/index',
  './testing': 'testing/index',
  './rehearsal': 'rehearsal/index',
  './constructs': 'deployment/constructs/index',
} as const satisfies Readonly<Record<string, string>>;

/** Those without a copy for `require`: tools, which no project bundles. */
export const MODULES_ONLY: ReadonlySet<string> = new Set(['./rehearsal']);

const MANIFEST = fileURLToPath(new URL('../package.json', import.meta.url));

/** What `import` and `require` of each entry load, with the types of each. */
export function exportsOf(entries: Readonly<Record<string, string>>): object {
  const conditions = Object.entries(entries).map(([name, module]) => {
    const modules = { types: `./dist/${module}.d.ts`, default: `./dist/${module}.js` };
    const require = { types: `./dist/cjs/${module}.d.ts`, default: `./dist/cjs/${module}.js` };
    // `default`, not `import`: a file of a CommonJS project has its types checked as if it called `require`, which loads modules, too.
    return [name, MODULES_ONLY.has(name) ? { default: modules } : { import: modules, require }];
  });
  return { ...Object.fromEntries(conditions), './package.json': './package.json' };
}

/** The same for `moduleResolution: node10`, which reads no `exports`. It is the default of `module: commonjs` before TypeScript 6. */
export function typesVersionsOf(entries: Readonly<Record<string, string>>): object {
  const types = Object.entries(entries).map(([name, module]) => [
    name.slice('./'.length),
    [`dist/${MODULES_ONLY.has(name) ? '' : 'cjs/'}${module}.d.ts`],
  ]);
  return { '*': Object.fromEntries(types.filter(([name]) => name !== '')) };
}

/** The manifest as it must be: the fields that say what the entries are, in their places. */
export function withEntries(manifest: object): object {
  const root = ENTRIES['.'];
  return {
    ...manifest,
    main: `./dist/cjs/${root}.js`,
    types: `./dist/cjs/${root}.d.ts`,
    exports: exportsOf(ENTRIES),
    typesVersions: typesVersionsOf(ENTRIES),
  };
}

if (import.meta.main) {
  const found = readFileSync(MANIFEST, 'utf8');
  const wanted = `${JSON.stringify(withEntries(JSON.parse(found)), undefined, 2)}\n`;
  if (process.argv.includes('--write')) writeFileSync(MANIFEST, wanted);
  else if (found !== wanted) {
    console.error(
      'package.json does not name the entries of checks/entries.ts: npm run entries, and commit package.json.',
    );
    process.exitCode = 1;
  }
  console.log(`${Object.keys(ENTRIES).length} entries, for import and, but for ${MODULES_ONLY.size}, for require.`);
}
