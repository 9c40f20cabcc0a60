import type { Journal } from './journal.ts';
import type { Shortened } from './shorten.ts';

/*
 * What the shortened timeouts ended. An invocation that had no fault, and did not respond before a timeout that the rehearsal itself has made shorter, may
 * well have responded before the one that its template says: that is not held against the app.
 */

export interface CutShort {
  /** The intents of such invocations. */
  readonly intents: ReadonlySet<string>;
  /** The functions, each with its timeouts. */
  readonly functions: readonly Shortened[];
}

export function cutShort({ entries }: Pick<Journal, 'entries'>, shortened: readonly Shortened[]): CutShort {
  const intents = new Set<string>();
  const functions = new Set<Shortened>();
  const disturbed = new Set<string>();
  for (const entry of entries) {
    if (!('sandbox' in entry) || entry.sandbox === undefined) continue;
    const { sandbox } = entry;
    if (entry.kind === 'began') disturbed.delete(sandbox);
    if (entry.kind === 'stalled' || entry.kind === 'struck') disturbed.add(sandbox);
    if (entry.kind === 'called' && entry.fault !== undefined) disturbed.add(sandbox);
    if (entry.kind !== 'ended' || entry.outcome.kind !== 'timed-out' || disturbed.has(sandbox)) continue;
    const short = shortened.find(({ construct }) => construct === entry.construct);
    if (short === undefined) continue;
    functions.add(short);
    for (const intent of entry.intents) intents.add(intent);
  }
  return { intents, functions: [...functions] };
}

/** What a function needs whose timeout is too short here. */
export function sayShortened({ from, to }: Shortened): string {
  return `The rehearsal has shortened its timeout from ${from} s to ${to} s. If it needs longer, set functionTimeoutSeconds to ${from}, or to 'as-written'.`;
}
