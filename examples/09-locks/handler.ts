import { setTimeout as sleep } from 'node:timers/promises';
import { dynamoStore } from 'pawl/dynamodb';
import { dynamoLockStore, resourceLocks } from 'pawl/locks';
import { bodyField, deadLetterQueue, eachMessage } from 'pawl/sqs';

interface Repayment {
  readonly request: string;
  readonly debts: readonly string[];
}

const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
/** What `main.ts` reads, to know that the first request has its lock. */
export const locks = resourceLocks({ store: dynamoLockStore(store) });

/** Repays debts. While it works on them, no other request touches any of the same debts. */
export const handler = eachMessage<Repayment>(
  {
    operation: 'repay-debts',
    store,
    key: bodyField('request'),
    onAbandoned: 'retry',
    deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
  },
  ({ body: { request, debts } }, claim) =>
    locks.withLock(
      debts.map((debt) => ['debt', debt]),
      { holder: claim.effectKey, waitMs: 5_000, unlock: { onSuccess: 'unlock', onFailure: 'keep' } },
      async () => {
        for (const debt of debts) {
          await sleep(200);
          console.log(`  ${request} repays ${debt}`);
        }
      },
    ),
);
