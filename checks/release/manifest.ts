import semver from 'semver';
import { packages, publishedManifest } from '../packages.ts';
import type { Change } from './surface.ts';

/** What package.json promises to those who install the package. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly engines: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** What is published of each package, by its name: what a later version is compared with. */
export type Manifests = Readonly<Record<string, Manifest>>;

/** What this version promises. */
export function promises(): Manifests {
  return Object.fromEntries(packages.map((one) => [one.name, promisesOf(publishedManifest(one) as Manifest)]));
}

function promisesOf({
  name,
  version,
  exports,
  bin = {},
  engines,
  peerDependencies = {},
  dependencies = {},
}: Partial<Manifest> & Pick<Manifest, 'name' | 'version' | 'exports' | 'engines'>): Manifest {
  return { name, version, exports, bin, engines, peerDependencies, dependencies };
}

/** What an installation of all packages that worked with the last version meets in this one. */
export function allManifestChanges(last: Manifests, now: Manifests): readonly Change[] {
  return Object.entries(last).flatMap(([name, manifest]): readonly Change[] => {
    const current = now[name];
    if (current !== undefined) return manifestChanges(manifest, current);
    return [{ kind: 'breaking', names: [name], text: `the package ${name} is gone` }];
  });
}

/** What an installation that worked with the last version meets in this one. */
export function manifestChanges(last: Manifest, now: Manifest): readonly Change[] {
  const breaking = (name: string, text: string): Change => ({ kind: 'breaking', names: [name], text });
  const gone = (what: 'exports' | 'bin', call: string) =>
    Object.keys(last[what])
      .filter((name) => !Object.hasOwn(now[what], name))
      .map((name) => breaking(name.replace(/^\./, last.name), `package.json has no ${call} ${name} any more`));
  // An entry without its `require` is gone for CommonJS, for Jest for example.
  const conditionsGone = Object.entries(last.exports)
    .filter(([entry]) => Object.hasOwn(now.exports, entry))
    .flatMap(([entry, target]) => {
      const left = conditionsOf(now.exports[entry]);
      const name = entry.replace(/^\./, last.name);
      return conditionsOf(target)
        .filter((condition) => !left.includes(condition))
        .map((condition) => breaking(name, `the entry ${entry} of package.json has no ${condition} any more`));
    });
  const narrowed = (what: 'engines' | 'peerDependencies') =>
    Object.entries(now[what])
      .filter(([name, range]) => !semver.subset(last[what][name] ?? '*', range))
      .map(([name, range]) =>
        breaking(
          name,
          last[what][name] === undefined
            ? `${name} ${range} is required now`
            : `${name} must be ${range} now, and ${last[what][name]} was enough`,
        ),
      )
      // A peer that is new is optional, and comes with a feature that is new.
      .filter(({ names: [name = ''] }) => what === 'engines' || last[what][name] !== undefined);
  const added = Object.keys(now.dependencies ?? {}).filter((name) => last.dependencies?.[name] === undefined);
  return [
    ...gone('exports', 'entry'),
    ...conditionsGone,
    ...gone('bin', 'command'),
    ...narrowed('engines'),
    ...narrowed('peerDependencies'),
    ...added.map(
      (name): Change => ({ kind: 'changed', names: [name], text: `${name} is installed with the package now` }),
    ),
  ];
}

/** In which ways an entry is loaded: `import`, `require`. */
function conditionsOf(target: unknown): readonly string[] {
  return typeof target === 'object' && target !== null ? Object.keys(target) : [];
}
