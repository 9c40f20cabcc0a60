export type { TransactAction } from '../stores/dynamodb/marshall-action.ts';
export { decideLock, type LockDecision, type LockRequest, type LockRules } from './decide.ts';
export type { WritesFor } from './dynamodb/attempt.ts';
export { claimHeld } from './dynamodb/claim-held.ts';
export {
  type ForEachItemOptions,
  type ForEachItemResult,
  forEachItem,
  readProgress,
} from './dynamodb/for-each-item.ts';
export { type DynamoLockStore, dynamoLockStore } from './dynamodb/store.ts';
export {
  ChunkRefusedError,
  LockKeptError,
  NestedLockError,
  ResourcesBusyError,
  WorkChangedError,
  WorkUnfinishedError,
} from './errors.ts';
export { type Fenced, fencedBy } from './fenced-by.ts';
export type { FoundResource } from './found-resource.ts';
export { UnknownLockError } from './known-lock.ts';
export type { LockView } from './lock-view.ts';
export type { LockedResource } from './locked-resource.ts';
export { type MemoryLockStore, memoryLockStore } from './memory.ts';
export { type LockOperator, type LockOperatorOptions, lockOperator } from './operator.ts';
export type { LockAllOptions, LocksOptions } from './options.ts';
export type { Lock } from './owned-lock.ts';
export type { Progress, WorkName } from './progress.ts';
export type { LockRecord, LockStatus, ReleasedLock, ResourceRecord, StoredRecord } from './record.ts';
export type {
  LockReleasedEvent,
  LockStays,
  PlannedRelease,
  ReleasePlan,
  ReleaseResult,
  ReleaseWanted,
} from './release.ts';
export type { Resource } from './resource.ts';
export {
  type BusyResources,
  type Locks,
  resourceLocks,
  type TryLockAllResult,
  type TryWithLockResult,
} from './resource-locks.ts';
export { endLock, extendLock, keepLock, type LockTransition, type ReleaseRefusal } from './settle.ts';
export { type LockStore, type LockWrite, type LockWriteResult, type OperatesLocks, unchanged } from './store.ts';
export type { Settled, UnlockRule, UnlockRules } from './unlock-rules.ts';
export type { WithLockOptions, Work, Worked, WorkingLock } from './with-lock.ts';
