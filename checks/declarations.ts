import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './packages.ts';

/** Writes the declarations of all packages, below one folder as their sources are below `lib`. Errors of types are for the check of types to report. */
export function emitDeclarations(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'tsconfig.json');
  const written = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      emitDeclarationOnly: true,
      declaration: true,
      stripInternal: true,
      rootDir: join(ROOT, 'lib'),
      outDir: folder,
    },
    include: [join(ROOT, 'lib')],
    exclude: ['lib/*/dist', 'lib/cli/console/page', 'lib/**/bundle.ts', 'lib/**/emulator'].map((path) =>
      join(ROOT, path),
    ),
  };
  writeFileSync(config, JSON.stringify(written));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', config, '--noCheck'], { cwd: ROOT, stdio: 'inherit' });
}
