import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endOnSignals } from '../../../lib/rehearsal/end-on-signals.ts';
import { rehearsal } from '../../../lib/rehearsal/file/define.ts';
import { findApp, loadRehearsal } from '../../../lib/rehearsal/file/load.ts';
import { DEFAULT_FAULTS } from '../../../lib/rehearsal/file/plan.ts';
import type { RehearsalResult } from '../../../lib/rehearsal/file/result.ts';
import { runRehearsal } from '../../../lib/rehearsal/file/run.ts';
import { createProgress } from '../../../lib/rehearsal/progress.ts';
import { installVersion, projectOf, rehearsalOf } from '../../../test/support/apps.ts';
import { MissingHistoryError } from './checkout.ts';
import { packVersion } from './packed.ts';

/*
 * npm run campaign:deploy: an app that is not the shop is rehearsed, and deployed in the middle of its traffic. Before the deployment its
 * function has an earlier version of pawl from git's history, which writes records of another schema, and parks what is in doubt. After it,
 * the function has this version, and asks the provider.
 *
 *   --older <commit>   the earlier version                                    (41b56fa, the last one that wrote records without a revision)
 *   --seeds <n>        how many rehearsals                                    (20)
 *   --first <n>        the first seed                                         (1)
 *   --back             the earlier version is deployed again, and then this one
 */

const { values } = parseArgs({
  options: {
    older: { type: 'string', default: '41b56fa' },
    seeds: { type: 'string', default: '20' },
    first: { type: 'string', default: '1' },
    back: { type: 'boolean', default: false },
  },
});

const progress = createProgress(process.stderr);
endOnSignals(() => progress.end());

/** Rehearses the deployment with one seed. */
async function rehearse(installed: string, seed: number): Promise<RehearsalResult> {
  const project = projectOf('invoices');
  try {
    const earlier = join(project.without, 'earlier');
    // Only the handler's own: what the stack makes is what a deployment has made before the new code arrives.
    installVersion(join(earlier, 'functions'), installed);
    const file = rehearsalOf(project.withPawl);
    const { options } = await loadRehearsal(file);
    const [before, now] = [{ app: earlier }, { app: project.withPawl }];
    const deploys = values.back ? [now, before, now] : [now];
    const faults = { ...DEFAULT_FAULTS, deploy: deploys.length };
    return await runRehearsal(rehearsal({ ...options, deploys, faults }), {
      seed,
      app: await findApp(earlier, file),
      onStarting: (what) => progress.update(`seed ${seed}: ${what} …`),
      onLook: ({ seconds, left }) => progress.update(`seed ${seed}: ${seconds.toFixed(0)} s, ${left} messages left`),
    });
  } finally {
    rmSync(project.without, { recursive: true, force: true });
  }
}

function told(result: RehearsalResult): string {
  const { seed, faults, deployments, seconds, effects, deadLettered, left } = result;
  const [{ intents, done, doubled, lost, parked, setAside, unfinished } = noEffect()] = effects;
  return [
    `seed ${seed}: ${deployments} deployments; ${faults.kill} killed, ${faults.freeze} frozen, ${faults.provider} provider faults, ${faults.loseAnswer} lost responses;`,
    `of ${intents}: ${done} done, ${doubled.length} doubled, ${lost.length} lost, ${unfinished.length + left} left, ${parked.length} parked, ${setAside.length} set aside;`,
    `${deadLettered} dead letters; ${seconds.toFixed(0)} s`,
  ].join(' ');
}

function noEffect(): never {
  throw new Error('The rehearsal has no effect.');
}

async function main(): Promise<number> {
  progress.update(`packing ${values.older} …`);
  await using older = await packVersion(values.older);
  progress.say(`${values.older}: tarball with SHA-1 ${older.shasum}`);
  let bad = 0;
  for (let index = 0; index < Number(values.seeds); index += 1) {
    const result = await rehearse(older.installed, Number(values.first) + index);
    progress.say(told(result));
    for (const { intent, problem, story } of result.harmed)
      progress.say([`${intent}: ${problem}`, ...story].join('\n'));
    if (!result.good || result.deployments === 0) bad += 1;
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
