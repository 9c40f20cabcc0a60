import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Licensed, Lock } from './licences.ts';

/*
 * The bill of materials of a release, as CycloneDX: the package, what is bundled into it, and what its users install for it. It is made for each release and
 * attached to it. It is not in the repository: it says what the lock file says, with the time at which it was made.
 */

export interface Sbom {
  readonly bomFormat: string;
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

/** What npm says of a project that has nothing but these packages. */
export function sbomOf(lock: Lock, found: readonly Licensed[]): Sbom {
  const scratch = mkdtempSync(join(tmpdir(), 'pawl-sbom-'));
  // npm calls a project by its folder.
  const folder = join(scratch, 'pawl');
  try {
    mkdirSync(folder);
    const reduced = reducedLock(lock, found);
    writeFileSync(join(folder, 'package.json'), JSON.stringify(reduced.packages['']));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(reduced));
    const options = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--package-lock-only'];
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    return JSON.parse(
      execFileSync('npm', options, { cwd: folder, encoding: 'utf8', maxBuffer: 1e8, stdio: [...stdio] }),
    );
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** A lock file without the tools. In the whole one, npm takes the peers for tools, because they are those, too. */
export function reducedLock(lock: Lock, found: readonly Licensed[]): Lock & { readonly lockfileVersion: 3 } {
  const { name, version, license } = lock.packages[''] ?? {};
  const top = found.filter(({ place }) => place.lastIndexOf('node_modules/') === 0);
  const dependencies = Object.fromEntries(top.map((one) => [one.name, one.version]));
  const packages = found.map(({ place }) => {
    const { dev: _, peer: __, optional: ___, devOptional: ____, ...locked } = lock.packages[place] ?? {};
    return [place, locked] as const;
  });
  return {
    lockfileVersion: 3,
    packages: { '': { name, version, license, dependencies }, ...Object.fromEntries(packages) },
  };
}
