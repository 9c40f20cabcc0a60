import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENTRIES, exportsOf } from './entries.ts';

/**
 * A user exports what a function of pawl returns, as in `export const handler = eachMessage(…)`, in a project with `declaration: true`, as `cdk init`
 * makes it. TypeScript then has to name the type, and refuses (TS2883) if the entry of the function does not export it.
 *
 * Does so for every function of every entry, each entry in a program of its own: another entry in the program may lend it the name.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Inside the repository, where the types of other packages are found from. */
const SCRATCH = join(ROOT, '.pawl/nameable');
const PACKAGE = join(SCRATCH, 'node_modules/pawl');

const tsc = (args: readonly string[]) => [join(ROOT, 'node_modules/typescript/bin/tsc'), ...args];

/** The package as it is installed, of declarations only. */
function emitPackage(): void {
  rmSync(SCRATCH, { recursive: true, force: true });
  mkdirSync(PACKAGE, { recursive: true });
  // A package of its own: inside of this one, `pawl` is the sources.
  writeFileSync(join(SCRATCH, 'package.json'), JSON.stringify({ name: 'user', type: 'module' }));
  // Errors of types are for the check of types to report.
  const emit = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--noCheck', '--outDir', join(PACKAGE, 'dist')];
  execFileSync(process.execPath, tsc(emit), { cwd: ROOT, stdio: 'inherit' });
  const manifest = { name: 'pawl', version: '0.0.0', type: 'module', exports: exportsOf(ENTRIES) };
  writeFileSync(join(PACKAGE, 'package.json'), JSON.stringify(manifest));
}

/** A module that exports what each function of an entry returns. */
async function userOf(entry: string, module: string): Promise<string> {
  const exported: Readonly<Record<string, unknown>> = await import(join(ROOT, `lib/${module}.ts`));
  const values = Object.entries(exported).filter(([, value]) => !isClass(value));
  return [
    `import * as pawl from '${entry.replace('.', 'pawl')}';`,
    'declare function called<F extends (...given: never[]) => unknown>(fn: F): ReturnType<F>;',
    ...values.map(([name, value]) => {
      const used = typeof value === 'function' ? `called(pawl.${name})` : `pawl.${name}`;
      return `export const from_${name} = ${used};`;
    }),
  ].join('\n');
}

function isClass(value: unknown): boolean {
  return typeof value === 'function' && Function.prototype.toString.call(value).startsWith('class');
}

if (import.meta.main) {
  emitPackage();
  const problems: string[] = [];
  for (const [entry, module] of Object.entries(ENTRIES)) {
    const folder = join(SCRATCH, entry.replace('./', '').replace('.', 'pawl'));
    mkdirSync(folder);
    writeFileSync(join(folder, 'user.ts'), await userOf(entry, module));
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2022', 'esnext.disposable'],
      module: 'nodenext',
      strict: true,
      declaration: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['user.ts'] }));
    const { status, stdout } = spawnSync(process.execPath, tsc(['-p', folder]), { cwd: ROOT, encoding: 'utf8' });
    if (status !== 0) problems.push(stdout);
  }
  if (problems.length > 0) {
    console.error(`${problems.join('')}\nExport each of these types from the entry that the file imports.`);
    process.exitCode = 1;
  } else console.log(`${Object.keys(ENTRIES).length} entries export the types of what their functions return.`);
  rmSync(SCRATCH, { recursive: true, force: true });
}
