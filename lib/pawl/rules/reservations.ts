/**
 * What remedies may cost: the one record that counts them, and what reserves in it before an effect begins.
 *
 * Owns: whether one more remedy is within the limits, and what a reservation may become. Does not own: when a finding lets go of its reservation
 * (`remedy.ts`), or how the record is kept.
 *
 * 1. What is spent and what is reserved never exceed a limit of the day together. An effect begins only under a reservation.
 * 2. A finding has one reservation at a time, whichever run made it: runs side by side, and a run after one that died, use the same.
 * 3. A reservation leaves the record in one way: it is confirmed, and then it is spent, or it is given back.
 * 4. The day never goes back: a worker whose clock is behind counts for the later day.
 */

/** A number of remedies, and their money in the smallest unit of the currency. */
export interface RemedyAmounts {
  /** How many remedies. */
  readonly count: number;
  /** The sum of their amounts, in the smallest unit of the currency, such as cents. */
  readonly amount: number;
}

/** Up to where remedies go. */
export interface RemedyLimits {
  /** What one call of `settle` may do. */
  readonly perRun: RemedyAmounts;
  /** What all runs of an operation may do in one day of UTC, with what is reserved. */
  readonly perDay: RemedyAmounts;
}

/** The right to one remedy, taken before its effect begins. */
export interface Reservation {
  /** A random token: a reservation that was given back and made again is another one. */
  readonly id: string;
  /** The id of the finding. */
  readonly finding: string;
  /** In the smallest unit of the currency. */
  readonly amount: number;
  /** When it was made, in epoch milliseconds. */
  readonly at: number;
}

/** What is spent today, and what is reserved. */
export interface RemedyCounter {
  /** A day of UTC: `2026-11-27`. */
  readonly day: string;
  readonly spent: RemedyAmounts;
  readonly open: readonly Reservation[];
}

/** Which limit stops a remedy. `open-reservations`: so many are neither confirmed nor given back that something is wrong. */
export type RemedyLimit = 'count-per-run' | 'amount-per-run' | 'count-per-day' | 'amount-per-day' | 'open-reservations';

/** One item holds them. So many at once mean that the provider is down. */
export const mostReservations = 100;

export type Reserved =
  | { readonly kind: 'reserved'; readonly reservation: Reservation; readonly next: RemedyCounter | undefined }
  | { readonly kind: 'limit'; readonly limit: RemedyLimit }
  /** The finding has a reservation over another amount: an attempt may have begun with that one. */
  | { readonly kind: 'amount-changed' };

function counterOf(found: RemedyCounter | undefined, now: number): RemedyCounter {
  const day = new Date(now).toISOString().slice(0, 10);
  if (found !== undefined && found.day >= day) return found;
  // What is reserved counts for the day on which it is spent.
  return { day, spent: { count: 0, amount: 0 }, open: found?.open ?? [] };
}

/** What is spent today and what is reserved, together. */
export function takenOf(found: RemedyCounter | undefined, now: number): RemedyAmounts {
  const { spent, open } = counterOf(found, now);
  return {
    count: spent.count + open.length,
    amount: open.reduce((sum, { amount }) => sum + amount, spent.amount),
  };
}

/** The limit that one more remedy of this amount would exceed. @param of what was taken before. */
export function exceeded(
  of: RemedyAmounts,
  amount: number,
  limit: RemedyAmounts,
  per: 'run' | 'day',
): RemedyLimit | undefined {
  if (of.count + 1 > limit.count) return `count-per-${per}`;
  return of.amount + amount > limit.amount ? `amount-per-${per}` : undefined;
}

/** Reserves for a finding, unless it has its reservation. */
export function reserve(
  found: RemedyCounter | undefined,
  wanted: Omit<Reservation, 'at'>,
  { perDay }: Pick<RemedyLimits, 'perDay'>,
  now: number,
): Reserved {
  const known = found?.open.find(({ finding }) => finding === wanted.finding);
  if (known !== undefined) {
    if (known.amount !== wanted.amount) return { kind: 'amount-changed' };
    return { kind: 'reserved', reservation: known, next: undefined };
  }
  const counter = counterOf(found, now);
  if (counter.open.length >= mostReservations) return { kind: 'limit', limit: 'open-reservations' };
  const limit = exceeded(takenOf(counter, now), wanted.amount, perDay, 'day');
  if (limit !== undefined) return { kind: 'limit', limit };
  const reservation = { ...wanted, at: now };
  return { kind: 'reserved', reservation, next: { ...counter, open: [...counter.open, reservation] } };
}

/**
 * Ends a reservation.
 *
 * @param how `confirm`: its effect has happened, and is spent. `give-back`: it has not, and never will under this reservation
 * @returns nothing if it has ended before
 */
export function endReservation(
  found: RemedyCounter | undefined,
  id: string,
  how: 'confirm' | 'give-back',
  now: number,
): RemedyCounter | undefined {
  const ended = found?.open.find((one) => one.id === id);
  if (ended === undefined) return undefined;
  const { day, spent, open } = counterOf(found, now);
  const { count, amount } = spent;
  return {
    day,
    spent: how === 'confirm' ? { count: count + 1, amount: amount + ended.amount } : spent,
    open: open.filter((one) => one.id !== id),
  };
}
