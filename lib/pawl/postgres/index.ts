export type { Claim } from '../engine/claim.ts';
export { postgresLockStore } from '../locks/postgres/store.ts';
export type { LockStore, OperatesLocks } from '../locks/store.ts';
export type { KeepsNotes } from '../rules/notes.ts';
export type { ListsOpenClaims } from '../rules/open-claims.ts';
export type { ClaimStore } from '../rules/store.ts';
export type { SqsHandler } from '../sqs/each-by.ts';
export { readAllRecords } from '../stores/postgres/all-records.ts';
export {
  type CheckPostgresOptions,
  checkPostgres,
  type PostgresFinding,
  type PostgresMigrationState,
  readPostgresMigration,
} from '../stores/postgres/check.ts';
export {
  type PostgresMigration,
  type PostgresMigrationOptions,
  postgresMigration,
} from '../stores/postgres/migration.ts';
export { type DeleteExpiredOptions, deleteExpired } from '../stores/postgres/retention.ts';
export type { ClientOf, PostgresClient, PostgresPool, PostgresRows } from '../stores/postgres/sql.ts';
export { type PostgresStore, type PostgresStoreOptions, postgresStore } from '../stores/postgres/store.ts';
export type { PostgresTableOptions } from '../stores/postgres/table.ts';
export type { Transacted } from '../stores/postgres/transact.ts';
export type { CommitOptions } from '../transactions/commit-claim.ts';
export type { Statements } from '../transactions/postgres/carrier.ts';
export { commit, commitStep, inPhases, type PostgresPhases } from '../transactions/postgres/commit.ts';
export {
  eachTransaction,
  type PostgresTransactionHandler,
  type PostgresTransactionOptions,
} from '../transactions/postgres/each-transaction.ts';
export { CommitRefusedError, type Refusal } from '../transactions/refused.ts';
export type { TransactionOptions } from '../transactions/transaction-consumer.ts';
