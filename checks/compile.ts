import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { publicEntries, root } from './packages.ts';

/**
 * Compiles code that a reader copies, from a guide or a docstring, in one program. `pawl/…` and `@pawl/…` are the sources of the packages, by the names
 * that a user imports.
 */

/** What `pawl/…` and `@pawl/…` stand for: the name of each entry, and its source. */
export const sourcesOfEntries: ReadonlyMap<string, string> = new Map(
  publicEntries.map(({ name, source }) => [name, join(root, source)]),
);

/**
 * What the compiler says of these files, one error a line and each with its file's path; empty when they compile.
 *
 * @param files their code, by paths that may have folders
 * @param entries what can be imported by name
 */
export function compileErrors(files: ReadonlyMap<string, string>, entries = sourcesOfEntries): string {
  // Inside the project, so that its packages are found; where git does not look.
  mkdirSync(join(root, '.pawl'), { recursive: true });
  const scratch = mkdtempSync(join(root, '.pawl', 'compile-'));
  try {
    for (const [path, code] of files) {
      mkdirSync(dirname(join(scratch, path)), { recursive: true });
      writeFileSync(join(scratch, path), code);
    }
    writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify(configOf(entries)));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', scratch, '--pretty', 'false'], {
      cwd: scratch,
      encoding: 'utf8',
    });
    return status === 0 ? '' : stdout || stderr || `tsc ended with ${status}`;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function configOf(entries: ReadonlyMap<string, string>): object {
  return {
    extends: join(root, 'tsconfig.json'),
    // As most have it: CDK's own types do not fit each other under the stricter setting of this project.
    compilerOptions: {
      exactOptionalPropertyTypes: false,
      paths: Object.fromEntries(Array.from(entries, ([name, path]) => [name, [path]])),
      // A project of CommonJS imports its files without their extensions, and its Jest brings `test` along.
      module: 'preserve',
      moduleResolution: 'bundler',
      types: ['node', 'vitest/globals'],
    },
    include: ['**/*.ts'],
  };
}
