import { expect, it } from 'vitest';
import { decideLock, type LockRequest, newLock } from '../../../lib/pawl/locks/decide.ts';
import type { FoundResource } from '../../../lib/pawl/locks/found-resource.ts';
import type { LockRecord } from '../../../lib/pawl/locks/record.ts';
import { endLock, extendLock, keepLock } from '../../../lib/pawl/locks/settle.ts';
import { someDay } from '../../support/virtual-host.ts';

const request: LockRequest = {
  lockId: '#lock#mine',
  holder: 'request-1',
  reason: '',
  leaseUntil: someDay + 60_000,
  resources: 1,
};
const rules = { skewMs: 1000 };

function lock(overrides: Partial<LockRecord> = {}): LockRecord {
  return { ...newLock({ ...request, lockId: '#lock#theirs', holder: 'request-2' }, someDay), ...overrides };
}

function found(under: LockRecord | undefined, lockId = under?.id ?? '#lock#gone'): FoundResource {
  return {
    id: '#resource#a',
    resource: { kind: 'resource', id: '#resource#a', lockId, fence: 7, v: 'lock-1' },
    lock: under,
  };
}

it('grants what is under a lock that has ended, or that TTL has collected, with the next fence', () => {
  for (const free of [found(lock({ status: 'ended' })), found(undefined)]) {
    const decided = decideLock([free], request, rules, someDay);
    expect(decided).toMatchObject({ kind: 'take', writes: [{ next: { fence: 8, lockId: '#lock#mine' } }] });
  }
});

it('needs no write for what it has already', () => {
  const mine = lock({ id: '#lock#mine', holder: 'request-1' });
  expect(decideLock([found(mine)], request, rules, someDay)).toEqual({ kind: 'take', writes: [] });
});

it('waits for the latest of the leases in the way, and the skew', () => {
  const sooner = lock({ id: '#lock#other', leaseUntil: someDay + 10_000 });
  expect(decideLock([found(lock()), found(sooner)], request, rules, someDay)).toMatchObject({
    kind: 'busy',
    retryAfterMs: 61_000,
  });
});

it('touches nothing of those whose lease is over when somebody else is still there', () => {
  const over = lock({ id: '#lock#over', leaseUntil: someDay - 5000 });
  expect(decideLock([found(over), found(lock())], request, rules, someDay)).toMatchObject({ kind: 'busy' });
});

it('ends a lock whose lease is over before it takes from it, once for all of its resources', () => {
  const over = lock({ leaseUntil: someDay - 1000 });
  const decided = decideLock([found(over), found(over)], request, rules, someDay);
  expect(decided).toMatchObject({
    kind: 'clear',
    writes: [{ next: { status: 'ended', by: '#lock#mine', rev: 2 } }],
  });
});

it('keeps the earlier lock of the same holder, and never for a shorter time', () => {
  const earlier = lock({ holder: 'request-1', leaseUntil: someDay + 90_000 });
  expect(decideLock([found(earlier)], request, rules, someDay)).toMatchObject({
    kind: 'clear',
    writes: [{ next: { status: 'kept', leaseUntil: someDay + 90_000 } }],
  });
  const kept = lock({ holder: 'request-1', status: 'kept' });
  expect(decideLock([found(kept)], request, rules, someDay).kind).toBe('take');
  // For long enough is half of the lease that is asked for: the look that follows the write must find it so.
  for (const [leftMs, kind] of [
    [30_000, 'take'],
    [29_999, 'clear'],
  ] as const) {
    const ending = lock({ holder: 'request-1', status: 'kept', leaseUntil: someDay + leftMs });
    expect(decideLock([found(ending)], request, rules, someDay).kind).toBe(kind);
  }
});

it('lets nobody but its owner change a lock, and nobody at all one that has ended', () => {
  const theirs = { by: '#lock#theirs' };
  const byAnother = { by: '#lock#another' };
  for (const gone of [undefined, lock({ status: 'ended', ...byAnother }), lock({ status: 'kept', ...byAnother })]) {
    expect(extendLock('#lock#theirs', gone, someDay + 99_000)).toBe('stale');
    expect(keepLock('#lock#theirs', gone, someDay + 99_000)).toBe('stale');
    expect(endLock('#lock#theirs', gone)).toBe('stale');
  }
  expect(endLock('#lock#theirs', lock({ status: 'ended', ...theirs }))).toBe('applied');
  expect(endLock('#lock#theirs', lock({ status: 'kept', ...theirs }))).toMatchObject({ status: 'ended' });
  expect(keepLock('#lock#theirs', lock({ status: 'kept', ...theirs }), 0)).toBe('applied');
  expect(extendLock('#lock#theirs', lock({ status: 'kept', ...theirs }), someDay + 99_000)).toBe('stale');
  expect(extendLock('#lock#theirs', lock(), someDay)).toBe('applied');
});
