export type { Aws, DynamoOperation, DynamoTransport, SqsOperation, SqsTransport } from '../../aws/aws.ts';
export { type SdkOptions, sdk } from '../../aws/sdk.ts';
export type { ClaimStore } from '../../rules/store.ts';
export { readAllRecords } from './all-records.ts';
export { OpenIndexError } from './open-index-error.ts';
export type { DynamoStoreOptions, TableOptions } from './options.ts';
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
export { type RestoredTable, restoredTable } from './restored-store.ts';
export { dynamoStore, individualDynamoStore } from './sdk-stores.ts';
export type { DynamoStore } from './store.ts';
