import { describe, expect, it } from 'vitest';
import { decide } from '../../lib/claims/decide.ts';
import { asRestored, isForgottenRecord } from '../../lib/claims/restored.ts';
import { settle } from '../../lib/claims/settle.ts';
import { record, request, rules } from '../support/records.ts';
import { someDay } from '../support/virtual-host.ts';

const { id } = record();
const reopenedAt = someDay;
const later = someDay + 60_000;
const before = { firstSeenAt: someDay - 900_000, leaseUntil: someDay - 600_000 };
const restored = (found?: Parameters<typeof asRestored>[1]) => asRestored(id, found, { reopenedAt });

describe('a key that a restored table does not have', () => {
  it.each([
    ['park', 'parked'],
    ['reconcile', 'granted'],
    ['retry', 'granted'],
  ] as const)('is in doubt, and under %s it is %s', (onAbandoned, kind) => {
    const decided = decide(restored(), request('new'), { ...rules, onAbandoned }, later);
    expect(decided).toMatchObject({ kind, record: { unknownAt: reopenedAt } });
    expect(isForgottenRecord(restored())).toBe(true);
  });

  it('has a fence beyond every one that the lost minutes may have given', () => {
    const decided = decide(restored(), request('new'), rules, later);
    expect(decided.record.fence).toBeGreaterThan(1_700_000_000);
  });
});

describe('a record of a restored table', () => {
  it('is in doubt where it was released before, and may have been completed since', () => {
    expect(restored(record({ ...before, status: 'released', fence: 2 }))).toMatchObject({ unknownAt: reopenedAt });
  });

  it('is in doubt from the reopening on where it was in flight', () => {
    const found = record({ ...before, status: 'in-flight' });
    const decided = decide(restored(found), request('new'), { ...rules, onAbandoned: 'reconcile' }, later);
    expect(decided).toMatchObject({
      kind: 'taken-over',
      record: { unknownAt: reopenedAt, abandoned: found.abandoned + 1 },
    });
  });

  it.each(['completed', 'rejected', 'parked'] as const)('stays as it is where it was %s', (status) => {
    const found = record({ ...before, status });
    expect(restored(found)).toBe(found);
  });

  it.each(['released', 'in-flight'] as const)(
    'stays as it is where it was first seen, or resolved, since: %s',
    (status) => {
      const found = record({ status, firstSeenAt: later, leaseUntil: later + 1000 });
      expect(restored(found)).toBe(found);
    },
  );

  it('stays as it is where a worker has been granted it since', () => {
    const found = record({ ...before, status: 'in-flight', leaseUntil: later });
    expect(restored(found)).toBe(found);
  });

  it('stays as it is where it was granted since, and its provider has said that nothing was applied', () => {
    const asked = { ...rules, onAbandoned: 'reconcile' } as const;
    const old = restored(record({ ...before, status: 'released', unknownAt: undefined }));
    const granted = decide(old, { ...request('sweep'), leaseUntil: later }, asked, later).record;
    const error = { name: 'NotApplied', message: '' };
    const released = settle('sweep', granted, { status: 'released', error, doubtEnded: true }, asked, later);
    if (typeof released === 'string') throw new Error(released);
    expect(restored(released)).toBe(released);
    expect(decide(restored(released), request('new'), { ...rules, onAbandoned: 'park' }, later).kind).toBe('granted');
  });
});
