import { parseArgs } from 'node:util';
import { endOnSignals } from '../../../lib/rehearsal/end-on-signals.ts';
import { createProgress } from '../../../lib/rehearsal/progress.ts';
import { bundleOther } from '../../../shop/protection/changed-bundle.ts';
import { checkOut, MissingHistoryError } from './checkout.ts';
import { type DeploymentOptions, type DeploymentResult, type Direction, runDeployment } from './deployment.ts';

/*
 * npm run campaign:versions: a deployment and a rollback under load, between a version of git's history and this one. Both versions
 * of the functions work on the same tables and queues, while workers are killed.
 *
 *   --older <commit>   the earlier version                        (41b56fa, the last one that wrote records without a revision)
 *   --orders <n>       how many orders each run has               (60)
 *   --kill <share>     share of orders that kill a sandbox        (0.1)
 *   --seed <n>         the first seed; each run takes the next    (1)
 *   --minutes <n>      start no run after so many minutes         (10)
 *   --rounds <n>       how often each of the four runs is made    (1)
 */

const { values } = parseArgs({
  options: {
    older: { type: 'string', default: '41b56fa' },
    orders: { type: 'string', default: '60' },
    kill: { type: 'string', default: '0.1' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '1' },
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
  const project = await checkOut(values.older);
  const bundles = new Map<string, Promise<string | undefined>>();
  const older: DeploymentOptions['older'] = async (source, protection) => {
    // The function of 41b56fa permanently refuses a call that the processor repeats with another attempt number, whatever version runs beside it.
    if (source === 'payment-callback') return undefined;
    const name = `${source} ${protection}`;
    const bundle = bundles.get(name) ?? bundleOther(project, source, protection);
    bundles.set(name, bundle);
    return bundle;
  };
  const results: DeploymentResult[] = [];
  const wanted = Array.from({ length: Number(values.rounds) }, () => runs).flat();
  for (const [index, [direction, protection]] of wanted.entries()) {
    if (Date.now() >= until) break;
    progress.say(`${index + 1} of ${wanted.length}: ${direction}, ${protection}, seed ${Number(values.seed) + index}`);
    const result = await runDeployment({
      direction,
      protection,
      older,
      orders: Number(values.orders),
      killShare: Number(values.kill),
      seed: Number(values.seed) + index,
      progress,
    });
    results.push(result);
    progress.say(
      `  ${result.killed} killed, ${result.timedOut} timed out, ${result.refusals} records refused by ${values.older}; ${result.deadLettered} messages dead-lettered by SQS: ` +
        `${result.deadLetteredByOlder} with a record that it had refused, ${result.deadLetteredDone} whose effect had happened; after a redrive ${result.lost} lost, ${result.doubled} doubled, in ${result.seconds} s`,
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
