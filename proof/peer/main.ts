import { readFileSync } from 'node:fs';
import type { Finding } from '../../lib/testing/index.ts';
import { type ComparedReport, cases, compare, deliveries } from './compare.ts';

/*
 * node proof/peer/main.ts [max]: the tables of docs/evidence/peer.md.
 */

const max = Number(process.argv[2] ?? 3000);
const manifest = new URL('../../node_modules/@aws-lambda-powertools/idempotency/package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, 'utf8'));

/** Runs in which at least one message came to this harm. */
const runsWith = (findings: readonly Finding[]) => new Set(findings.map(({ faults }) => JSON.stringify(faults))).size;

function row(
  name: string,
  { runs, skipped, boundaries, doubled, lost, stuck, fates, singles }: ComparedReport,
): string {
  const single = doubled.filter(({ faults }) => faults.length === 1);
  const cells = [
    name,
    boundaries.length,
    `${runsWith(single)} of ${singles}`,
    `${runsWith(doubled)} of ${runs}`,
    runsWith(lost),
    runsWith(stuck),
    fates.acknowledged,
    fates.parked,
    fates.deadLettered,
    skipped,
  ];
  return `| ${cells.join(' | ')} |`;
}

console.log(`Powertools ${version}\n`);
for (const honoursKeys of [false, true]) {
  for (const [delivery, batchSize] of Object.entries(deliveries)) {
    console.log(`### A provider that ${honoursKeys ? 'honours' : 'ignores'} keys; ${delivery}\n`);
    console.log(
      '| | boundaries | single faults that doubled | runs that doubled | runs that lost | stuck | acknowledged | parked | dead-lettered | pairs left out |',
    );
    console.log('|---|---|---|---|---|---|---|---|---|---|');
    for (const one of cases) console.log(row(one.name, await compare(one, { honoursKeys, batchSize, max })));
    console.log('');
  }
}
