import { expect } from '../kernel/check.ts';
import { insisting } from './bounded.ts';
import { heard } from './heard.ts';
import type { LockSettings } from './options.ts';
import type { LockRecord } from './record.ts';
import type { Resource } from './resource.ts';
import { endLock, extendLock, keepLock, type LockTransition } from './settle.ts';

/** Who has a resource, since when, why, and until when unless that is renewed. Times are epoch milliseconds. */
export interface HeldBy {
  readonly resource: Resource;
  readonly lockId: string;
  /** `kept`: nobody is at it; it waits for the holder's next attempt. */
  readonly status: 'held' | 'kept';
  readonly holder: string;
  readonly reason: string;
  readonly since: number;
  readonly until: number;
}

/** Resources that are locked for this worker. */
export interface Lock {
  /** The token of this grant. */
  readonly id: string;
  readonly holder: string;
  /** Without repetitions, in the order in which they are locked. */
  readonly resources: readonly Resource[];
  /** Since when the holder has had them, over all its attempts. Epoch milliseconds. */
  readonly since: number;
  /** Resources of other holders whose leases had ended: what these were at may be half done. */
  readonly takenOver: readonly HeldBy[];
  /** Milliseconds until the lease ends. */
  remainingMs(): number;
  /**
   * The fence of one of the resources: it grows with every lock of it, and never goes back. For conditions on items of your
   * own, see `fencedBy`.
   *
   * @throws RangeError when the resource is not of this lock
   */
  fence(resource: Resource): number;
  /** Extends the lease by `leaseMs` from now. `stale`: somebody else has taken over, nothing was changed. */
  renew(): Promise<'renewed' | 'stale'>;
  /** Frees all resources, in one write. `stale`: they were not this worker's any more; nothing was changed. */
  unlock(): Promise<'unlocked' | 'stale'>;
  /**
   * Leaves all resources locked for the holder's next attempt, and ends this one: `stillHeld` fails from now on.
   *
   * @param keepMs how long they wait for it, in milliseconds. @default the option `keepMs`
   * @throws OptionError when that is no number, or less than 0
   */
  keep(keepMs?: number): Promise<'kept' | 'stale'>;
}

/** What the owner of a lock does with it after it was granted. */
export function ownLock(settings: LockSettings, granted: LockRecord) {
  const { store, host, leaseMs, keepMs } = settings;
  let record = granted;

  /** A renewal that was answered late must not set back what was unlocked meanwhile. */
  function remember(written: LockRecord): void {
    if (written.rev > record.rev) record = written;
  }

  async function change(transition: (found: LockRecord | undefined) => LockTransition): Promise<'applied' | 'stale'> {
    let found: LockRecord | undefined = record;
    for (let isKnown = false; ; isKnown = true) {
      const next = transition(found);
      if (next === 'applied' && !isKnown) {
        // As far as this worker remembers. What stands there now, only the store can tell.
        [found] = (await insisting(settings, () => store.read([granted.id]))) as [LockRecord | undefined];
        continue;
      }
      if (next === 'applied' && found) remember(found);
      if (typeof next === 'string') return next;
      const seen = found;
      const result = await insisting(settings, () => store.write([{ next, seen }]));
      if (result.applied) {
        remember(next);
        return 'applied';
      }
      found = result.found[0] as LockRecord | undefined;
    }
  }

  return {
    remainingMs: () => record.leaseUntil - host.now(),
    renew: () => heard('lock.renew', renew()),
    unlock: () => heard('lock.unlock', unlock()),
    keep: (forMs = keepMs) => heard('lock.keep', keep(forMs)),
  } satisfies Partial<Lock>;

  async function renew() {
    const until = host.now() + leaseMs;
    const result = await change((found) => extendLock(granted.id, found, until));
    return result === 'applied' ? 'renewed' : result;
  }

  async function unlock() {
    const result = await change((found) => endLock(granted.id, found));
    return result === 'applied' ? 'unlocked' : result;
  }

  async function keep(forMs: number) {
    // Of no number, the time would be in the record: the resources would be anybody's at once, or nobody's for ever.
    expect(Number.isFinite(forMs) && forMs >= 0, 'keepMs', 'a number, 0 or more', forMs);
    const until = host.now() + forMs;
    const result = await change((found) => keepLock(granted.id, found, until));
    return result === 'applied' ? 'kept' : result;
  }
}
