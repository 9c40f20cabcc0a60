import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './packages.ts';

/** Writes the declarations of all packages, below one folder as their sources are below `lib`. Errors of types are for the check of types to report. */
export function emitDeclarations(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'tsconfig.json');
  const written = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      emitDeclarationOnly: true,
      declaration: true,
      stripInternal: true,
      rootDir: join(root, 'lib'),
      outDir: folder,
    },
    include: [join(root, 'lib')],
    exclude: ['lib/*/dist', 'lib/cli/console/page'].map((path) => join(root, path)),
  };
  writeFileSync(config, JSON.stringify(written));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', config, '--noCheck'], { cwd: root, stdio: 'inherit' });
}
