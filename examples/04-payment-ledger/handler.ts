import { dynamoStore } from 'pawl/dynamodb';
import { bodyField, deadLetterQueue } from 'pawl/sqs';
import { eachTransaction, transactionalStore } from 'pawl/transactions';

interface Payment {
  readonly paymentId: string;
  readonly cents: number;
}

const entry = (id: string, cents: number) => ({ Put: { TableName: 'ledger', Item: { id, cents } } });

/** One debit and one credit for each payment. DynamoDB commits both with the claim, in one transaction. */
export const handler = eachTransaction<Payment>(
  {
    operation: 'post-payment',
    store: transactionalStore(dynamoStore({ tableName: process.env.CLAIMS_TABLE })),
    key: bodyField('paymentId'),
    retentionSeconds: 'forever', // a payment is never posted again, however late its message comes
    deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
  },
  ({ body: { paymentId, cents } }) => {
    // A new id each time: without pawl, each delivery would add two more entries.
    const posting = crypto.randomUUID();
    return [entry(`${paymentId}/debit/${posting}`, -cents), entry(`${paymentId}/credit/${posting}`, cents)];
  },
);
