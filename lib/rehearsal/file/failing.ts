import { plural } from '../../kernel/plural.ts';
import type { Journal } from './journal.ts';

/*
 * Which functions keep failing while their messages are waited for. Time may still heal that, such as the end of a lease, so the rehearsal waits, and says
 * what for.
 */

/** A function that has failed several times in a row, and a queue whose messages wait for it. */
export interface Failing {
  readonly function: string;
  readonly times: number;
  readonly queue: string;
  /** How many messages the queue holds. */
  readonly messages: number;
  readonly hasDeadLetters: boolean;
}

/** So many failures in a row are worth a word. */
export const KEEPS_FAILING = 3;

/** How often each function, by its construct, has failed since it last succeeded. What the rehearsal killed or stalled says nothing of it. */
export function failuresInARow({ entries }: Pick<Journal, 'entries'>): ReadonlyMap<string, number> {
  const disturbed = new Set<string>();
  const times = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === 'killed' || entry.kind === 'stalled') disturbed.add(entry.sandbox);
    if (entry.kind !== 'ended' || disturbed.delete(entry.sandbox)) continue;
    const { construct, outcome, failed, intents } = entry;
    const hasFailed = outcome.kind !== 'response' || (failed.size > 0 && failed.size >= intents.length);
    times.set(construct, hasFailed ? (times.get(construct) ?? 0) + 1 : 0);
  }
  return times;
}

/** In a few words, for a line of progress. */
export function sayFailing(failing: readonly Failing[]): string {
  return failing
    .map(({ function: name, times, queue, messages, hasDeadLetters }) => {
      const left = `${plural(messages, 'message')} of ${queue} left`;
      return `${name} failed ${plural(times, 'time')} in a row: ${left}${hasDeadLetters ? '' : ', which has no dead-letter queue'}`;
    })
    .join('; ');
}
