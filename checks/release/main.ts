import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readRelease } from './last.ts';
import { promises } from './manifest.ts';
import { type Context, type Part, parts } from './parts.ts';
import { entryOf } from './version.ts';

/*
 * npm run release -- dry: goes through a release to the point at which it would be published, and compares it with the last one (`last/`).
 *
 *   --only <parts>      of version, surface, records, tarball, sizes, licences, sbom, upgrade, only these
 *   --without <parts>   all but these
 *   --final             as on the day of the release: the changelog must have an entry of the version's own
 *
 * It publishes nothing, and needs no registry. RELEASING.md says what to do with what it finds.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What this version is compared with, and what it says of itself. */
function contextOf(isFinal: boolean): Context {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const own = entryOf(changelog, version);
  const entry = own ?? (isFinal ? '' : (entryOf(changelog, 'Unreleased') ?? ''));
  return { last: readRelease(root), version, manifests: promises(), entry, isFinal };
}

function wantedParts(only: string | undefined, without: string | undefined): readonly string[] {
  const named = (list: string) => list.split(',').map((name) => name.trim());
  const unknown = [only, without]
    .flatMap((list) => (list === undefined ? [] : named(list)))
    .filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length > 0)
    throw new Error(`There is no part ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`);
  const left = without === undefined ? [] : named(without);
  return Object.keys(parts).filter(
    (name) => (only === undefined || named(only).includes(name)) && !left.includes(name),
  );
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, without: { type: 'string' }, final: { type: 'boolean', default: false } },
  });
  const context = contextOf(values.final);
  let stopped = 0;
  for (const name of wantedParts(values.only, values.without)) {
    const begun = performance.now();
    const { stops, notes } = await (parts[name] as Part)(context);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    console.log(`\n== ${name}: ${stops.length === 0 ? 'in order' : 'STOPS THE RELEASE'} (${seconds} s)`);
    for (const note of notes) console.log(`   ${note}`);
    for (const stop of stops) console.error(`   STOP: ${stop}.`);
    stopped += stops.length;
  }
  console.log(stopped === 0 ? '\nNothing stops this release.' : `\n${stopped} reasons stop this release.`);
  // What the records' handlers left under way never ends.
  process.exit(stopped === 0 ? 0 : 1);
}
