import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { entryOfName, makeReports } from '../api.ts';
import type { Release } from './last.ts';
import { licenceProblems, licencesOf, readLock, summaryOf } from './licences.ts';
import { allManifestChanges, type Manifests } from './manifest.ts';
import { recordAdditions, recordProblems } from './record-changes.ts';
import { readRecords, writeRecords } from './records.ts';
import { sbomOf } from './sbom.ts';
import { packedNow, sizesNow } from './sizes.ts';
import { type Change, changesBetween, type Reports } from './surface.ts';
import { tarballProblems } from './tarball.ts';
import { isNamed, isNamedAsBreaking, isOfNewRecord, stepOf } from './version.ts';

/*
 * The parts of a dry run, in their order. Each says what stops the release, and what its maintainer is to read.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
/** What a release has besides its package. */
const output = join(root, '.pawl/release');

/** What a part has found: what stops the release, and what the maintainer is to read. */
interface Found {
  readonly stops: readonly string[];
  readonly notes: readonly string[];
}

export interface Context {
  readonly last: Release;
  readonly version: string;
  readonly manifests: Manifests;
  /** The entry of the changelog, and whether it is the version's own. */
  readonly entry: string;
  readonly isFinal: boolean;
}

export type Part = (context: Context) => Found | Promise<Found>;

function version({ last, version: now, entry, isFinal }: Context): Found {
  const step = stepOf(last.version, now);
  const stops: string[] = [];
  if (step === undefined)
    stops.push(
      `the version ${now} is not above the last one, ${last.version}: npm version --no-git-tag-version <version>`,
    );
  if (entry === '') stops.push(`CHANGELOG.md has no entry ${isFinal ? `## ${now} (<date>)` : '## Unreleased'}`);
  return { stops, notes: [`${last.version} → ${now}: may contain ${allowedBy(step)}`] };
}

function allowedBy(step: ReturnType<typeof stepOf>): string {
  if (step === 'breaking') return 'breaking changes that the changelog names, additions, fixes';
  return step === 'addition' ? 'additions, fixes' : 'fixes';
}

/** Of what is promised in types and in package.json. */
function surface({ last, version: number, manifests, entry }: Context): Found {
  const reports: Reports = new Map(makeReports().map(([name, report]) => [entryOfName(name), report]));
  const changes = [...allManifestChanges(last.manifests, manifests), ...changesBetween(last.reports, reports)];
  const step = stepOf(last.version, number);
  const of = (kind: Change['kind']) => changes.filter((change) => change.kind === kind);
  const stops = [
    ...of('breaking').flatMap(({ names, text }) => [
      ...(step === 'breaking' ? [] : [`${text}: a breaking change, and ${number} may have none`]),
      ...(isNamedAsBreaking(entry, names)
        ? []
        : [`${text}: a breaking change, and no **Breaking** line of the changelog names \`${names.at(-1)}\``]),
    ]),
    ...of('changed')
      .filter(({ names }) => !isNamed(entry, names))
      .map(
        ({ names, text }) =>
          `${text}: a change that may break its users, and the changelog does not name \`${names.at(-1)}\``,
      ),
  ];
  if (step === 'fix')
    stops.push(...of('addition').map(({ text }) => `${text}: an addition, and ${number} may have none`));
  const counts = (['breaking', 'changed', 'internal', 'addition'] as const).map((kind) => `${of(kind).length} ${kind}`);
  return {
    stops,
    notes: [
      `compared with ${last.version}: ${counts.join(', ')}`,
      ...of('internal').map(({ text }) => `look at it: ${text}, which no entry exports`),
    ],
  };
}

/** Of what lies in tables. */
async function records({ last, version: number, entry }: Context): Promise<Found> {
  const now = await writeRecords();
  const newRecord = stepOf(last.version, number) === 'breaking' && isOfNewRecord(entry);
  const problems = recordProblems(last.records, now, await readRecords(last.records), { newRecord });
  const both = `${Object.keys(last.records).length} items of ${last.version}, ${Object.keys(now).length} of this version`;
  return {
    stops: problems.map(
      (text) => `${text}. Records of both versions are in one table for 30 days and longer: VERSIONING.md`,
    ),
    notes: [both, ...recordAdditions(last.records, now)],
  };
}

function tarball({ version: number, manifests, isFinal }: Context): Found {
  const tag = number.includes('-') ? ' --tag next' : '';
  const packed = [...packedNow(root)];
  return {
    stops: packed.flatMap(([name, { files }]) => {
      const manifest = manifests[name];
      return manifest === undefined ? [] : tarballProblems(files, manifest, root).map((text) => `${name}: ${text}`);
    }),
    notes: [
      ...packed.flatMap(([, { filename, files, bytes, shasum, integrity }]) => [
        `${filename}: ${files.size} files, ${bytes.toLocaleString('en-US')} bytes`,
        `shasum ${shasum}`,
        `integrity ${integrity}`,
        `to publish, from the workflow that the tag starts: npm publish ${filename} --access public --provenance${tag}`,
      ]),
      ...(isFinal ? [] : ['this is no final run: --final also asks for the changelog entry of this version']),
    ],
  };
}

function sizes({ last }: Context): Found {
  const now = sizesNow(root);
  const line = (what: string, bytes: number, before: number | undefined) =>
    `${what.padEnd(38)}${bytes.toLocaleString('en-US').padStart(12)}${before === undefined ? '' : `   ${signed(bytes - before)}`}`;
  return {
    stops: [],
    notes: [
      line('tarballs, bytes', now.tarballBytes, last.sizes.tarballBytes),
      line('unpacked, bytes', now.unpackedBytes, last.sizes.unpackedBytes),
      line('files', now.files, last.sizes.files),
      ...Object.entries(now.bundles).map(([name, { minifiedBytes }]) =>
        line(`${name}, minified`, minifiedBytes, last.sizes.bundles[name]?.minifiedBytes),
      ),
    ],
  };
}

function signed(difference: number): string {
  return difference === 0 ? 'as before' : `${difference > 0 ? '+' : ''}${difference.toLocaleString('en-US')}`;
}

function licences(): Found {
  const found = licencesOf(readLock(root));
  return {
    stops: licenceProblems(found),
    notes: [`${found.length} packages that are shipped or peers: ${summaryOf(found)}`],
  };
}

function sbom({ version: number }: Context): Found {
  const lock = readLock(root);
  const found = licencesOf(lock);
  const bill = sbomOf(lock, found);
  mkdirSync(output, { recursive: true });
  const path = join(output, `pawl-${number}.cdx.json`);
  writeFileSync(path, `${JSON.stringify(bill, undefined, 2)}\n`);
  const known = new Set(bill.components.map(({ name, version: of }) => `${name}@${of}`));
  return {
    stops: found
      .filter(({ name, version: of }) => !known.has(`${name}@${of}`))
      .map(({ name }) => `${name} is not in the bill of materials`),
    notes: [`${bill.components.length} components (CycloneDX), to attach to the release: ${path.slice(root.length)}`],
  };
}

/** A deployment and a rollback under load, side by side with the last version: `npm run campaign -- versions`, small. */
function upgrade({ last }: Context): Found {
  const options = ['--older', last.commit, '--orders', '12', '--only', 'forward, rollback, as-written'];
  const { status, stderr } = spawnSync(process.execPath, ['proof/campaign/versions/main.ts', ...options], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return {
    stops:
      status === 0
        ? []
        : [`an upgrade from ${last.version} (${last.commit}), or a way back, lost or doubled something`],
    // Of a run that is in order, what came of it: the rest is how far it was.
    notes:
      status === 0
        ? lines.filter((line) => / after a redrive | runs$/.test(line)).map((line) => line.trim())
        : lines.slice(-40),
  };
}

export const parts: Readonly<Record<string, Part>> = {
  version,
  surface,
  records,
  tarball,
  sizes,
  licences,
  sbom,
  upgrade,
};
