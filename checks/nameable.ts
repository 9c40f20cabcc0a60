import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { emitDeclarations } from './declarations.ts';
import { type Entry, packages, publicEntries, publishedManifest, root } from './packages.ts';

/**
 * A user exports what a function of pawl returns, as in `export const handler = eachMessage(…)`, in a project with `declaration: true`, as `cdk init`
 * makes it. TypeScript then has to name the type, and refuses (TS2883) if the entry of the function does not export it.
 *
 * Does so for every function of every entry, each entry in a program of its own: another entry in the program may lend it the name.
 */

/** Inside the repository, where the types of other packages are found from. */
const scratch = join(root, '.pawl/nameable');

const tsc = (args: readonly string[]) => [join(root, 'node_modules/typescript/bin/tsc'), ...args];

/** The packages as they are installed, of declarations only. */
function emitPackages(): void {
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  // A package of its own: inside of this one, `pawl` is the sources.
  writeFileSync(join(scratch, 'package.json'), JSON.stringify({ name: 'user', type: 'module' }));
  // Errors of types are for the check of types to report.
  const emitted = join(scratch, 'emitted');
  emitDeclarations(emitted);
  for (const of of packages) {
    const installed = join(scratch, 'node_modules', of.name);
    mkdirSync(dirname(installed), { recursive: true });
    renameSync(join(emitted, of.folder.slice('lib/'.length)), installed);
    writeFileSync(join(installed, 'package.json'), JSON.stringify(publishedManifest(of)));
  }
}

/** A module that exports what each function of an entry returns. */
async function userOf({ name, source }: Entry): Promise<string> {
  const exported: Readonly<Record<string, unknown>> = await import(join(root, source));
  const values = Object.entries(exported).filter(([, value]) => !isClass(value));
  return [
    `import * as pawl from '${name}';`,
    'declare function called<F extends (...given: never[]) => unknown>(fn: F): ReturnType<F>;',
    ...values.map(([exportedName, value]) => {
      const used = typeof value === 'function' ? `called(pawl.${exportedName})` : `pawl.${exportedName}`;
      return `export const from_${exportedName} = ${used};`;
    }),
  ].join('\n');
}

function isClass(value: unknown): boolean {
  return typeof value === 'function' && Function.prototype.toString.call(value).startsWith('class');
}

if (import.meta.main) {
  emitPackages();
  const problems: string[] = [];
  for (const entry of publicEntries) {
    const folder = join(scratch, 'users', entry.name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'user.ts'), await userOf(entry));
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
    const { status, stdout } = spawnSync(process.execPath, tsc(['-p', folder]), { cwd: root, encoding: 'utf8' });
    if (status !== 0) problems.push(stdout);
  }
  if (problems.length > 0) {
    console.error(`${problems.join('')}\nExport each of these types from the entry that the file imports.`);
    process.exitCode = 1;
  } else console.log(`${publicEntries.length} entries export the types of what their functions return.`);
  rmSync(scratch, { recursive: true, force: true });
}
