import { change } from '../kernel/change.ts';
import { expect } from '../kernel/check.ts';
import { heard } from '../kernel/heard.ts';
import type { RetryPolicy } from '../kernel/retry.ts';
import type { LockedResource } from './locked-resource.ts';
import type { LockSettings } from './options.ts';
import type { LockRecord } from './record.ts';
import { heldMsOf, reportLock } from './report.ts';
import { ask, policyOf, unavailable, writeLock } from './requests.ts';
import type { Resource } from './resource.ts';
import { endLock, extendLock, keepLock, type LockTransition } from './settle.ts';

/** Resources that are locked for this worker. */
export interface Lock {
  /** The token of this grant. */
  readonly id: string;
  readonly holder: string;
  /** Without repetitions, in the order in which they are locked. */
  readonly resources: readonly Resource[];
  /** Since when the holder has had them, over all its attempts. Epoch milliseconds. */
  readonly since: number;
  /** Resources of other holders whose leases had ended: their work on these may be half done. */
  readonly takenOver: readonly LockedResource[];
  /** Milliseconds until the lease ends. */
  remainingMs(): number;
  /**
   * The fence of one of the resources: it grows with every lock of it, and never goes back. For conditions on items of your
   * own, see `fencedBy`.
   *
   * @throws RangeError when the resource is not of this lock
   */
  fence(resource: Resource): number;
  /** Extends the lease by `leaseMs` from now. `stale`: another worker has taken over, nothing was changed. */
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

/** A lock after it was granted, as its owner knows it. */
export interface OwnedLock {
  readonly settings: LockSettings;
  readonly lockId: string;
  /** The newest state that a response has shown. */
  known: LockRecord;
  /** It was found to be no longer this worker's, and that was reported. */
  isLost: boolean;
}

/** What the owner of a lock may do with it. */
export function actionsOf(owned: OwnedLock): Pick<Lock, 'remainingMs' | 'renew' | 'unlock' | 'keep'> {
  const { keepMs } = owned.settings;
  return {
    remainingMs: () => remainingMs(owned),
    renew: () => heard('lock.renew', renew(owned)),
    unlock: () => heard('lock.unlock', unlock(owned)),
    keep: (forMs = keepMs) => heard('lock.keep', keep(owned, forMs)),
  };
}

/** Milliseconds until the lease ends, as far as its owner knows. */
export function remainingMs({ settings, known }: OwnedLock): number {
  return known.leaseUntil - settings.host.now();
}

/** Extends the lease. @param until when to give up, in epoch milliseconds */
export async function extend(owned: OwnedLock, until?: number): Promise<'applied' | 'stale'> {
  const { lockId, settings } = owned;
  const { host, leaseMs } = settings;
  const leaseUntil = host.now() + leaseMs;
  const policy = policyOf(settings);
  const extended = (found: LockRecord | undefined) => extendLock(lockId, found, leaseUntil);
  const made = await make(owned, extended, { ...policy, until: until ?? policy.until });
  if (made === 'stale') reportLost(owned);
  return made;
}

async function renew(owned: OwnedLock): Promise<'renewed' | 'stale'> {
  return (await extend(owned)) === 'applied' ? 'renewed' : 'stale';
}

async function unlock(owned: OwnedLock): Promise<'unlocked' | 'stale'> {
  const made = await make(owned, (found) => endLock(owned.lockId, found));
  if (made === 'stale') reportLost(owned);
  else reportLock(owned.settings, owned.lockId, { type: 'unlocked', ...factsOf(owned) });
  return made === 'applied' ? 'unlocked' : 'stale';
}

async function keep(owned: OwnedLock, forMs: number): Promise<'kept' | 'stale'> {
  // Of no number, the time would be in the record: the resources would be free at once, or locked for ever.
  expect(Number.isFinite(forMs) && forMs >= 0, 'keepMs', 'a number, 0 or more', forMs);
  const until = owned.settings.host.now() + forMs;
  const made = await make(owned, (found) => keepLock(owned.lockId, found, until));
  if (made === 'stale') reportLost(owned);
  else reportLock(owned.settings, owned.lockId, { type: 'lock-kept', ...factsOf(owned), keptMs: forMs });
  return made === 'applied' ? 'kept' : 'stale';
}

/** What the events of a lock have in common. */
function factsOf({ known, settings }: OwnedLock): { readonly resources: number; readonly heldMs: number } {
  return { resources: known.resources, heldMs: heldMsOf(known, settings.host.now()) };
}

/** Once a lock: its work may find it out at each renewal, and at its end. */
export function reportLost(owned: OwnedLock): void {
  if (owned.isLost) return;
  owned.isLost = true;
  reportLock(owned.settings, owned.lockId, { type: 'lock-lost', ...factsOf(owned) });
}

/** Makes one transition of the lock true. @throws StoreUnavailableError */
async function make(
  owned: OwnedLock,
  transition: (found: LockRecord | undefined) => LockTransition,
  policy: RetryPolicy = policyOf(owned.settings),
): Promise<'applied' | 'stale'> {
  const { store, host } = owned.settings;
  let seen: LockRecord | undefined = owned.known;
  // What this worker remembers may be over: another attempt may have the lock by now. Only the store can tell.
  if (transition(seen) === 'applied') seen = await readLock(owned, policy.until);
  try {
    const made = await change(host, { ...policy, seen, transition, write: (write) => writeLock(store, write) });
    if (made.kind === 'applied' && made.record) remember(owned, made.record);
    return made.kind;
  } catch (cause) {
    throw unavailable(cause);
  }
}

async function readLock({ settings, lockId }: OwnedLock, until: number): Promise<LockRecord | undefined> {
  const [found] = await ask(settings, () => settings.store.read([lockId]), until);
  return found?.kind === 'lock' ? found : undefined;
}

/** A renewal whose response came late must not set back what was unlocked meanwhile. */
function remember(owned: OwnedLock, written: LockRecord): void {
  if (written.rev > owned.known.rev) owned.known = written;
}
