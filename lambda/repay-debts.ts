import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { logEvents } from 'pawl';
import { dynamoStore, sdk } from 'pawl/dynamodb';
import { dynamoLockStore, forEachItem, type Resource, resourceLocks } from 'pawl/locks';
import { allOf, metricEvents } from 'pawl/observe';
import { bodyField, deadLetterQueue, eachMessage } from 'pawl/sqs';
import { debts } from './debts.ts';
import { backoffSeconds, required } from './environment.ts';
import { Repayment } from './repayment.ts';

const client = new DynamoDBClient({});
const store = dynamoStore({ tableName: required('CLAIMS_TABLE'), aws: sdk({ dynamodb: client }) });
const lockStore = dynamoLockStore(store);
const locks = resourceLocks({
  store: lockStore,
  // Renewed while a request is at work: as long as an invocation lasts, so that others need not wait long for one that was killed.
  leaseMs: Number(required('LOCK_LEASE_SECONDS')) * 1000,
  // Longer than a message can stay invisible, so that the next attempt finds its lock; shorter than others can wait, so that a
  // request which never comes back does not take them along into the dead-letter queue.
  keepMs: Number(required('LOCK_KEEP_SECONDS')) * 1000,
});
const { repaymentsOf } = debts(DynamoDBDocumentClient.from(client), required('DEBTS_TABLE'));

/** A debt is locked by the key of its item, so that every request that repays it meets the same resource. */
const resourceOf = (debt: string): Resource => ['debt', debt];

/**
 * Repays debts, more of them than a transaction takes. Two requests that have one debt in common take turns. One that fails goes on
 * where it stood, and no other request comes in between while its lock is kept. One that is killed goes on as well, but its lock ends with
 * its lease: others may come in before it does, and what they repaid is left out.
 */
export const handler = eachMessage(
  {
    operation: 'repay-debts',
    store,
    deadLetters: deadLetterQueue(process.env['DEAD_LETTER_QUEUE_URL']),
    schema: Repayment,
    key: bodyField('requestId'),
    // What is done of it is known item by item.
    onAbandoned: 'retry',
    // One that failed goes on soon: others wait for its lock. One that waits for a lock comes again when that can have ended.
    backoffSeconds: () => backoffSeconds(1),
    maxAttempts: 40,
    // Its worker may die at every receive, and it goes on: parked, it would stay half done.
    maxAbandoned: 40,
    onEvent: allOf(logEvents, metricEvents()),
  },
  async ({ body: { debts: wanted } }, claim) => {
    const holder = claim.effectKey;
    await locks.withLock(
      wanted.map(resourceOf),
      {
        holder,
        reason: `repayment of ${wanted.length} debts`,
        waitMs: claim.remainingMs() / 3,
        // Half of it may be done: no other request comes in before the next attempt.
        unlock: { onSuccess: 'unlock', onFailure: 'keep' },
      },
      (lock) =>
        forEachItem(
          wanted,
          {
            id: holder,
            work: 'repay',
            fence: lockStore.stillHeld(lock),
            // This worker may stand still until another one has taken over: DynamoDB checks the lock with every chunk.
            check: (debts) => lockStore.stillLocked(lock, debts.map(resourceOf)),
            store: lockStore,
            signal: AbortSignal.any([lock.signal, claim.signal]),
          },
          (chunk) => repaymentsOf(chunk, holder),
        ),
    );
  },
);
