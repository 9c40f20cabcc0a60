export type { ClaimStore } from '../rules/store.ts';
export { type BesideOptions, besidePowertools } from './beside.ts';
export type { PowertoolsRecords } from './beside-store.ts';
export type { IdempotencyLambdaHandlerOptions } from './call.ts';
export { IdempotencyConfig, type IdempotencyConfigOptions, type RemainingTime, type ResponseHook } from './config.ts';
export {
  IdempotencyAlreadyInProgressError,
  IdempotencyKeyError,
  IdempotencyPersistenceLayerError,
  IdempotencyUnknownError,
  IdempotencyValidationError,
} from './errors.ts';
export type { JSONValue } from './json.ts';
export { DynamoDBPersistenceLayer, type DynamoDBPersistenceOptions } from './layer.ts';
export { makeHandlerIdempotent } from './make-handler-idempotent.ts';
export { type AnyFunction, type ItempotentFunctionOptions, makeIdempotent } from './make-idempotent.ts';
export { IdempotencyRecord } from './record.ts';
export { CachePersistenceLayer, idempotent } from './refused.ts';
export type { RecordTableOptions } from './table-options.ts';
