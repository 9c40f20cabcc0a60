import type { FaultAt } from './faults.ts';
import type { EffectCount, SweepOptions } from './options.ts';
import type { Queued, SweptFate } from './queue.ts';
import type { Run } from './run.ts';

/** A message that came to harm in one run. */
export interface Finding {
  /**
   * `doubled`: an effect happened more than once. `lost`: the message was acknowledged, and an effect has not happened. `stuck`: it had
   * no end.
   */
  readonly problem: 'doubled' | 'lost' | 'stuck';
  /** From 1, in the order of `messages`. */
  readonly message: number;
  readonly fate: SweptFate;
  /** How often each effect of the message happened. */
  readonly effects: Readonly<Record<string, number>>;
  /** What went wrong in that run; nothing, if it was the one without faults. Hand it to `replay` to run it again. */
  readonly faults: readonly FaultAt[];
  /** What happened in that run, line by line, by the virtual clock. */
  readonly story: readonly string[];
}

/** How the messages of all runs ended. `parked` ones are in the dead-letter queue, because somebody has to decide. */
export interface Fates {
  acknowledged: number;
  parked: number;
  deadLettered: number;
  stuck: number;
}

/** What came to harm in a run. @throws whatever `effects` throws */
export function judge<Provider>(run: Run<Provider>, effectsOf: SweepOptions<Provider>['effects']): readonly Finding[] {
  const { faults, provider } = run;
  return run.messages.flatMap((one) => {
    const effects = countsOf(effectsOf(provider, one.message));
    const { fate = 'stuck', number: message } = one;
    const counts = Object.values(effects);
    const problems: Finding['problem'][] = [];
    if (counts.some((count) => count > 1)) problems.push('doubled');
    if (fate === 'acknowledged' && counts.some((count) => count < 1)) problems.push('lost');
    if (fate === 'stuck') problems.push('stuck');
    if (problems.length === 0) return [];
    const story = [...run.story, endOf(one, effects)];
    return problems.map((problem) => ({ problem, message, fate, effects, faults, story }));
  });
}

/** How often each effect happened, whichever way that was said. */
export function countsOf(counted: EffectCount): Readonly<Record<string, number>> {
  return typeof counted === 'number' ? { effect: counted } : counted;
}

function endOf({ number, fate, deadLetterReason }: Queued, effects: Finding['effects']): string {
  const counts = Object.entries(effects).map(([name, count]) => `${name} × ${count}`);
  const why = deadLetterReason === undefined ? '' : ` (${deadLetterReason})`;
  return `       end  message ${number}: ${fate}${why}; ${counts.join(', ')}`;
}

export function countFates(fates: Fates, messages: readonly Queued[]): void {
  for (const { fate, deadLetterReason } of messages) {
    if (fate === 'acknowledged' || fate === 'stuck') fates[fate]++;
    else if (deadLetterReason === 'parked') fates.parked++;
    else fates.deadLettered++;
  }
}
