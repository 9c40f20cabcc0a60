import { list, record } from '../../lib/rehearsal/template.ts';
import type { ShopPayments } from '../app/start.ts';
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
}

/** Runs the report, and returns what it found. @throws Error if it fails */
export async function judgePayments(
  report: Pick<ShopPayments, 'findDrift'>,
  planned: readonly PlannedPayment[],
  { calls, refused }: Callbacks,
): Promise<PaymentsVerdict> {
  const outcome = await report.findDrift();
  if (outcome.kind !== 'response') throw new Error(`ledger-drift gave no response: ${JSON.stringify(outcome)}`);
  const { payments, ledgerEntries, drift } = record(outcome.value);
  return {
    payments: Number(payments),
    callbacks: calls,
    corrected: planned.filter(({ flawedCalls }) => flawedCalls > 0).length,
    outages: planned.filter(({ outage }) => outage !== undefined).length,
    refused,
    ledgerEntries: Number(ledgerEntries),
    drift: list(drift).map((one) => `${record(one)['paymentId']}: ${record(one)['problem']}`),
  };
}

/** Whether every payment was accepted, and has its two entries. */
export function isPosted({ payments, ledgerEntries, drift, refused }: PaymentsVerdict): boolean {
  return refused.length === 0 && drift.length === 0 && ledgerEntries === 2 * payments;
}
