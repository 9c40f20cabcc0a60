import { logEvents, reconcile } from 'pawl';
import { allOf, metricEvents } from 'pawl/observe';
import { deadLetterQueue, eachMessage, eventBridgeEnvelope, sentKey } from 'pawl/sqs';
import { accountsApi } from './accounts.ts';
import { claims } from './claims.ts';
import { backoffSeconds, required } from './environment.ts';
import { Payment } from './payment.ts';

const accounts = accountsApi(required('ACCOUNTS_API_URL'));

/** Books the points that a customer earns with a payment: one for each whole unit of money. It hears of the payment from an event bus. */
export const handler = eachMessage(
  {
    operation: 'book-points',
    store: claims,
    deadLetters: deadLetterQueue(process.env['DEAD_LETTER_QUEUE_URL']),
    envelope: eventBridgeEnvelope(),
    schema: Payment,
    key: sentKey(),
    // The service has no idempotency keys, but it can be asked what it has booked.
    onAbandoned: reconcile({
      ask: async (doubt) => ({ verdict: (await accounts.wasBooked(doubt)) ? 'applied' : 'not-applied' }),
      settleMs: 1000,
    }),
    marksEffect: true,
    backoffSeconds,
    onEvent: allOf(logEvents, metricEvents()),
  },
  async ({ body: { paymentId, customerId, amountCents } }, claim) => {
    const change = { changeId: paymentId, accountId: customerId, points: Math.floor(amountCents / 100) };
    await claim.effect(() => accounts.book(change, claim));
  },
);
