export type { HeldAnswer, LockAnswer } from './acquire.ts';
export { decideLock, type Found, type LockDecision, type LockRequest, type LockRules } from './decide.ts';
export { claimHeld } from './dynamodb/claim-held.ts';
export {
  type ForEachItemAnswer,
  type ForEachItemOptions,
  forEachItem,
  readProgress,
  type WritesFor,
} from './dynamodb/for-each-item.ts';
export { ChunkRefusedError, WorkChangedError, type WorkName } from './dynamodb/progress.ts';
export {
  type DynamoLockStore,
  type DynamoLockStoreOptions,
  dynamoLockStore,
  type TransactAction,
  UnknownLockError,
} from './dynamodb/store.ts';
export { LockKeptError, NestedLockError, ResourcesBusyError, WorkUnfinishedError } from './errors.ts';
export { type Fenced, fencedBy } from './fenced-by.ts';
export type { HeldBy, Lock } from './lock.ts';
export {
  type Locks,
  resourceLocks,
  type WithLockAnswer,
  type WithLockOptions,
  type Worked,
  type WorkingLock,
} from './locks.ts';
export { type MemoryLockStore, memoryLockStore } from './memory.ts';
export type { LockAllOptions, LocksOptions } from './options.ts';
export type { LockRecord, LockStatus, ResourceRecord, StoredRecord } from './record.ts';
export type { Resource } from './resource.ts';
export type { Progress } from './segment.ts';
export { endLock, extendLock, keepLock, type LockTransition } from './settle.ts';
export type { LockStore, LockWrite, LockWriteResult } from './store.ts';
export type { Settled, UnlockRule, UnlockRules } from './unlock-rules.ts';
