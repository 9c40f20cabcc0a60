import { joined, ownParts } from '../kernel/name.ts';
import { stepsInDoubt } from './checkpoints.ts';
import { operationOf } from './identity.ts';
import { isObserved, type Seen, withObserved } from './observed.ts';
import type { ClaimRecord } from './record.ts';

/**
 * Which claims an operator may have to look at, and where the index of a store keeps them. The same index keeps the completed claims that no
 * statement of the provider has confirmed, and what was only observed.
 *
 * Owns: what makes a claim open or unstated, and its place in the index. Does not own: when a record is written (`successor` asks here for every write), or how a
 * store lists what is open (`open-claims.ts` is the port).
 *
 * 1. A claim is open while it is parked; while it is in doubt; and while it is in flight, if its grant is watched.
 * 2. A step that is under way is in doubt by its checkpoint, and does not make a claim in flight open: every step would cost two index writes.
 * 3. No rule of `decide` or `settle` reads `open`.
 * 4. An unstated claim is not open, nor is one that was only observed: its place is no shard of the open claims, so no list of them meets it.
 */

/** How many shards the index has. DynamoDB gives one of them 1,000 writes a second. */
export const openShards = 32;

/** What says whether a claim is open. */
type Openness = Seen & Pick<ClaimRecord, 'checkpoints'>;

/**
 * Whether an operator may have to look at a claim.
 *
 * @param watched whether its grant is, while it is in flight
 * @mutant
 */
export function isOpen(record: Openness, watched: boolean): boolean {
  // What was observed beside a claim counts once that is free.
  const { status, unknownAt } = record.status === 'released' ? withObserved(record) : record;
  switch (status) {
    case 'parked':
      return true;
    case 'in-flight':
      return watched || unknownAt !== undefined;
    case 'released':
      return unknownAt !== undefined || stepsInDoubt(record).length > 0;
    default:
      return false;
  }
}

/** Whether the grant of this claim is watched: it says so by being open, and keeps that while it is in flight. */
export function isWatched(found: Pick<ClaimRecord, 'status' | 'open'> | undefined): boolean {
  return found?.status === 'in-flight' && found.open !== undefined;
}

/**
 * The shard of an id: `00` to `31`. FNV-1a, because it spreads keys that count up, and needs no crypto.
 *
 * It never changes. A shard that is computed otherwise moves the entry of a claim with its next write, which costs two index writes for one.
 */
export function openShard(id: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  // The low bits of FNV alone depend on the low bits of the text alone.
  return shardName(((hash ^ (hash >>> 16)) >>> 0) % openShards);
}

/** Where the index keeps a claim; `undefined`: it is not in the index. */
export function placeInIndex(
  record: Openness & Pick<ClaimRecord, 'id' | 'statement'>,
  watched: boolean,
): string | undefined {
  if (isObserved(record)) return observedPlace(operationOf(record.id), openShard(record.id));
  if (isOpen(record, watched)) return openShard(record.id);
  return isUnstated(record) ? unstatedPlace(operationOf(record.id), openShard(record.id)) : undefined;
}

/** Whether a claim is completed, and no statement of the provider has confirmed it. */
export function isUnstated({ status, statement }: Pick<ClaimRecord, 'status' | 'statement'>): boolean {
  return status === 'completed' && statement === statementDue;
}

/** The `statement` of a claim that waits for one. */
export const statementDue = 'due';

/** The place of what was observed of an operation in one shard: nobody has to do anything about it. No shard of the open claims begins like this. */
export function observedPlace(operation: string, shard: string): string {
  return joined(ownParts('observed', operation, shard));
}

/** The place of the unstated claims of an operation in one shard. No shard of the open claims begins like this. */
export function unstatedPlace(operation: string, shard: string): string {
  return joined(ownParts('unstated', operation, shard));
}

export function shardName(shard: number): string {
  return String(shard).padStart(2, '0');
}
