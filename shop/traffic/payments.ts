import { setTimeout as sleep } from 'node:timers/promises';
import { list, record } from '../../lib/rehearsal/engine/app/template.ts';
import type { ShopPayments } from '../app/shop.ts';
import type { PlannedPayment } from '../plan/plan.ts';
import type { Callbacks } from '../providers/callbacks.ts';

/** What became of the payments, by the report of the app's own `ledger-drift`. */
export interface PaymentsVerdict {
  readonly payments: number;
  /** How often the processor called, until each callback had its response. */
  readonly callbacks: number;
  /** Payments whose first callbacks were malformed. */
  readonly corrected: number;
  /** Payments whose message the queue refused at first, or took with its response lost. */
  readonly outages: number;
  /** Payments that the app has not accepted, however often the processor called. */
  readonly refused: readonly string[];
  readonly ledgerEntries: number;
  /** Payments whose entries are not what the processor says: one sentence each. */
  readonly drift: readonly string[];
  /** What does not agree between the claims and the processor's statement; `undefined` where the app compares nothing. */
  readonly statement: StatementVerdict | undefined;
}

/** What was found in the processor's statement, and what was planted there: each its kind, and the payment. */
export interface StatementVerdict {
  readonly found: readonly string[];
  readonly planted: readonly string[];
}

/** Runs the report, and returns what it found. @throws Error if it fails */
export async function judgePayments(
  report: Pick<ShopPayments, 'findDrift'>,
  planned: readonly PlannedPayment[],
  { calls, refused }: Callbacks,
  planted: readonly string[] = [],
): Promise<PaymentsVerdict> {
  const { payments, ledgerEntries, drift, statementFindings } = await reported(report, planted);
  return {
    payments: Number(payments),
    callbacks: calls,
    corrected: planned.filter(({ flawedCalls }) => flawedCalls > 0).length,
    outages: planned.filter(({ outage }) => outage !== undefined).length,
    refused,
    ledgerEntries: Number(ledgerEntries),
    drift: list(drift).map((one) => `${record(one)['paymentId']}: ${record(one)['problem']}`),
    statement: statementFindings === undefined ? undefined : { found: list(statementFindings).map(String), planted },
  };
}

/** How long the report may need until absence decides: a lease of the consumer, and what the statement may lag behind. In milliseconds. */
const settlingMs = 40_000;

/** The report, as soon as it has found all that was planted, or had the time for it. @throws Error if it fails to the end */
async function reported(report: Pick<ShopPayments, 'findDrift'>, planted: readonly string[]) {
  for (const until = Date.now() + settlingMs; ; ) {
    const outcome = await report.findDrift();
    const isOver = Date.now() >= until;
    if (outcome.kind === 'response') {
      const value = record(outcome.value);
      const found = value['statementFindings'] === undefined ? planted : list(value['statementFindings']);
      if (planted.every((one) => found.includes(one)) || isOver) return value;
    } else if (isOver) {
      throw new Error(`ledger-drift gave no response: ${JSON.stringify(outcome)}`);
    }
    // A run that fails, as under a throttled table, is gone on with by the next one, as on its schedule.
    await sleep(1000);
  }
}

/** Whether exactly what was planted was found. */
export function isFoundExactly({ found, planted }: StatementVerdict): boolean {
  return found.toSorted().join() === planted.toSorted().join();
}

/** Whether every payment was accepted, and has its two entries, and the statement's findings are those that were planted. */
export function isPosted({ payments, ledgerEntries, drift, refused, statement }: PaymentsVerdict): boolean {
  if (statement !== undefined && !isFoundExactly(statement)) return false;
  return refused.length === 0 && drift.length === 0 && ledgerEntries === 2 * payments;
}
