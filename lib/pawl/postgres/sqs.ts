export type { SqsHandler } from '../sqs/each-by.ts';
export {
  eachTransaction,
  type PostgresTransactionHandler,
  type PostgresTransactionOptions,
} from '../transactions/postgres/each-transaction.ts';
export type { TransactionOptions } from '../transactions/transaction-consumer.ts';
