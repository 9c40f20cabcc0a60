import type { Delivery } from './delivery.ts';
import { acknowledged, type Disposition, missedItsTurn, type Returned, returnedAsItIs } from './disposition.ts';

/**
 * What becomes of a message, from what became of each of its parts: it is done when all are. It is dead-lettered once no part comes again: earlier, it
 * would be there once more at each receive.
 */
export function concludeParts(whole: Delivery, parts: readonly Delivery[]): void {
  const unfinished = parts.map(dispositionOf).filter((one) => one.kind === 'returned');
  const dead = parts.find(({ disposition }) => disposition?.kind === 'dead-lettered');
  if (unfinished.length > 0) whole.disposition = returnedForAll(unfinished);
  else whole.disposition = dead?.disposition ?? acknowledged;
  // Whose claim the events about the message name.
  const named = dead ?? parts[0];
  if (named?.identity !== undefined) whole.identity = named.identity;
}

/** A part without a disposition is behind one of its message group that comes again. */
function dispositionOf({ disposition = missedItsTurn }: Delivery): Disposition {
  return disposition;
}

/** They come again together: when the last of them can run, because an earlier receive is wasted. */
function returnedForAll(parts: readonly Returned[]): Returned {
  if (parts.some((one) => one.isAsItIs === true)) return returnedAsItIs;
  if (parts.every((one) => one.missedItsTurn === true)) return missedItsTurn;
  const waits = parts.map(({ delayMs = 0, atLeastMs = 0 }) => Math.max(delayMs, atLeastMs));
  const longestMs = Math.max(...waits);
  if (parts.every((one) => one.delayMs !== undefined)) return { kind: 'returned', delayMs: longestMs };
  const error = parts.find((one) => one.error !== undefined)?.error;
  const setup = parts.find((one) => one.setup !== undefined)?.setup;
  return { kind: 'returned', error, atLeastMs: longestMs, ...(setup && { setup }) };
}
