export type { Claim } from '../engine/claim.ts';
export type { SqsHandler } from '../sqs/each-by.ts';
export type { DynamoStore } from '../stores/dynamodb/store.ts';
export { commit } from './commit.ts';
export type { CommitOptions } from './commit-claim.ts';
export type { CommitWrite, DeferredWrite } from './deferred-write.ts';
export { type EachTransactionOptions, eachTransaction, type TransactionHandler } from './each-transaction.ts';
export { commitStep, inPhases, type Phases, type Writes } from './in-phases.ts';
export { CommitRefusedError, type Refusal } from './refused.ts';
export {
  type AppWrite,
  type CommitResult,
  type TransactionalStore,
  transactionalStore,
} from './store.ts';
