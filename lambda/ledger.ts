import { randomUUID } from 'node:crypto';
import type { Payment } from './payment.ts';

/** One line of the ledger. A payment has two: what the processor owes us, and what we owe the customer. */
export interface Entry {
  readonly paymentId: string;
  /** Its own, as in any ledger: nothing about it keeps a payment from being posted twice. */
  readonly entryId: string;
  readonly side: 'debit' | 'credit';
  readonly account: string;
  readonly amountCents: number;
  readonly currency: string;
}

/** One debit and one credit of the same amount. */
export function entriesOf({ paymentId, customerId, amountCents, currency }: Payment): readonly Entry[] {
  const line = { paymentId, amountCents, currency };
  return [
    { ...line, entryId: randomUUID(), side: 'debit', account: 'processor' },
    { ...line, entryId: randomUUID(), side: 'credit', account: `customer:${customerId}` },
  ];
}

/** A payment by the processor's own account. */
export interface Statement extends Pick<Payment, 'paymentId' | 'amountCents' | 'currency'> {
  /** When the processor took it, in epoch milliseconds. */
  readonly at: number;
}

/** A payment whose entries are not what the processor says. */
export interface Drift {
  readonly paymentId: string;
  readonly problem: string;
}

/**
 * Compares the ledger with the processor's statements: payments without entries, with too many, or with other amounts, payments that
 * are listed twice, and entries of nothing.
 *
 * @param statements as they were before the ledger was read: all of these should be posted
 * @param known as they were after it was read: a payment that was posted meanwhile is in here, and is no stranger
 */
export function driftOf(
  entries: readonly Entry[],
  statements: readonly Statement[],
  known: readonly Statement[] = statements,
): readonly Drift[] {
  const posted = Map.groupBy(entries, ({ paymentId }) => paymentId);
  const stated = Map.groupBy(statements, ({ paymentId }) => paymentId);
  const wrong = [...stated].flatMap(([paymentId, [statement, ...again]]) => {
    const twice = again.length > 0 && `the processor lists it ${again.length + 1} times`;
    const problem = twice || (statement && problemOf(posted.get(paymentId) ?? [], statement));
    return problem ? [{ paymentId, problem }] : [];
  });
  const knownIds = new Set([...statements, ...known].map(({ paymentId }) => paymentId));
  const unknown = [...posted.keys()].filter((paymentId) => !knownIds.has(paymentId));
  return [...wrong, ...unknown.map((paymentId) => ({ paymentId, problem: 'the processor does not know it' }))];
}

function problemOf(entries: readonly Entry[], { amountCents, currency }: Statement): string | undefined {
  if (entries.length === 0) return 'it has no entry';
  const count = (wanted: Entry['side']) => entries.filter(({ side }) => side === wanted).length;
  if (count('debit') !== 1 || count('credit') !== 1)
    return `it has ${count('debit')} debits and ${count('credit')} credits`;
  const differs = entries.some((entry) => entry.amountCents !== amountCents || entry.currency !== currency);
  return differs ? 'its entries are not of its amount' : undefined;
}
