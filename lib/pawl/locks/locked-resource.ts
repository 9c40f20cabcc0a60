import type { FoundResource } from './found-resource.ts';
import type { LockStatus } from './record.ts';
import type { Resource } from './resource.ts';

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
