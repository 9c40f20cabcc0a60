import { logEvents } from 'pawl';
import { resourceLocks } from 'pawl/locks';
import { allOf, metricEvents } from 'pawl/observe';
import { commitStep, postgresLockStore } from 'pawl/postgres';
import { bodyField, deadLetterQueue, eachMessage } from 'pawl/sqs';
import type { PoolClient } from 'pg';
import { backoffSeconds, required } from '../environment.ts';
import { Repayment } from '../repayment.ts';
import { claims } from './claims.ts';
import { pool } from './database.ts';
import { repay } from './debts.ts';

const locks = resourceLocks({
  store: postgresLockStore({ pool }),
  // As long as an invocation lasts, and as long as an attempt can stay away: see the function over DynamoDB.
  leaseMs: Number(required('LOCK_LEASE_SECONDS')) * 1000,
  keepMs: Number(required('LOCK_KEEP_SECONDS')) * 1000,
});

/** As many debts as one transaction repays: others that wait for a row wait no longer than for so many. */
const chunk = 50;

/**
 * Repays debts, in several transactions. Two requests that have one debt in common take turns. Each transaction is a step: one that fails goes on behind
 * those that are committed, and no other request comes in between while its lock is kept.
 */
export const handler = eachMessage(
  {
    operation: 'repay-debts',
    store: claims,
    deadLetters: deadLetterQueue(process.env['DEAD_LETTER_QUEUE_URL']),
    schema: Repayment,
    key: bodyField('requestId'),
    // Each step is committed with its checkpoint, or not at all.
    onAbandoned: 'retry',
    backoffSeconds: () => backoffSeconds(1),
    maxAttempts: 40,
    maxAbandoned: 40,
    onEvent: allOf(logEvents, metricEvents()),
  },
  async ({ body: { debts } }, claim) => {
    const request = claim.effectKey;
    await locks.withLock(
      debts.map((debt) => ['debt', debt]),
      {
        holder: request,
        reason: `repayment of ${debts.length} debts`,
        waitMs: claim.remainingMs() / 3,
        // Half of it may be done: no other request comes in before the next attempt.
        unlock: { onSuccess: 'unlock', onFailure: 'keep' },
      },
      async (lock) => {
        for (let from = 0; from < debts.length; from += chunk) {
          lock.signal.throwIfAborted();
          const some = debts.slice(from, from + chunk);
          await commitStep(claim, `from-${from}`, (tx: PoolClient) => repay(tx, some, { lock, request }));
        }
      },
    );
  },
);
