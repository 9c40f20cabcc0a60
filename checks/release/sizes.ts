import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { distOf } from '../build.ts';
import { packages } from '../packages.ts';
import type { Sizes } from './last.ts';
import { pack, type Tarball } from './tarball.ts';

let packed: ReadonlyMap<string, Tarball> | undefined;

/** Builds and packs, once for all that need it: the tarball of each package, by its name. */
export function packedNow(root: string): ReadonlyMap<string, Tarball> {
  if (packed === undefined) {
    execFileSync(process.execPath, ['checks/build.ts'], { cwd: root, stdio: 'ignore' });
    packed = new Map(packages.map((one) => [one.name, pack(distOf(one))]));
  }
  return packed;
}

/** The sizes of this version. Those of the consumers are as `npm run release -- sizes` has written them. */
export function sizesNow(root: string): Sizes {
  const all = [...packedNow(root).values()];
  const sum = (of: (one: Tarball) => number) => all.reduce((total, one) => total + of(one), 0);
  const bundles = JSON.parse(readFileSync(join(root, 'checks/sizes.json'), 'utf8'));
  return {
    tarballBytes: sum(({ bytes }) => bytes),
    unpackedBytes: sum(({ unpackedBytes }) => unpackedBytes),
    files: sum(({ files }) => files.size),
    bundles,
  };
}
