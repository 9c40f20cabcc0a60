import type { ClaimEvent } from 'pawl';
import { dynamoStore } from 'pawl/dynamodb';
import type { SqsEvent } from 'pawl/sqs';
import { consumers, type operations } from './consumers.ts';

/*
 * One worker, a process of its own: it may be killed at any moment. It is handed batches, as Lambda hands them to a sandbox.
 */

/** A batch for a consumer. */
export interface Batch {
  readonly consumer: keyof typeof operations;
  readonly event: SqsEvent;
}

/** What a worker says. */
export type Said =
  | { readonly kind: 'event'; readonly event: ClaimEvent }
  | { readonly kind: 'done'; readonly failed: readonly string[] };

/** How long an invocation may take. No worker gets there. */
const timeoutMs = 120_000;

const required = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`The worker needs ${name}.`);
  return value;
};

const say = (said: Said) => process.send?.(said);
const handlers = consumers({
  store: dynamoStore({ tableName: required('CLAIMS_TABLE') }),
  debtsTable: required('DEBTS_TABLE'),
  bankUrl: required('BANK_URL'),
  deadLetterUrls: { charge: required('CHARGES_DEAD_URL'), repay: required('REPAYMENTS_DEAD_URL') },
  leaseMs: Number(required('LEASE_MS')),
  onEvent: (event) => say({ kind: 'event', event }),
});

process.on('message', async ({ consumer, event }: Batch) => {
  const deadline = Date.now() + timeoutMs;
  const response = await handlers[consumer](event, { getRemainingTimeInMillis: () => deadline - Date.now() });
  say({ kind: 'done', failed: response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) });
});
