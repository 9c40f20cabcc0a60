import { type Counts, countsOf, wantedOf } from './effects.ts';
import type { FaultAt } from './faults.ts';
import type { CrashSweepSettings } from './options.ts';
import type { Run } from './run.ts';
import { type Delivery, noReason, type Sent, type SweptFate, usedUp } from './traffic.ts';

/**
 * What harm came to a message.
 *
 * `doubled`: an effect happened more often than expected. `lost`: the message was acknowledged, and an effect has not happened; or it was
 * expected in the dead-letter queue. `out-of-order`: its effect happened before that of an earlier one of its group. `never-ran`: it is in
 * the dead-letter queue, and its handler was never called for it: what was delivered with it used up its receives. `dead-lettered`: it is
 * there (or its caller was refused) although nothing had gone wrong, or nothing that left its effect in doubt. `stuck`: it had no end.
 */
export type Problem = 'doubled' | 'lost' | 'out-of-order' | 'never-ran' | 'dead-lettered' | 'stuck';

/** Harm to one message in one run. */
export interface Finding {
  readonly problem: Problem;
  /** From 1, in the order of `messages`. */
  readonly message: number;
  readonly fate: SweptFate;
  /** How often each effect of the message happened. */
  readonly effects: Counts;
  /** How the traffic came in that run. */
  readonly delivery: Delivery;
  /** What went wrong in that run; nothing, if it was one without faults. Hand the finding to `replay` to run it again. */
  readonly faults: readonly FaultAt[];
  /** What happened in that run, line by line, by the virtual clock. */
  readonly story: readonly string[];
}

/** How the messages of all runs ended. `parked` ones are in the dead-letter queue, because an operator has to decide. */
export interface Fates {
  acknowledged: number;
  parked: number;
  deadLettered: number;
  stuck: number;
}

type Judging<Provider> = Pick<CrashSweepSettings<Provider>, 'effects' | 'expected'>;

/**
 * The messages that came to harm in a run.
 *
 * @param claimsOf the claims that a message has when it is alone; none, if its handler is not pawl's
 * @throws whatever `effects` and `expected` throw; TypeError when they return no counts
 */
export async function judge<Provider>(
  run: Run<Provider>,
  { effects, expected }: Judging<Provider>,
  claimsOf: (number: number) => Promise<ReadonlySet<string>>,
): Promise<readonly Finding[]> {
  const { faults, delivery, provider } = run;
  const findings: Finding[] = [];
  for (const one of run.messages) {
    const { message, number, fate = 'stuck' } = one;
    const counts = countsOf(effects(provider, message), message);
    const wanted = expected === undefined ? 1 : expected(provider, message);
    const problems = problemsOf(run, one, counts, wantedOf(wanted, counts, message), wanted === 'dead-letter');
    if (problems.length === 0) continue;
    const story = [...run.story, endOf(one, counts)];
    for (const found of problems) {
      const problem = found === 'dead-lettered' ? await whyDeadLettered(run, one, claimsOf) : found;
      if (problem !== undefined)
        findings.push({ problem, message: number, fate, effects: counts, delivery, faults, story });
    }
  }
  return findings;
}

function problemsOf<Provider>(
  run: Run<Provider>,
  { number, fate = 'stuck', deadLetterReason }: Sent,
  counts: Counts,
  wanted: Counts,
  belongsThere: boolean,
): readonly Problem[] {
  const names = Object.keys({ ...wanted, ...counts });
  const lacks = (name: string) => (counts[name] ?? 0) < (wanted[name] ?? 1);
  const problems: Problem[] = [];
  if (names.some((name) => (counts[name] ?? 0) > (wanted[name] ?? 1))) problems.push('doubled');
  if (fate === 'acknowledged' && (belongsThere || names.some(lacks))) problems.push('lost');
  if (run.outOfOrder.has(number)) problems.push('out-of-order');
  if (fate === 'stuck') problems.push('stuck');
  // A fault may leave it in doubt whether an effect happened; and each may cost a receive.
  const excused =
    run.faults.length > 0 &&
    (deadLetterReason === 'parked' || (deadLetterReason === usedUp && run.maxReceiveCount <= run.faults.length));
  if (fate === 'dead-lettered' && !belongsThere && !excused) problems.push('dead-lettered');
  return problems;
}

/** What it was that brought a message to the dead-letter queue; nothing, if it was left in doubt there. */
async function whyDeadLettered<Provider>(
  { attended, parked, faults }: Run<Provider>,
  { number, deadLetterReason, wasSeen }: Sent,
  claimsOf: (number: number) => Promise<ReadonlySet<string>>,
): Promise<'dead-lettered' | 'never-ran' | undefined> {
  if (deadLetterReason !== usedUp && deadLetterReason !== noReason) return 'dead-lettered';
  const claims = [...(await claimsOf(number))];
  // Where pawl has no queue to put it, what is parked fails until the queue's own redrive policy moves it. Where its copy could not be
  // sent, pawl sends it again without the reason.
  if (faults.length > 0 && claims.some((id) => parked.has(id))) return undefined;
  if (deadLetterReason === noReason) return 'dead-lettered';
  // A handler without claims that looks at a message is at work on it. pawl looks at all of them first.
  const ran = claims.length === 0 ? wasSeen : claims.some((id) => attended.has(id));
  return ran ? 'dead-lettered' : 'never-ran';
}

function endOf({ number, fate = 'stuck', deadLetterReason }: Sent, effects: Counts): string {
  const counts = Object.entries(effects).map(([name, count]) => `${name} × ${count}`);
  const why = deadLetterReason === undefined ? '' : ` (${deadLetterReason})`;
  return `       end  message ${number}: ${fate}${why}; ${counts.join(', ')}`;
}

export function countFates(fates: Fates, messages: readonly Sent[]): void {
  for (const { fate = 'stuck', deadLetterReason } of messages) {
    if (fate !== 'dead-lettered') fates[fate]++;
    else if (deadLetterReason === 'parked') fates.parked++;
    else fates.deadLettered++;
  }
}
