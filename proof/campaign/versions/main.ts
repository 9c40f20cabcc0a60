import { parseArgs } from 'node:util';
import { createProgress } from '../../../lib/rehearsal/progress.ts';
import { endOnSignals } from '../../../shop/end-on-signals.ts';
import { baseline, whyNoEarlier } from './baseline.ts';
import { MissingHistoryError } from './checkout.ts';
import { type DeploymentOptions, type DeploymentResult, type Direction, runDeployment } from './deployment.ts';
import { packVersion } from './packed.ts';

/*
 * npm run campaign -- versions: a deployment and a rollback under load, between a version of git's history and this one. Each is built
 * and packed as npm would publish it. Both versions of the functions work on the same tables and queues, while workers are killed.
 *
 *   --older <commit>   the earlier version                        (BASELINE of baseline.ts)
 *   --orders <n>       how many orders each run has               (60)
 *   --kill <share>     share of orders that kill a sandbox        (0.1)
 *   --seed <n>         the first seed; each run takes the next    (1)
 *   --minutes <n>      start no run after so many minutes         (10)
 *   --rounds <n>       how often each of the four runs is made    (1)
 *   --only <words>     of the four runs, those that are named     (forward, rollback, as-written, retry)
 */

const { values } = parseArgs({
  options: {
    older: { type: 'string', default: baseline },
    orders: { type: 'string', default: '60' },
    kill: { type: 'string', default: '0.1' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string', default: 'forward, rollback, as-written, retry' },
  },
});

const until = Date.now() + Number(values.minutes) * 60_000;
const progress = createProgress(process.stderr);
endOnSignals(() => progress.end());

/** 'as-written' has one consumer under `park` and one under `reconcile`. */
const runs: readonly (readonly [Direction, DeploymentOptions['protection']])[] = [
  ['forward', 'as-written'],
  ['rollback', 'as-written'],
  ['forward', 'retry'],
  ['rollback', 'retry'],
];

async function main(): Promise<number> {
  const why = whyNoEarlier(values.older);
  if (why !== undefined) {
    progress.say(why);
    return 0;
  }
  progress.update(`packing ${values.older} and this version …`);
  const older = await packVersion(values.older);
  const newer = await packVersion();
  progress.say(`${values.older}: tarball with SHA-1 ${older.shasum}; this version: tarball with SHA-1 ${newer.shasum}`);
  const results: DeploymentResult[] = [];
  const named = new Set(values.only.split(/[ ,]+/));
  // A run that is made alone has the seed that it has among the others.
  const wanted = Array.from({ length: Number(values.rounds) }, () => runs)
    .flat()
    .map(([direction, protection], index) => ({ direction, protection, seed: Number(values.seed) + index }))
    .filter(({ direction, protection }) => named.has(direction) && named.has(protection));
  for (const [index, run] of wanted.entries()) {
    if (Date.now() >= until) break;
    progress.say(`${index + 1} of ${wanted.length}: ${run.direction}, ${run.protection}, seed ${run.seed}`);
    const result = await runDeployment({
      ...run,
      older,
      newer,
      orders: Number(values.orders),
      killShare: Number(values.kill),
      progress,
    });
    results.push(result);
    progress.say(
      `  ${result.killed} killed, ${result.timedOut} timed out, ${result.refusals} records refused by ${values.older}; ${result.deadLettered} messages dead-lettered by SQS: ` +
        `${result.deadLetteredByOlder} with a record that it had refused, ${result.deadLetteredDone} whose effect had happened; after a redrive ${result.lost} lost, ${result.doubled} doubled, ${result.parked} parked, ${result.setAside} set aside, ${result.left} left, in ${result.seconds} s`,
    );
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
  progress.say(`${results.length} of ${wanted.length} runs`);
  return results.length === wanted.length && results.every((result) => result.isGood) ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  progress.end();
  if (!(error instanceof MissingHistoryError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
