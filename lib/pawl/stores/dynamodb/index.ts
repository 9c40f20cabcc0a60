export type { KeepsNotes } from '../../rules/notes.ts';
export type { ListsOpenClaims } from '../../rules/open-claims.ts';
export type { ClaimStore } from '../../rules/store.ts';
export { OpenIndexError } from './errors.ts';
export { individualDynamoStore } from './individual.ts';
export type { ClaimTableOptions, TableOptions } from './options.ts';
export type { LiftedFor, RestoreCorrection, RestoredMark } from './restore-mark.ts';
export {
  correctRestore,
  type LiftRestoreOptions,
  liftRestore,
  type MarkRestoredOptions,
  markRestored,
  type RestoredTableOptions,
  readRestored,
} from './restored.ts';

export { type DynamoStoreOptions, dynamoStore } from './store.ts';
export type { DynamoTransport, Operation } from './transport.ts';
