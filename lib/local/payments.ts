import type { LocalStack } from './stack.ts';
import { list, record } from './template.ts';

/** What became of the payments, by the report of the app's own `ledger-drift`. */
export interface PaymentsVerdict {
  readonly payments: number;
  /** How often the processor called, until each callback was answered. */
  readonly callbacks: number;
  readonly ledgerEntries: number;
  /** Payments whose entries are not what the processor says: one sentence each. */
  readonly drift: readonly string[];
}

/** Runs the report, and says what it found. @throws Error when it fails */
export async function judgePayments(stack: LocalStack, callbacks: number): Promise<PaymentsVerdict> {
  const outcome = await stack.payments.findDrift();
  if (outcome.kind !== 'response') throw new Error(`ledger-drift did not answer: ${JSON.stringify(outcome)}`);
  const { payments, ledgerEntries, drift } = record(outcome.value);
  return {
    payments: Number(payments),
    callbacks,
    ledgerEntries: Number(ledgerEntries),
    drift: list(drift).map((one) => `${record(one)['paymentId']}: ${record(one)['problem']}`),
  };
}

/** Whether every payment has its two entries. */
export function isPosted({ payments, ledgerEntries, drift }: PaymentsVerdict): boolean {
  return drift.length === 0 && ledgerEntries === 2 * payments;
}
