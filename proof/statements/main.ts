import { parseArgs } from 'node:util';
import { runStatementCampaign, type StatementCampaignResult } from './campaign.ts';
import { type InTable, inDynamoDb } from './in-dynamodb.ts';

/**
 * `npm run campaign -- statements --lines 1000000`: a statement of so many lines against as many claims, with 25 planted findings, in a process that is
 * killed 20 times; and the same of 10,000 lines, whose memory it is compared with.
 *
 * With `--dynamodb`, the claims are in DynamoDB Local, and the process that is killed has a client of its own. Take fewer lines then.
 */
const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '1000000' },
    findings: { type: 'string', default: '25' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    dynamodb: { type: 'boolean', default: false },
  },
});
const [lines, findings, kills, seed] = [values.lines, values.findings, values.kills, values.seed].map(Number) as [
  number,
  number,
  number,
  number,
];

let said = 0;
function onProgress(text: string): void {
  if (Date.now() - said < 5000) return;
  said = Date.now();
  console.error(text);
}

async function runAll(inTable: InTable): Promise<readonly [StatementCampaignResult, StatementCampaignResult]> {
  const small = await inTable({ lines: 10_000, findings, kills: 0, seed, onProgress });
  return [small, await inTable({ lines, findings, kills, seed, onProgress })];
}

const [small, large] = values.dynamodb
  ? await inDynamoDb((inTable) => runAll(inTable))
  : await runAll(runStatementCampaign);
const ratio = large.peakMb / small.peakMb;
const isExact = [small, large].every(({ expected, found }) => expected.join() === found.join());
for (const { lines: of, kills: killed, report, found, peakMb, seconds } of [small, large]) {
  console.log(
    `${of} lines: killed ${killed} times, ${found.length} findings, ${report.settled} completed by a line, peak ${peakMb.toFixed(0)} MB, ${seconds} s`,
  );
}
console.log(`The claims are in ${values.dynamodb ? 'DynamoDB Local' : 'a map'}.`);
console.log(
  `${isExact ? 'Exactly what was planted was found' : `Not what was planted: ${large.found.join(', ')}`}; memory ${ratio.toFixed(2)} times that of 10,000 lines.`,
);
if (!isExact || ratio > 1.5) process.exitCode = 1;
