import { logEvents } from 'pawl';
import { dynamoStore } from 'pawl/dynamodb';
import { allOf, metricEvents } from 'pawl/observe';
import { bodyField, deadLetterQueue } from 'pawl/sqs';
import { eachTransaction, transactionalStore } from 'pawl/transactions';
import { backoffSeconds, required } from './environment.ts';
import { entriesOf } from './ledger.ts';
import { outbox } from './outbox.ts';
import { Payment } from './payment.ts';

const TableName = required('LEDGER_TABLE');
const receipts = required('RECEIPTS_QUEUE_URL');
const events = required('EVENT_BUS_ARN');

/**
 * Posts one debit and one credit for each payment, with its claim, in one transaction. What follows from it is in the same transaction: a message for the
 * receipt, and an event for whoever wants to know, such as the points.
 */
export const handler = eachTransaction(
  {
    operation: 'post-payment',
    store: transactionalStore(dynamoStore({ tableName: process.env['CLAIMS_TABLE'] })),
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
  ({ body }) => [
    ...entriesOf(body).map((Item) => ({ Put: { TableName, Item } })),
    outbox.message({ to: receipts, key: `receipt/${body.paymentId}`, body }),
    outbox.message({ to: events, source: 'shop', detailType: 'PaymentPosted', key: `points/${body.paymentId}`, body }),
  ],
);
