import { readFileSync } from 'node:fs';
// Not by name: a Node that is too old does not have `findPackageJSON`, and would end before it is told so.
import nodeModule from 'node:module';
import { UsageError } from './command.ts';
import { REHEARSAL_PEERS } from './peers.ts';

/**
 * Checks what `pawl rehearse` needs, before any of its modules is loaded.
 *
 * @throws UsageError if this Node is too old. The other commands run on it
 * @throws UsageError if a peer is installed in a version that does not fit. npm installs one with `--legacy-peer-deps`, or on an older Node
 */
export function expectNeeds(): void {
  if (typeof AsyncDisposableStack !== 'function') {
    throw new UsageError(`pawl rehearse needs Node 24 or newer; this is ${process.version}.`);
  }
  const own: PackageJson = packageAt(new URL('../../package.json', import.meta.url));
  expectPeers(own.peerDependencies ?? {}, import.meta.url);
}

/**
 * @param ranges the ranges of the peers, each as `^2.4.0`
 * @param from the URL of a file: the peers are looked up as Node looks up what it imports. One that is not there is not judged
 * @throws UsageError if a peer does not fit its range
 */
export function expectPeers(ranges: Readonly<Record<string, string>>, from: string): void {
  const misfits = REHEARSAL_PEERS.flatMap((name) => {
    const range = ranges[name];
    const version = installed(name, from);
    return range === undefined || version === undefined || fits(version, range) ? [] : [{ name, range, version }];
  });
  if (misfits.length === 0) return;
  const said = misfits.map(({ name, range, version }) => `${name} ${range}, and ${version} is installed`);
  const wanted = misfits.map(({ name, range }) => `'${name}@${range}'`);
  throw new UsageError(`pawl rehearse needs ${said.join('; ')}. Run: npm install --save-dev ${wanted.join(' ')}`);
}

interface PackageJson {
  readonly version?: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function packageAt(path: string | URL): PackageJson {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function installed(name: string, from: string): string | undefined {
  try {
    const path = nodeModule.findPackageJSON(name, from);
    return path === undefined ? undefined : packageAt(path).version;
  } catch {
    return undefined;
  }
}

/** Whether a version is in a range such as `^2.4.0`, of a major version from 1 on. */
function fits(version: string, range: string): boolean {
  const [major = 0, minor = 0, patch = 0] = numbersOf(version);
  const [wantedMajor = 0, wantedMinor = 0, wantedPatch = 0] = numbersOf(range);
  if (major !== wantedMajor) return false;
  return minor > wantedMinor || (minor === wantedMinor && patch >= wantedPatch);
}

function numbersOf(text: string): readonly number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}
