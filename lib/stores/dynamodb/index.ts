export type { KeepsNotes } from '../../claims/notes.ts';
export { type BackfillOptions, type BackfillProgress, backfillOpenClaims } from './backfill.ts';
export { OpenIndexError } from './errors.ts';
export { individualDynamoStore } from './individual.ts';
export type { TableOptions } from './options.ts';
export { type DynamoStoreOptions, dynamoStore } from './store.ts';
export type { DynamoTransport, Operation } from './transport.ts';
