import { sdk } from 'pawl/dynamodb';
import { eachTransaction, type PostgresClient, postgresStore } from 'pawl/postgres';
import { bodyField, deadLetterQueue } from 'pawl/sqs';
import { pool } from './database.ts';

interface Payment {
  readonly paymentId: string;
  readonly cents: number;
}

/** One debit and one credit for each payment. PostgreSQL commits both with the claim, in one transaction. */
export const handler = eachTransaction<Payment, PostgresClient>(
  {
    operation: 'post-payment',
    store: postgresStore({ pool }),
    aws: sdk(),
    key: bodyField('paymentId'),
    retentionSeconds: 'forever', // a payment is never posted again, however late its message comes
    deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
  },
  async ({ body: { paymentId, cents } }, tx) => {
    // A new id each time: without pawl, each delivery would add two more entries.
    const posting = crypto.randomUUID();
    const insert = 'INSERT INTO ledger (entry, payment, cents) VALUES ($1, $2, $3)';
    await tx.query(insert, [`debit/${posting}`, paymentId, -cents]);
    await tx.query(insert, [`credit/${posting}`, paymentId, cents]);
  },
);
