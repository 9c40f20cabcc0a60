import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { deadAddresses } from './docs/links.ts';
import { entriesOf, type Package, packages, publishedEntries, publishedManifest, root } from './packages.ts';

/**
 * Builds what is published of each package, in its `dist`, and packs it into a tarball at the root: ECMAScript modules, CommonJS in `dist/cjs` where a project may bundle it, module by module as in
 * the sources, so that a bundler drops what a consumer does not use; the manifest, the README, the licence and the changelog. Then checks that the tarball can be
 * published.
 *
 * Both copies share one set of declarations, those of `dist/cjs`. With two sets, TypeScript takes a construct of one copy for another class than
 * that of the other copy, because each has private fields of its own.
 */

/** Where the configurations of the compiler are written: below the root, where it finds the types of other packages. */
const scratch = join(root, '.pawl/build');

/** What of a package is no module that is published. */
const notBuilt = ['dist', 'console/page'];

/** By its name: npm finds the tools also where the sources are unpacked in a folder of another project. */
function runTool(name: string, ...args: readonly string[]): void {
  execFileSync(name, args, { cwd: root, stdio: 'inherit' });
}

export const distOf = ({ folder }: Package): string => join(root, folder, 'dist');

/** What npm calls the tarball of a package, at the root. */
export const tarballOf = ({ name, manifest }: Package): string =>
  `${name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;

/** The declarations of other packages as they are published: with their sources, the compiler would build these as well. */
function declarationsFor(of: Package): Readonly<Record<string, readonly string[]>> {
  const others = publishedEntries.filter((entry) => entry.of !== of);
  return Object.fromEntries(
    others.map((entry) => [
      entry.name,
      [join(distOf(entry.of), entry.of.hasRequire ? 'cjs' : '.', `${entry.module}.d.ts`)],
    ]),
  );
}

function compile(of: Package, format: 'modules' | 'require'): void {
  const source = join(root, of.folder);
  const common = {
    noEmit: false,
    rootDir: source,
    stripInternal: true,
    paths: declarationsFor(of),
  };
  const asModules = { ...common, outDir: distOf(of), declaration: !of.hasRequire };
  const asRequire = {
    ...common,
    outDir: join(distOf(of), 'cjs'),
    declaration: true,
    module: 'commonjs',
    moduleResolution: 'bundler',
    verbatimModuleSyntax: false,
  };
  const config = join(scratch, `${of.folder.replace('/', '-')}-${format}.json`);
  const written = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: format === 'modules' ? asModules : asRequire,
    include: [source],
    // A command is started, and never required.
    exclude: [...notBuilt, ...(format === 'require' ? ['bin'] : [])].map((path) => join(source, path)),
  };
  writeFileSync(config, JSON.stringify(written));
  runTool('tsc', '-p', config);
}

/** The declarations of each entry for `import`: those for `require`, by another name. */
function shareDeclarations(of: Package): void {
  for (const { module } of entriesOf(of)) {
    if (!existsSync(join(distOf(of), `cjs/${module}.d.ts`))) throw new Error(`${module} of ${of.name} was not built.`);
    const shared = posix.join(posix.relative(dirname(module), '.') || '.', 'cjs', module);
    const path = shared.startsWith('.') ? shared : `./${shared}`;
    writeFileSync(join(distOf(of), `${module}.d.ts`), `export * from '${path}.js';\n`);
  }
}

/** The page of the console: one script and one style sheet. */
function bundlePage(of: Package): void {
  const folder = join(distOf(of), 'console/page');
  mkdirSync(folder, { recursive: true });
  execFileSync(process.execPath, [join(root, of.folder, 'console/page/bundle.ts'), folder], {
    cwd: root,
    stdio: 'inherit',
  });
}

/** What a package needs beside its modules. */
function copyFiles(of: Package): void {
  const dist = distOf(of);
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(publishedManifest(of), undefined, 2)}\n`);
  for (const file of ['LICENSE', 'CHANGELOG.md']) copyFileSync(join(root, file), join(dist, file));
  copyFileSync(join(root, of.folder, 'README.md'), join(dist, 'README.md'));
  // Errors name a page of it.
  if (of.name === 'pawl')
    cpSync(join(root, 'docs'), join(dist, 'docs'), { recursive: true, filter: (path) => !path.endsWith('/images') });
  if (of.name === '@pawl/cli') bundlePage(of);
  if (of.name === '@pawl/rehearsal') {
    // What a rehearsal runs that is no module.
    const place = 'engine/servers/loopback/LoopbackServer.class';
    mkdirSync(dirname(join(dist, place)), { recursive: true });
    copyFileSync(join(root, of.folder, place), join(dist, place));
  }
}

function build(of: Package): void {
  rmSync(distOf(of), { recursive: true, force: true });
  compile(of, 'modules');
  if (of.hasRequire) {
    compile(of, 'require');
    // Inside a package of `"type": "module"`, this makes a folder one of CommonJS. A bundler looks for `sideEffects` in the nearest manifest.
    const commonJs = { type: 'commonjs', sideEffects: false };
    writeFileSync(join(distOf(of), 'cjs/package.json'), `${JSON.stringify(commonJs)}\n`);
    shareDeclarations(of);
  }
  copyFiles(of);
}

/** Packs it, once, and checks the tarball as it is published. */
async function publish(of: Package): Promise<void> {
  if (of.name === 'pawl') {
    const [dead] = deadAddresses(distOf(of));
    if (dead !== undefined) throw new Error(`${dead}, which is not in what is published of ${of.name}.`);
  }
  await runQuietly('npm', 'pack', distOf(of), '--ignore-scripts', '--silent');
  await runQuietly('publint', '--strict', `./${tarballOf(of)}`);
  await runQuietly('attw', `./${tarballOf(of)}`, '--profile', of.hasRequire ? 'strict' : 'esm-only');
}

/** These tools use one processor each. @throws Error with what one has printed, when it fails */
async function runQuietly(name: string, ...args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(name, args, { cwd: root });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${name} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  }
}

if (import.meta.main) {
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  for (const of of packages) {
    console.log(`${of.name}: ${entriesOf(of).length} entries`);
    build(of);
  }
  await Promise.all(packages.map(publish));
}
