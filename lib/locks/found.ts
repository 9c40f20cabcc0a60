import type { Found } from './decide.ts';
import type { HeldBy } from './lock.ts';
import type { LockRecord, ResourceRecord } from './record.ts';
import type { Resource } from './resource.ts';
import type { LockStore } from './store.ts';

/** Reads resources, and the locks that they name after them: read before them, a lock could be too old to be the one named. */
export async function readResources(store: LockStore, ids: readonly string[]): Promise<readonly Found[]> {
  const resources = (await store.read(ids)) as readonly (ResourceRecord | undefined)[];
  const lockIds = [...new Set(resources.flatMap((resource) => resource?.lockId ?? []))];
  const locks = (lockIds.length > 0 ? await store.read(lockIds) : []) as readonly (LockRecord | undefined)[];
  const byId = new Map(locks.map((lock) => [lock?.id, lock]));
  return ids.map((id, index) => {
    const resource = resources[index];
    return { id, resource, lock: resource && byId.get(resource.lockId) };
  });
}

/** What people and other holders are told about resources that are locked. */
export function heldBy(found: readonly Found[], named: ReadonlyMap<string, Resource>): readonly HeldBy[] {
  return found.flatMap(({ id, lock }) => {
    if (lock === undefined || lock.status === 'ended') return [];
    const { id: lockId, status, holder, reason, since, leaseUntil } = lock;
    return [{ resource: named.get(id) ?? id, lockId, status, holder, reason, since, until: leaseUntil }];
  });
}
