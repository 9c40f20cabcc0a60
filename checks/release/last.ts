import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from './manifest.ts';
import type { Records } from './record-changes.ts';
import type { Reports } from './surface.ts';

/** What is kept of a release, so that the next one can be compared with it. */
export interface Release {
  readonly version: string;
  /** Where git has it: the upgrade test packs it from there. */
  readonly commit: string;
  readonly manifest: Manifest;
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

const FOLDER = 'checks/release/last';

export function readRelease(root: string): Release {
  const folder = join(root, FOLDER);
  if (!existsSync(folder))
    throw new Error(`${FOLDER} is missing: it has what the last release was. RELEASING.md says how it is written.`);
  const json = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const { version, commit, sizes } = json('release.json');
  const reports = readdirSync(join(folder, 'api')).map(
    (file) => [entryOfReport(file), readFileSync(join(folder, 'api', file), 'utf8')] as const,
  );
  return {
    version,
    commit,
    sizes,
    manifest: json('manifest.json'),
    records: json('records.json'),
    reports: new Map(reports),
  };
}

export function writeRelease(root: string, { version, commit, sizes, manifest, records, reports }: Release): void {
  const folder = join(root, FOLDER);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'api'), { recursive: true });
  const json = (file: string, value: unknown) =>
    writeFileSync(join(folder, file), `${JSON.stringify(value, undefined, 2)}\n`);
  json('release.json', { version, commit, sizes });
  json('manifest.json', manifest);
  json('records.json', records);
  for (const [entry, report] of reports) writeFileSync(join(folder, 'api', reportOfEntry(entry)), report);
}

/** `pawl/sqs` of `pawl-sqs.api.md`: as its first line has it. */
function entryOfReport(file: string): string {
  return file.replace(/\.api\.md$/, '').replaceAll('-', '/');
}

function reportOfEntry(entry: string): string {
  return `${entry.replaceAll('/', '-')}.api.md`;
}
