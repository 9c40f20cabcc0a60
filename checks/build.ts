import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENTRIES, MODULES_ONLY } from './entries.ts';

/**
 * Builds `dist/`: ECMAScript modules in it, CommonJS in `dist/cjs`, module by module as in `lib/`, so that a bundler drops what a consumer
 * does not use. Then checks that the package can be published.
 *
 * Both copies share one set of declarations, those of `dist/cjs`. With two sets, TypeScript takes a construct of one copy for another class than
 * that of the other copy, because each has private fields of its own.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');

/** By its name: npm finds the tools also where the sources are unpacked in a folder of another project. */
function runTool(name: string, ...args: readonly string[]): void {
  execFileSync(name, args, { cwd: ROOT, stdio: 'inherit' });
}

/** Inside a package of `"type": "module"`, this makes a folder one of CommonJS. A bundler looks for `sideEffects` in the nearest manifest. */
function markCommonJs(): void {
  writeFileSync(join(DIST, 'cjs/package.json'), `${JSON.stringify({ type: 'commonjs', sideEffects: false })}\n`);
}

/** The page of the console: one script and one style sheet. */
function bundlePage(): void {
  const folder = join(DIST, 'console/page');
  mkdirSync(folder, { recursive: true });
  execFileSync(process.execPath, ['lib/console/page/bundle.ts', folder], { cwd: ROOT, stdio: 'inherit' });
}

/** The declarations of each entry for `import`: those for `require`, by another name. */
function shareDeclarations(): void {
  for (const [entry, module] of Object.entries(ENTRIES)) {
    if (MODULES_ONLY.has(entry)) continue;
    if (!existsSync(join(DIST, `cjs/${module}.d.ts`))) throw new Error(`lib/${module}.ts, an entry, was not built.`);
    const shared = posix.join(posix.relative(dirname(module), '.') || '.', 'cjs', module);
    const path = shared.startsWith('.') ? shared : `./${shared}`;
    writeFileSync(join(DIST, `${module}.d.ts`), `export * from '${path}.js';\n`);
  }
}

/** What a rehearsal runs that is no module. */
function copyRehearsal(): void {
  const file = 'rehearsal/engine/servers/loopback/LoopbackServer.class';
  mkdirSync(dirname(join(DIST, file)), { recursive: true });
  copyFileSync(join(ROOT, 'lib', file), join(DIST, file));
}

if (import.meta.main) {
  rmSync(DIST, { recursive: true, force: true });
  runTool('tsc', '-p', 'tsconfig.build.json', '--declaration', 'false');
  runTool('tsc', '-p', 'tsconfig.cjs.json');
  runTool('tsc', '-p', 'tsconfig.rehearsal.json');
  copyRehearsal();
  bundlePage();
  markCommonJs();
  shareDeclarations();
  runTool('publint', '--strict');
  const only = [...MODULES_ONLY].map((entry) => entry.slice('./'.length));
  runTool('attw', '--pack', '.', '--profile', 'strict', '--exclude-entrypoints', ...only);
  runTool('attw', '--pack', '.', '--profile', 'esm-only', '--entrypoints', ...only);
}
