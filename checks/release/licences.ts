import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Fails when a package that is shipped, or that a user installs for pawl, has a licence that is not in the list: what the package depends on, its peers, all
 * that these depend on, and what is bundled into `dist`.
 *
 * It reads `package-lock.json`, where npm keeps the licence that each package states. `npm run check -- licences` prints what it has found.
 */

/** All permit use, change and distribution in a closed product, and ask for a notice at most. */
const allowed = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0'];

/** What is copied into `dist`: the view library of the console's page, with its licence in the file (`lib/cli/console/page/bundle.ts`). */
const bundledPackages = ['preact'];

/** A package of the lock file. */
interface Locked {
  readonly name?: string | undefined;
  readonly dev?: boolean;
  readonly peer?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly version?: string | undefined;
  readonly license?: string | undefined;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}

export interface Licensed {
  /** Where npm has put it: `node_modules/…`. */
  readonly place: string;
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/** Every package that comes with pawl or its peers, by its place in `node_modules`. */
export function licencesOf(lock: Lock, bundled: readonly string[] = bundledPackages): readonly Licensed[] {
  const own = Object.entries(lock.packages).filter(([place]) => place === '' || place.startsWith('lib/'));
  // npm leaves out a name that its folder has as well.
  const ours = new Set(own.map(([place, { name = place.slice('lib/'.length) }]) => name));
  const named = [
    ...own.flatMap(([, { dependencies, peerDependencies }]) => Object.keys({ ...dependencies, ...peerDependencies })),
    ...bundled,
  ].filter((name) => !ours.has(name));
  const missing = named.filter((name) => placeOf(lock, '', name) === undefined);
  // An optional peer that is installed nowhere here has no licence to look at, and would pass.
  if (missing.length > 0)
    throw new Error(`package-lock.json has no ${missing.join(', ')}: npm install --save-dev ${missing.join(' ')}`);
  const waiting = named.map((name) => placeOf(lock, '', name));
  const found = new Map<string, Licensed>();
  // What is found on the way joins the end.
  for (const place of waiting) {
    const locked = place === undefined ? undefined : lock.packages[place];
    if (place === undefined || locked === undefined || found.has(place)) continue;
    const name = place.split('node_modules/').at(-1) ?? place;
    found.set(place, { place, name, version: locked.version ?? '', licence: locked.license ?? 'none stated' });
    const needed = Object.keys({ ...locked.dependencies, ...locked.optionalDependencies });
    for (const dependency of needed) waiting.push(placeOf(lock, place, dependency));
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Where npm has put what a package at a place needs: the nearest one, from there outwards. */
function placeOf({ packages }: Lock, from: string, name: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1))) {
    const candidate = place === '' ? `node_modules/${name}` : `${place}/node_modules/${name}`;
    if (packages[candidate] !== undefined) return candidate;
    if (place === '') return undefined;
  }
}

/** Whether one of the licences that an expression offers is allowed, or all that it demands are. An expression that does both is not: a person reads it. */
export function isAllowed(expression: string): boolean {
  const plain = expression.replaceAll(/[()]/g, ' ').trim();
  const isInList = (licence: string) => allowed.includes(licence.trim());
  if (plain.includes(' OR ') && !plain.includes(' AND ')) return plain.split(' OR ').some(isInList);
  return plain.split(' AND ').every(isInList);
}

export function licenceProblems(found: readonly Licensed[]): readonly string[] {
  return found
    .filter(({ licence }) => !isAllowed(licence))
    .map(({ name, version, licence }) => `${name} ${version}: ${licence} is none of ${allowed.join(', ')}`);
}

/** How many packages have each licence. */
export function summaryOf(found: readonly Licensed[]): string {
  const byLicence = Object.groupBy(found, ({ licence }) => licence);
  return Object.entries(byLicence)
    .map(([licence, all = []]) => `${licence} ${all.length}`)
    .join(', ');
}

export function readLock(root: string): Lock {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
}

if (import.meta.main) {
  const found = licencesOf(readLock(fileURLToPath(new URL('../..', import.meta.url))));
  const problems = licenceProblems(found);
  for (const problem of problems) console.error(problem);
  console.log(`${found.length} packages: ${summaryOf(found)}.`);
  if (problems.length > 0 || found.length === 0) process.exitCode = 1;
}
