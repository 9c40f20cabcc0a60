import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sizes } from './last.ts';
import { pack, type Tarball } from './tarball.ts';

let packed: Tarball | undefined;

/** Builds and packs, once for all that need it. */
export function packedNow(root: string): Tarball {
  if (packed === undefined) {
    execFileSync(process.execPath, ['checks/build.ts'], { cwd: root, stdio: 'ignore' });
    packed = pack(root);
  }
  return packed;
}

/** The sizes of this version. Those of the consumers are as `npm run sizes` has written them. */
export function sizesNow(root: string): Sizes {
  const { bytes, unpackedBytes, files } = packedNow(root);
  const bundles = JSON.parse(readFileSync(join(root, 'checks/sizes.json'), 'utf8'));
  return { tarballBytes: bytes, unpackedBytes, files: files.size, bundles };
}
