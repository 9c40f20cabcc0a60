import { plural } from 'pawl/kernel';
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
  /** How long it has failed without a success in between. */
  readonly forMs: number;
  readonly visibilityTimeoutMs: number;
}

/** So many failures in a row are worth a word. */
export const keepsFailing = 3;

/** So many failures, over so many visibility timeouts, are not healed by time: a lease of pawl ends within one. */
const givesUp = { failures: 5, visibilityTimeouts: 4 };

export interface Row {
  readonly times: number;
  /** When the first of these failures ended. */
  readonly since: number;
}

/** How often each function, by its construct, has failed since it last succeeded. What the rehearsal killed or stalled says nothing of it. */
export function failuresInARow({ entries }: Pick<Journal, 'entries'>): ReadonlyMap<string, Row> {
  const disturbed = new Set<string>();
  const rows = new Map<string, Row>();
  for (const entry of entries) {
    if (entry.kind === 'killed' || entry.kind === 'stalled') disturbed.add(entry.sandbox);
    if (entry.kind !== 'ended' || disturbed.delete(entry.sandbox)) continue;
    const { construct, outcome, failed, intents } = entry;
    const hasFailed = outcome.kind !== 'response' || (failed.size > 0 && failed.size >= intents.length);
    const { times, since } = rows.get(construct) ?? { times: 0, since: entry.at };
    if (hasFailed) rows.set(construct, { times: times + 1, since });
    else rows.delete(construct);
  }
  return rows;
}

/**
 * Whether waiting on would show nothing new: all that is left are messages of queues without dead letters, whose functions fail again and again. AWS
 * would deliver them until their retention ends.
 */
export function isHopeless(failing: readonly Failing[], left: number): boolean {
  return (
    left > 0 &&
    failing.reduce((sum, { messages }) => sum + messages, 0) === left &&
    failing.every(
      ({ times, forMs, visibilityTimeoutMs, hasDeadLetters }) =>
        !hasDeadLetters && times >= givesUp.failures && forMs >= givesUp.visibilityTimeouts * visibilityTimeoutMs,
    )
  );
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

/** What is still to come, in a few words, for a line of progress. Behind empty queues something may be due, such as a schedule. */
export function sayLeft({ left, isWaiting }: { readonly left: number; readonly isWaiting: boolean }): string {
  if (!isWaiting) return `${plural(left, 'message')} to go`;
  return left === 0
    ? 'queues empty, not all has happened'
    : `${plural(left, 'message')} waiting to become visible again`;
}
