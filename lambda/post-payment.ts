import { logEvents } from '../lib/index.ts';
import { allOf, metricEvents } from '../lib/observe/index.ts';
import { bodyField, deadLetterQueue } from '../lib/sqs/index.ts';
import { eachTransaction, transactionalStore } from '../lib/transactions/index.ts';
import { backoffSeconds, required } from './environment.ts';
import { entriesOf } from './ledger.ts';
import { Payment } from './payment.ts';

const TableName = required('LEDGER_TABLE');

/** Posts one debit and one credit for each payment, with its claim, in one transaction. */
export const handler = eachTransaction(
  {
    operation: 'post-payment',
    store: transactionalStore({ tableName: process.env['CLAIMS_TABLE'] }),
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
  ({ body }) => entriesOf(body).map((Item) => ({ Put: { TableName, Item } })),
);
