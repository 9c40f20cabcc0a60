import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { entryOfName, makeReports } from '../api.ts';
import { packages } from '../packages.ts';
import { writeRelease } from './last.ts';
import { promises } from './manifest.ts';
import { writeRecords } from './records.ts';
import { sizesNow } from './sizes.ts';

/*
 * npm run release -- record: keeps what this commit is, in `last/`, as the release that the next one is compared with. RELEASING.md says when.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const [version = packages[0]?.manifest.version ?? ''] = process.argv.slice(2);
writeRelease(root, {
  version,
  commit: execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
  manifests: promises(),
  reports: new Map(makeReports().map(([name, report]) => [entryOfName(name), report])),
  records: await writeRecords(),
  sizes: sizesNow(root),
});
console.log(`checks/release/last has ${version}. Commit it.`);
// What the records' handlers left under way never ends.
process.exit();
