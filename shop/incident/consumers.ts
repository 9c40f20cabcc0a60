import { type ClaimEvent, RejectedError, RetryableError, renewedLease } from 'pawl';
import type { DynamoStore } from 'pawl/dynamodb';
import { dynamoLockStore, forEachItem, type Resource, resourceLocks } from 'pawl/locks';
import { bodyField, deadLetterQueue, eachMessage } from 'pawl/sqs';
import { type Charge, chunk, type Repayment } from './plan.ts';

/** The operations of the incident. */
export const operations = { charge: 'charge', repay: 'repay-debts' } as const;

/** The name of the work that repays debts. */
export const work = 'repay';

/** What the consumers of the incident are made with. */
export interface Wiring {
  readonly store: DynamoStore;
  readonly debtsTable: string;
  /** Where the bank is. */
  readonly bankUrl: string;
  readonly deadLetterUrls: Readonly<Record<keyof typeof operations, string>>;
  /** How long after its last beat a worker is taken for dead. */
  readonly leaseMs: number;
  readonly onEvent: (event: ClaimEvent) => void;
}

/** Half a day, for the manual operation. */
const keepMs = 12 * 3600 * 1000;

/** Both consumers, as a user would write them. */
export function consumers(wiring: Wiring) {
  return { charge: chargeConsumer(wiring), repay: repaymentConsumer(wiring) };
}

/** Asks the bank. @throws RejectedError when it never will; what `fetch` throws if no answer came */
async function askBank(bankUrl: string, path: string, key: string, body: object, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const response = await fetch(new URL(path, bankUrl), { method: 'POST', headers, body: JSON.stringify(body), signal });
  await response.arrayBuffer();
  if (response.status === 422) throw new RejectedError('the bank refuses: the account is closed');
  if (!response.ok) throw new Error(`the bank answered ${response.status}`);
}

/** Charges orders. The bank cannot be asked by a program, and two charges are worse than one that a person looks into: never twice. */
function chargeConsumer({ store, bankUrl, deadLetterUrls, leaseMs, onEvent }: Wiring) {
  return eachMessage<Charge>(
    {
      operation: operations.charge,
      store,
      key: bodyField('orderId'),
      attributes: ({ body: { amountCents } }) => ({ amountCents }),
      onAbandoned: 'park',
      lease: renewedLease(leaseMs),
      backoffSeconds: () => 1,
      deadLetters: deadLetterQueue(deadLetterUrls.charge),
      onEvent,
    },
    ({ body: { orderId, amountCents } }, { effectKey, signal }) =>
      askBank(bankUrl, '/charges', effectKey, { of: orderId, amountCents }, signal),
  );
}

/** Repays debts. If some of them are not repaid, the resources stay locked for half a day: a person looks into it. */
function repaymentConsumer({ store, debtsTable, bankUrl, deadLetterUrls, leaseMs, onEvent }: Wiring) {
  const lockStore = dynamoLockStore(store);
  const locks = resourceLocks({ store: lockStore, operation: operations.repay, leaseMs, keepMs, onEvent });
  return eachMessage<Repayment>(
    {
      operation: operations.repay,
      store,
      key: bodyField('requestId'),
      // What is done of it is known debt by debt, and the bank honours keys.
      onAbandoned: 'retry',
      lease: renewedLease(leaseMs),
      backoffSeconds: () => 1,
      deadLetters: deadLetterQueue(deadLetterUrls.repay),
      onEvent,
    },
    async ({ body: { debts } }, claim) => {
      const holder = claim.effectKey;
      await locks.withLock(
        debts.map((debt): Resource => ['debt', debt]),
        {
          holder,
          reason: `repayment of ${debts.length} debts`,
          unlock: { onSuccess: 'unlock', onFailure: 'keep' },
        },
        (lock) =>
          forEachItem(
            debts,
            {
              ...{ id: holder, work, fence: lockStore.stillHeld(lock), store: lockStore, onEvent },
              ...{ chunk, concurrency: 1, signal: lock.signal },
            },
            async (some) => {
              await collected(some, lock.signal);
              return some.map((debtId) => ({
                Update: {
                  TableName: debtsTable,
                  Key: { debtId },
                  UpdateExpression: 'ADD repaid :one SET repaidBy = :holder',
                  ExpressionAttributeValues: { ':one': 1, ':holder': holder },
                },
              }));
            },
          ),
      );

      async function collected(some: readonly string[], signal: AbortSignal): Promise<void> {
        try {
          await askBank(bankUrl, '/repayments', holder, { of: some, amountCents: 100 }, signal);
        } catch (error) {
          if (error instanceof RejectedError) throw error;
          // The bank books a key and a debt once, whatever became of this call: a repetition does no harm.
          throw new RetryableError('the bank did not answer in time', { cause: error });
        }
      }
    },
  );
}
