import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from './manifest.ts';

/** What npm would publish. */
export interface Tarball {
  readonly filename: string;
  readonly shasum: string;
  readonly integrity: string;
  readonly bytes: number;
  readonly unpackedBytes: number;
  /** The paths of its files, and their text. */
  readonly files: ReadonlyMap<string, string>;
}

/** Packs a project that is built, and reads what is in the tarball. Leaves nothing behind. */
export function pack(root: string): Tarball {
  const scratch = mkdtempSync(join(tmpdir(), 'pawl-tarball-'));
  try {
    const options = ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch];
    const [said] = Object.values<Packed>(
      JSON.parse(execFileSync('npm', options, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })),
    );
    if (said === undefined) throw new Error('npm pack made no tarball');
    execFileSync('tar', ['-xf', join(scratch, said.filename), '-C', scratch]);
    const paths = said.files.map(({ path }) => path);
    const files = new Map(paths.map((path) => [path, readFileSync(join(scratch, 'package', path), 'utf8')]));
    const { filename, shasum, integrity, size, unpackedSize } = said;
    return { filename, shasum, integrity, bytes: size, unpackedBytes: unpackedSize, files };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

interface Packed {
  readonly filename: string;
  readonly shasum: string;
  readonly integrity: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** What must not be in a package, or is missing from it. A sentence each. */
export function tarballProblems(
  files: Tarball['files'],
  { exports, bin }: Pick<Manifest, 'exports' | 'bin'>,
  root: string,
): readonly string[] {
  const promised = [...Object.values(exports).flatMap(targetsOf), ...Object.values(bin)].map((path) =>
    path.replace(/^\.\//, ''),
  );
  const paths = [...files.keys()];
  // Of this machine, which says who built it.
  const machine = [root.replace(/\/$/, ''), homedir()].filter((path) => path.length > 1);
  return [
    ...[...promised, 'LICENSE', 'README.md', 'CHANGELOG.md']
      .filter((path) => !files.has(path))
      .map((path) => `${path} is promised, and is not in the tarball`),
    ...paths
      .filter((path) => /\.test\.|(^|\/)\.env|\.pem$|\.npmrc$|(?<!\.d)\.ts$/.test(path))
      .map((path) => `${path} does not belong into the tarball`),
    ...[...files]
      .filter(([, text]) => machine.some((path) => text.includes(`${path}/`)))
      .map(([path]) => `${path} names a folder of this machine`),
    ...[...files]
      .filter(([, text]) => /-----BEGIN [A-Z ]*PRIVATE KEY-----\n|\bAKIA[0-9A-Z]{16}\b/.test(text))
      .map(([path]) => `${path} looks like it has a secret`),
  ];
}

function targetsOf(target: unknown): readonly string[] {
  if (typeof target === 'string') return [target];
  return typeof target === 'object' && target !== null ? Object.values(target).flatMap(targetsOf) : [];
}
