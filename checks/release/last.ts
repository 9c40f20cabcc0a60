import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entryOfName, nameOfEntry } from '../api.ts';
import type { Manifests } from './manifest.ts';
import type { Records } from './record-changes.ts';
import type { Reports } from './surface.ts';

/** What is kept of a release, so that the next one can be compared with it. */
export interface Release {
  readonly version: string;
  /** Where git has it: the upgrade test packs it from there. */
  readonly commit: string;
  readonly manifests: Manifests;
  readonly reports: Reports;
  readonly records: Records;
  readonly sizes: Sizes;
}

export interface Sizes {
  readonly tarballBytes: number;
  readonly unpackedBytes: number;
  readonly files: number;
  /** Of each plain consumer: `checks/sizes.json`. */
  readonly bundles: Readonly<Record<string, { readonly minifiedBytes: number; readonly gzippedBytes: number }>>;
}

const lastFolder = 'checks/release/last';

export function readRelease(root: string): Release {
  const folder = join(root, lastFolder);
  if (!existsSync(folder))
    throw new Error(`${lastFolder} is missing: it has what the last release was. RELEASING.md says how it is written.`);
  const json = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const { version, commit, sizes } = json('release.json');
  const reports = readdirSync(join(folder, 'api')).map(
    (file) => [entryOfReport(file), readFileSync(join(folder, 'api', file), 'utf8')] as const,
  );
  return {
    version,
    commit,
    sizes,
    manifests: json('manifests.json'),
    records: json('records.json'),
    reports: new Map(reports),
  };
}

export function writeRelease(root: string, { version, commit, sizes, manifests, records, reports }: Release): void {
  const folder = join(root, lastFolder);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'api'), { recursive: true });
  const json = (file: string, value: unknown) =>
    writeFileSync(join(folder, file), `${JSON.stringify(value, undefined, 2)}\n`);
  json('release.json', { version, commit, sizes });
  json('manifests.json', manifests);
  json('records.json', records);
  for (const [entry, report] of reports) writeFileSync(join(folder, 'api', reportOfEntry(entry)), report);
}

/** `pawl/sqs` of `pawl-sqs.api.md`, `@pawl/cdk` of `pawl-cdk.api.md`. */
function entryOfReport(file: string): string {
  return entryOfName(file.replace(/\.api\.md$/, ''));
}

function reportOfEntry(entry: string): string {
  return `${nameOfEntry(entry)}.api.md`;
}
