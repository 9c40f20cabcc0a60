/** What the tools of pawl see of the engine and its stores. For them alone, in the same version: nothing here is promised to anybody else. */
export type { Aws, SqsTransport } from './aws/aws.ts';
export type { Claim } from './engine/claim.ts';
export type { ClaimEvent } from './engine/events.ts';
export { forgetHandlersLater } from './engine/inside-step.ts';
export { type OnceOutcome, once } from './engine/once.ts';
export { renewedLease } from './engine/renewed-lease.ts';
export { nodeHost } from './host.ts';
export { hiding, isHidden } from './kernel/key-hash.ts';
export type { Lock } from './locks/owned-lock.ts';
export type { LockRecord, ResourceRecord, StoredRecord } from './locks/record.ts';
export type { Resource } from './locks/resource.ts';
export { type Locks, resourceLocks, type TryLockAllResult } from './locks/resource-locks.ts';
export type { LockStore, LockWrite, LockWriteResult } from './locks/store.ts';
export { openStates } from './operate/claim-view.ts';
export { youngestDoubt, youngestStepDoubt } from './operate/young-doubt.ts';
export { bodyField } from './payload/keys.ts';
export { forgetRefusal } from './rules/forget.ts';
export { identify, namesIn } from './rules/identity.ts';
export { type KeepsNotes, keepsNotes, type Note, noteSchema, type PlaceEntry } from './rules/notes.ts';
export { openShard, statementDue, unstatedPlace } from './rules/open.ts';
export {
  type ListsOpenClaims,
  listsOpenClaims,
  type OpenClaim,
  type OpenQuery,
  openClaimOf,
} from './rules/open-claims.ts';
export { type ClaimRecord, claimSchema, type Draft, resolutionVerdicts } from './rules/record.ts';
export { stated } from './rules/stated.ts';
export { type ClaimStore, type ClaimWrite, unchanged, type WriteResult } from './rules/store.ts';
export { successor } from './rules/successor.ts';
export type { InvocationContext, SqsEvent, SqsRecord } from './sqs/event.ts';
export { type MessageKey, messageAttribute, messageId } from './sqs/keys.ts';
export type { SqsOptions } from './sqs/options.ts';

export { findingKinds } from './statements/finding.ts';
export { type StandIn, standInForAws } from './stores/dynamodb/stand-in.ts';
export { withListing } from './stores/listing.ts';
export { memoryStore } from './stores/memory.ts';
