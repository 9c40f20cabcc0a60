import { logEvents, reconcile } from 'pawl';
import { allOf, metricEvents } from 'pawl/observe';
import { deadLetterQueue, eachMessage, sentKey } from 'pawl/sqs';
import { claims } from './claims.ts';
import { backoffSeconds, required } from './environment.ts';
import { mailsApi } from './mails.ts';
import { Payment } from './payment.ts';

const mails = mailsApi(required('MAILS_API_URL'));

/** Mails the receipt of a payment that is posted. Its message comes from the outbox, in any number of copies. */
export const handler = eachMessage(
  {
    operation: 'mail-receipt',
    store: claims,
    deadLetters: deadLetterQueue(process.env['DEAD_LETTER_QUEUE_URL']),
    schema: Payment,
    key: sentKey(),
    // The service has no idempotency keys, but it can be asked what it has mailed.
    onAbandoned: reconcile({
      ask: async (doubt) => ({ verdict: (await mails.wasMailed(doubt)) ? 'applied' : 'not-applied' }),
      settleMs: 1000,
    }),
    marksEffect: true,
    backoffSeconds,
    onEvent: allOf(logEvents, metricEvents()),
  },
  async ({ body: payment }, claim) => {
    await claim.effect(() => mails.mail(payment, claim));
  },
);
