export type { Claim } from '../engine/claim.ts';
export type { KeepsNotes } from '../rules/notes.ts';
export type { ListsOpenClaims } from '../rules/open-claims.ts';
export type { SqsHandler } from '../sqs/each-by.ts';
export { type CommitOptions, commit } from './commit.ts';
export type { CommitWrite, DeferredWrite } from './deferred-write.ts';
export { eachTransaction } from './each-transaction.ts';
export { commitStep, inPhases, type Phases, type Writes } from './in-phases.ts';
export { CommitRefusedError } from './refused.ts';
export type {
  AppWrite,
  CommitResult,
  Refusal,
  TransactionalStore,
} from './store.ts';
export type { EachTransactionOptions, TransactionHandler } from './transaction-consumer.ts';
export { transactionalStore } from './transactional-store.ts';
