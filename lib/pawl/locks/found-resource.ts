import type { LockRecord, ResourceRecord, StoredRecord } from './record.ts';

/** A resource as the store has it, with the lock that it names. */
export interface FoundResource {
  readonly id: string;
  readonly resource: ResourceRecord | undefined;
  readonly lock: LockRecord | undefined;
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
