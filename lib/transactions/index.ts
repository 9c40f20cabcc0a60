export type { Claim } from '../claims/claim.ts';
export type { KeepsNotes } from '../claims/notes.ts';
export type { ListsOpenClaims } from '../claims/open-claims.ts';
export type { SqsHandler } from '../sqs/each-message.ts';
export { type CommitOptions, commit } from './commit.ts';
export { type EachTransactionOptions, eachTransaction, type TransactionHandler } from './each-transaction.ts';
export { commitStep, inPhases, type Phases, type Writes } from './in-phases.ts';
export { CommitRefusedError } from './refused.ts';
export type {
  AppWrite,
  CommitResult,
  Refusal,
  TransactionalStore,
} from './store.ts';
export { transactionalStore } from './transactional-store.ts';
