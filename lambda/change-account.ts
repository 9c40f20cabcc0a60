import { logEvents, reconcile } from 'pawl';
import { allOf, metricEvents } from 'pawl/observe';
import { bodyField, deadLetterQueue, eachMessage } from 'pawl/sqs';
import { AccountChange } from './account-change.ts';
import { accountsApi } from './accounts.ts';
import { claims } from './claims.ts';
import { backoffSeconds, required } from './environment.ts';

const accounts = accountsApi(required('ACCOUNTS_API_URL'));

/**
 * Books the changes of customers' accounts, those of one account in the order in which they were sent. Its queue is FIFO, and the
 * account is the message group.
 */
export const handler = eachMessage(
  {
    operation: 'change-account',
    store: claims,
    deadLetters: deadLetterQueue(process.env['DEAD_LETTER_QUEUE_URL']),
    schema: AccountChange,
    key: bodyField('changeId'),
    // The service has no idempotency keys, but it can be asked what it has booked.
    onAbandoned: reconcile({
      ask: async (doubt) => ({ verdict: (await accounts.wasBooked(doubt)) ? 'applied' : 'not-applied' }),
      settleMs: 1000,
    }),
    marksEffect: true,
    timeoutMs: Number(required('CHANGE_TIMEOUT_MS')),
    // The rest of its account waits for a change that failed: not longer each time.
    backoffSeconds: () => backoffSeconds(1),
    onEvent: allOf(logEvents, metricEvents()),
  },
  async ({ body: change }, claim) => {
    await claim.effect(() => accounts.book(change, claim));
  },
);
