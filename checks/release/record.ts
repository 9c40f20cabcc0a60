import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeReports } from '../api.ts';
import { writeRelease } from './last.ts';
import { promisesOf } from './manifest.ts';
import { writeRecords } from './records.ts';
import { sizesNow } from './sizes.ts';

/*
 * npm run release:record: keeps what this commit is, in `last/`, as the release that the next one is compared with. RELEASING.md says when.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [version] = process.argv.slice(2);
const manifest = promisesOf(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
writeRelease(ROOT, {
  version: version ?? manifest.version,
  commit: execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim(),
  manifest,
  reports: new Map(makeReports().map(([name, report]) => [name.replaceAll('-', '/'), report])),
  records: await writeRecords(),
  sizes: sizesNow(ROOT),
});
console.log(`checks/release/last has ${version ?? manifest.version}. Commit it.`);
// What the records' handlers left under way never ends.
process.exit();
