import { isInShare } from '../../lib/pawl/rules/share.ts';
import type { FleetResult, Run } from '../fleet/fleet.ts';

/**
 * What must be true while the share of the keys that pawl enforces is raised and lowered.
 *
 * 1. A key is enforced if it is in the share of its worker, and in no other case.
 * 2. A key whose every delivery was enforced has its effect once at most.
 * 3. An observed run of a key that enforcement had before is reported, unless its worker was killed.
 * 4. What was observed to end is remembered: enforcement never runs the key again.
 * 5. Each message has its effect, or its claim is parked.
 */

export interface Judged {
  readonly problems: readonly string[];
  /** The keys whose every delivery was enforced, and that were delivered more than once. */
  readonly enforced: number;
  /** The keys that were observed beside enforcement. */
  readonly mixed: number;
  /** The effects that were applied again, of keys that were observed. */
  readonly doubledObserved: number;
}

type ShareRun = Run<string>;

export const operation = 'mail';

/** @param parked the keys that are parked in the end */
export function judge({ keys, runs }: FleetResult<string>, parked: ReadonlySet<string>): Judged {
  const problems: string[] = [];
  const counts = { enforced: 0, mixed: 0, doubledObserved: 0 };
  const byKey = Map.groupBy(runs, ({ key }) => key);
  for (const key of keys) {
    const all = byKey.get(key) ?? [];
    const effects = all.filter(({ effectAt }) => effectAt !== undefined).length;
    for (const run of all)
      if (run.asked !== undefined && (run.asked.fence === 0) === isEnforced(run))
        problems.push(`${key} ran with the fence ${run.asked.fence}, at a share of ${run.kind}`);
    if (all.every(isEnforced)) {
      if (all.length > 1) counts.enforced += 1;
      if (effects > 1) problems.push(`${key} was enforced at each delivery, and has ${effects} effects`);
    } else counts.doubledObserved += Math.max(0, effects - 1);
    if (effects === 0 && !parked.has(key)) problems.push(`${key} has no effect, and is not parked`);
    const beside = all.filter((run) => all.some((other) => isHeldBefore(other, run)));
    if (beside.length > 0) counts.mixed += 1;
    for (const { end, kind } of beside)
      if (end?.how !== 'killed' && !isReported(end))
        problems.push(`${key} was observed at ${kind} beside its claim, without a word: ${storyOf(all)}`);
    if (all.some((run) => all.some((other) => isForgotten(other, run))))
      problems.push(`${key} was observed to end, and enforcement ran it again`);
  }
  return { problems, ...counts };
}

function isEnforced({ key, kind }: ShareRun): boolean {
  return isInShare(`${operation}#${key}`, Number(kind));
}

/** The runs of a key, for a person. */
function storyOf(runs: readonly ShareRun[]): string {
  const [first] = runs;
  const since = (at: number) => `${at - (first?.startedAt ?? 0)}`;
  return runs
    .map((run) => {
      const asked = run.asked === undefined ? '' : ` ran ${since(run.asked.at)}`;
      const end = run.end === undefined ? '' : ` ${run.end.how} ${since(run.end.at)} ${run.end.said.join('+')}`;
      return `${run.kind}${isEnforced(run) ? '!' : ''} ${since(run.startedAt)}${asked}${end}`;
    })
    .join(' | ');
}

/** Whether a worker of enforcement had the claim before an observed run began. */
function isHeldBefore(other: ShareRun, run: ShareRun): boolean {
  return isEnforced(other) && !isEnforced(run) && (other.asked?.at ?? Number.POSITIVE_INFINITY) < run.startedAt;
}

function isReported(end: ShareRun['end']): boolean {
  return end?.said.some((type) => type === 'observed-beside' || type === 'unseen') ?? false;
}

/** Whether enforcement ran what an observed run before it had ended, and had written down. */
function isForgotten(observed: ShareRun, run: ShareRun): boolean {
  const { end } = observed;
  const isSeen = end !== undefined && end.how !== 'killed' && !end.said.includes('unseen');
  return !isEnforced(observed) && isSeen && isEnforced(run) && run.asked !== undefined && end.at < run.startedAt;
}
