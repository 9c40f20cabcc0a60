export { postgresLockStore } from '../locks/postgres/store.ts';
export type { LockStore } from '../locks/store.ts';
export type { KeepsNotes } from '../rules/notes.ts';
export type { ListsOpenClaims } from '../rules/open-claims.ts';
export type { ClaimStore } from '../rules/store.ts';
export { type PostgresMigration, postgresMigration } from '../stores/postgres/migration.ts';
export type { PostgresClient, PostgresPool, PostgresRows } from '../stores/postgres/sql.ts';
export { postgresStore } from '../stores/postgres/store.ts';
export type { PostgresStoreOptions, PostgresTableOptions } from '../stores/postgres/table.ts';
