import { parseArgs } from 'node:util';
import { BrokenFunctionError } from '../../../lib/rehearsal/file/broken.ts';
import { createProgress } from '../../../lib/rehearsal/progress.ts';
import { endOnSignals } from '../../../shop/end-on-signals.ts';
import { baseline, whyNoEarlier } from './baseline.ts';
import { MissingHistoryError } from './checkout.ts';
import { packVersion } from './packed.ts';
import { type RehearsedDeployment, rehearseDeployment } from './rehearsed-deployment.ts';

/*
 * npm run campaign -- deploy: rehearsals of an app that is not the shop, each with a deployment in the middle of its traffic: from an earlier
 * version of pawl, and another policy, to this one.
 *
 *   --older <commit>   the earlier version                                    (BASELINE of baseline.ts)
 *   --seeds <n>        how many rehearsals                                    (20)
 *   --first <n>        the first seed                                         (1)
 *   --back             the earlier version is deployed again, and then this one
 */

const { values } = parseArgs({
  options: {
    older: { type: 'string', default: baseline },
    seeds: { type: 'string', default: '20' },
    first: { type: 'string', default: '1' },
    back: { type: 'boolean', default: false },
  },
});

const progress = createProgress(process.stderr);
endOnSignals(() => progress.end());

function told({ result, schemas }: RehearsedDeployment): string {
  const { seed, faults, deployments, seconds, effects, deadLettered, left } = result;
  const sum = (list: 'doubled' | 'lost' | 'unfinished' | 'parked' | 'setAside') =>
    effects.reduce((total, effect) => total + effect[list].length, 0);
  const records = Object.entries(schemas).map(([schema, count]) => `${count} of schema ${schema}`);
  return [
    `seed ${seed}: ${deployments} deployments, records: ${records.join(', ')};`,
    `${faults.kill} killed, ${faults.freeze} frozen, ${faults.provider} calls of the provider and ${faults.loseAnswer} writes went wrong;`,
    `${sum('doubled')} doubled, ${sum('lost')} lost, ${sum('unfinished') + left} left, ${sum('parked')} parked, ${sum('setAside')} set aside;`,
    `${deadLettered} dead letters; ${seconds.toFixed(0)} s`,
  ].join(' ');
}

/** On a machine that is too busy, a function may miss its timeout at each cold start. Then nothing was rehearsed, and the seed is tried again. */
async function rehearsedAt(seed: number, installed: string, triesLeft = 3): Promise<RehearsedDeployment> {
  try {
    return await rehearseDeployment({
      seed,
      installed,
      back: values.back,
      onStarting: (what) => progress.update(`seed ${seed}: ${what} …`),
      onLook: ({ seconds, left }) => progress.update(`seed ${seed}: ${seconds.toFixed(0)} s, ${left} messages left`),
    });
  } catch (error) {
    if (!(error instanceof BrokenFunctionError) || triesLeft === 0) throw error;
    progress.say(`seed ${seed}: the function did not start in time; once more`);
    return rehearsedAt(seed, installed, triesLeft - 1);
  }
}

async function main(): Promise<number> {
  const why = whyNoEarlier(values.older);
  if (why !== undefined) {
    progress.say(why);
    return 0;
  }
  progress.update(`packing ${values.older} …`);
  await using older = await packVersion(values.older);
  progress.say(`${values.older}: tarball with SHA-1 ${older.shasum}`);
  let bad = 0;
  for (let index = 0; index < Number(values.seeds); index += 1) {
    const seed = Number(values.first) + index;
    const rehearsed = await rehearsedAt(seed, older.installed);
    progress.say(told(rehearsed));
    const { result } = rehearsed;
    for (const { intent, problem, story } of result.harmed)
      progress.say([`${intent}: ${problem}`, ...story].join('\n'));
    // Without a deployment, one of the versions has done nothing.
    if (!result.good || result.deployments < 1) bad += 1;
  }
  progress.say(bad === 0 ? '0 lost, 0 doubled' : `${bad} of ${values.seeds} rehearsals are not good`);
  return bad === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  progress.end();
  if (!(error instanceof MissingHistoryError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
