import type { LockRecord, LockStatus, ResourceRecord, StoredRecord } from './record.ts';
import type { Resource } from './resource.ts';

/** A resource as the store has it, with the lock that it names. */
export interface FoundResource {
  readonly id: string;
  readonly resource: ResourceRecord | undefined;
  readonly lock: LockRecord | undefined;
}

/** A resource that is locked: by whom, since when, why, and until when unless that is renewed. Times are epoch milliseconds. */
export interface LockedResource {
  readonly resource: Resource;
  readonly lockId: string;
  /** `kept`: no worker is at it; it waits for the holder's next attempt. */
  readonly status: Exclude<LockStatus, 'ended'>;
  readonly holder: string;
  readonly reason: string;
  readonly since: number;
  readonly until: number;
}

/** The locks that resources name: to be read after the resources, because a lock that was read before could be too old to be the one named. */
export function namedLocks(resources: readonly (StoredRecord | undefined)[]): readonly string[] {
  return [...new Set(resources.flatMap((one) => (one?.kind === 'resource' ? one.lockId : [])))];
}

/**
 * Puts together what two reads have found.
 *
 * @param ids of the resources
 * @param resources in the order of the ids
 * @param locks those that the resources name, in any order
 */
export function foundResources(
  ids: readonly string[],
  resources: readonly (StoredRecord | undefined)[],
  locks: readonly (StoredRecord | undefined)[],
): readonly FoundResource[] {
  const byId = new Map(locks.flatMap((lock) => (lock?.kind === 'lock' ? [[lock.id, lock] as const] : [])));
  return ids.map((id, index) => {
    const found = resources[index];
    const resource = found?.kind === 'resource' ? found : undefined;
    return { id, resource, lock: resource && byId.get(resource.lockId) };
  });
}

/** Those that are locked, as people and other holders see them. @param named the resources by their ids */
export function lockedResources(
  found: Iterable<FoundResource>,
  named: ReadonlyMap<string, Resource>,
): readonly LockedResource[] {
  return [...found].flatMap(({ id, lock }) => {
    if (lock === undefined || lock.status === 'ended') return [];
    const { id: lockId, status, holder, reason, since, leaseUntil } = lock;
    return [{ resource: named.get(id) ?? id, lockId, status, holder, reason, since, until: leaseUntil }];
  });
}
