import { execFileSync } from 'node:child_process';
import type { Licensed } from './licences.ts';

/*
 * The bill of materials of a release, as CycloneDX: the package, what is bundled into it, and what its users install for it. It is made for each release and
 * attached to it. It is not in the repository: it says what the lock file says, with the time at which it was made.
 */

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
}

export interface Sbom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** What npm says of the lock file, with all that is only for development. */
export function readSbom(root: string): Sbom {
  const options = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--package-lock-only'];
  return JSON.parse(
    execFileSync('npm', options, { cwd: root, encoding: 'utf8', maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'ignore'] }),
  );
}

/** Only what comes with the package or its peers. npm takes the peers for tools, because they are those, too. */
export function sbomOf(all: Sbom, name: string, found: readonly Licensed[]): Sbom {
  const wanted = new Set(found.map((one) => `${one.name}@${one.version}`));
  const components = all.components.filter((one) => wanted.has(`${one.name}@${one.version}`));
  const refs = new Set([all.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])]);
  return {
    ...all,
    // npm calls it by its folder.
    metadata: { ...all.metadata, component: { ...all.metadata.component, name } },
    components,
    dependencies: all.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  };
}
