import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The packages that npm ships, as their manifests below `lib/` declare them. In the repository an entry leads to its source, so that nothing has to be
 * built to run. What is published leads to `dist` instead (`publishedManifest`); `build.ts` writes it there.
 *
 * To add an entry, add it to `exports` of its package, and run `npm run api`.
 */

export const root = fileURLToPath(new URL('..', import.meta.url));

/** A manifest below `lib/`. */
interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
}

export interface Package {
  readonly name: string;
  /** From the root: `lib/pawl`. */
  readonly folder: string;
  readonly manifest: SourceManifest;
  /** Whether `require` loads a copy of CommonJS. Tools, which no project bundles, have none. */
  readonly hasRequire: boolean;
}

/** An entry: a name that can be imported. */
export interface Entry {
  /** As it is imported: `pawl/sqs`. */
  readonly name: string;
  /** In the manifest: `./sqs`. */
  readonly subpath: string;
  /** The module in its package, without the extension: `sqs/index`. */
  readonly module: string;
  /** From the root: `lib/pawl/sqs/index.ts`. */
  readonly source: string;
  readonly of: Package;
  /** Whether it is for pawl's own packages alone, in the same version. */
  readonly isInternal: boolean;
}

/** Without a copy for `require`. */
const modulesOnly = new Set(['@pawl/cli', '@pawl/rehearsal']);
/** For pawl's own packages alone: nothing of them is promised. */
const internal = new Set([
  'pawl/kernel',
  'pawl/internal',
  'pawl/internal/dynamodb',
  'pawl/deployment',
  '@pawl/cli',
  '@pawl/cli/command',
  '@pawl/rehearsal/command',
]);

export const packages: readonly Package[] = globSync('lib/*/package.json', { cwd: root })
  .map((path) => {
    const folder = dirname(path);
    const manifest: SourceManifest = JSON.parse(readFileSync(join(root, path), 'utf8'));
    return { name: manifest.name, folder, manifest, hasRequire: !modulesOnly.has(manifest.name) };
  })
  // `pawl` first: the others import it.
  .toSorted((one, other) => Number(other.name === 'pawl') - Number(one.name === 'pawl'));

export function entriesOf(of: Package): readonly Entry[] {
  return Object.entries(of.manifest.exports)
    .filter(([, source]) => source.endsWith('.ts'))
    .map(([subpath, source]) => {
      const name = subpath.replace('.', of.name);
      const module = source.slice('./'.length, -'.ts'.length);
      return { name, subpath, module, source: `${of.folder}/${module}.ts`, of, isInternal: internal.has(name) };
    });
}

export const publishedEntries: readonly Entry[] = packages.flatMap(entriesOf);
/** Those that a user imports. */
export const publicEntries: readonly Entry[] = publishedEntries.filter(({ isInternal }) => !isInternal);

/** What is published of a package, in its `dist`. Development's own fields stay behind. */
export function publishedManifest(of: Package): object {
  const entries = entriesOf(of);
  const conditions = entries.map(({ subpath, module }) => {
    const modules = { types: `./${module}.d.ts`, default: `./${module}.js` };
    const require = { types: `./cjs/${module}.d.ts`, default: `./cjs/${module}.js` };
    // `default`, not `import`: a file of a CommonJS project has its types checked as if it called `require`, which loads modules, too.
    return [subpath, of.hasRequire ? { import: modules, require } : { default: modules }] as const;
  });
  const types = entries
    .filter(({ subpath }) => subpath !== '.')
    .map(({ subpath, module }) => [subpath.slice('./'.length), [`${of.hasRequire ? 'cjs/' : ''}${module}.d.ts`]]);
  const main = entries.find(({ subpath }) => subpath === '.');
  const { exports: _, bin, ...kept } = of.manifest;
  return {
    ...kept,
    ...(bin && {
      bin: Object.fromEntries(Object.entries(bin).map(([name, path]) => [name, path.replace(/\.ts$/, '.js')])),
    }),
    ...(main && of.hasRequire && { main: `./cjs/${main.module}.js`, types: `./cjs/${main.module}.d.ts` }),
    exports: { ...Object.fromEntries(conditions), './package.json': './package.json' },
    // For `moduleResolution: node10`, which reads no `exports`. It is the default of `module: commonjs` before TypeScript 6.
    ...(types.length > 0 && { typesVersions: { '*': Object.fromEntries(types) } }),
  };
}
