import { logEvents } from 'pawl';
import { allOf, metricEvents } from 'pawl/observe';
import { eachTransaction } from 'pawl/postgres';
import { bodyField, deadLetterQueue } from 'pawl/sqs';
import type { PoolClient } from 'pg';
import { backoffSeconds, required } from '../environment.ts';
import { entriesOf } from '../ledger.ts';
import { Payment } from '../payment.ts';
import { claims } from './claims.ts';
import { outbox } from './outbox.ts';

const receipts = required('RECEIPTS_QUEUE_URL');
const events = required('EVENT_BUS_ARN');

/**
 * Posts one debit and one credit for each payment, with its claim, in one transaction. What follows from it is in the same transaction: a message for the
 * receipt, and an event for whoever wants to know, such as the points.
 */
export const handler = eachTransaction<Payment, PoolClient>(
  {
    operation: 'post-payment',
    store: claims,
    deadLetters: deadLetterQueue(process.env['DEAD_LETTER_QUEUE_URL']),
    schema: Payment,
    key: bodyField('paymentId'),
    // A payment must never be posted again, however late its message comes.
    retentionSeconds: 'forever',
    // What the processor's own statement is compared with: see ledger-drift.ts.
    statements: true,
    attributes: ({ body: { amountCents, currency } }) => ({ amountCents, currency }),
    backoffSeconds,
    onEvent: allOf(logEvents, metricEvents()),
  },
  async ({ body }, tx) => {
    for (const { paymentId, entryId, side, account, amountCents, currency } of entriesOf(body)) {
      await tx.query(
        'INSERT INTO entries (payment_id, entry_id, side, account, amount_cents, currency) VALUES ($1, $2, $3, $4, $5, $6)',
        [paymentId, entryId, side, account, amountCents, currency],
      );
    }
    return [
      outbox.message({ to: receipts, key: `receipt/${body.paymentId}`, body }),
      outbox.message({
        to: events,
        source: 'shop',
        detailType: 'PaymentPosted',
        key: `points/${body.paymentId}`,
        body,
      }),
    ];
  },
);
