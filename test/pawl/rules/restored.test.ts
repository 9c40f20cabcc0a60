import { describe, expect, it } from 'vitest';
import { decide } from '../../../lib/pawl/rules/decide.ts';
import { asRestored, isForgottenRecord } from '../../../lib/pawl/rules/restored.ts';
import { settle } from '../../../lib/pawl/rules/settle.ts';
import { record, request, rules } from '../../support/records.ts';
import { someDay } from '../../support/virtual-host.ts';

const { id } = record();
const reopenedAt = someDay;
const later = someDay + 60_000;
const before = { firstSeenAt: someDay - 900_000, leaseUntil: someDay - 600_000 };
const restored = (found?: Parameters<typeof asRestored>[1]) => asRestored(id, found, { reopenedAt }, later);

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

  it.each([
    ['before the mark', reopenedAt - 1],
    ['at the mark', reopenedAt],
    ['after the mark', reopenedAt + 60_000],
  ])(
    'is in doubt where it was in flight and its lease ends %s: its worker may have completed it since',
    (_, leaseUntil) => {
      const shown = restored(record({ ...before, status: 'in-flight', leaseUntil }));
      expect(shown).toMatchObject({ restoredAt: reopenedAt, forgottenUntil: reopenedAt });
      const decided = decide(shown, request('new'), rules, Math.max(later, leaseUntil) + rules.skewMs);
      expect(decided).toMatchObject({ kind: 'taken-over', record: { forgottenUntil: reopenedAt } });
      expect(decided.record.unknownAt).toBeGreaterThanOrEqual(reopenedAt);
    },
  );

  it('is in doubt where its attempt was one transaction, whatever fences the key has had: it may have been completed and taken over since', () => {
    const fence = Math.floor(reopenedAt / 1000);
    const shown = restored(record({ ...before, status: 'in-flight', fence, atomic: fence }));
    const decided = decide(shown, request('new'), { ...rules, onAbandoned: 'park' }, later);
    expect(decided).toMatchObject({ kind: 'parked', record: { unknownAt: reopenedAt } });
  });

  it('waits for a lease that ends after the mark: the clock of its worker may be ahead', () => {
    const shown = restored(record({ ...before, status: 'in-flight', leaseUntil: later + 5000 }));
    expect(decide(shown, request('new'), rules, later).kind).toBe('in-flight');
  });

  it.each(['released', 'in-flight'] as const)(
    'has every step in doubt that had not been applied where it was %s: a later attempt may have applied it',
    (status) => {
      const at = before.firstSeenAt;
      const parts = [
        { name: 'charge', state: 'done', at, result: '1' },
        null,
        { name: 'receipt', state: 'open', at, fence: 1 },
        { name: 'stock', state: 'started', at, fence: 1 },
      ];
      const shown = restored(record({ ...before, status, checkpoints: JSON.stringify(parts) }));
      expect(JSON.parse(shown.checkpoints ?? '')).toEqual([
        parts[0],
        null,
        { ...parts[2], state: 'started', at: reopenedAt },
        { ...parts[3], at: reopenedAt },
      ]);
    },
  );

  it.each(['completed', 'rejected'] as const)('stays as it is where it was %s', (status) => {
    const found = record({ ...before, status });
    expect(restored(found)).toBe(found);
  });

  it.each(['completed', 'rejected'] as const)(
    'is forgotten where it was %s and not kept until the mark: its key was new in the lost time',
    (status) => {
      const kept = record({ ...before, status, expiresAt: later / 1000 + 1 });
      expect(restored(kept)).toBe(kept);
      const found = record({ ...before, status, fence: 3, expiresAt: reopenedAt / 1000 });
      expect(decide(restored(found), request('new'), { ...rules, onAbandoned: 'park' }, later)).toMatchObject({
        kind: 'parked',
        record: { claimId: found.claimId, rev: found.rev + 1, unknownAt: reopenedAt },
      });
    },
  );

  it.each(['completed', 'rejected'] as const)(
    'is new where it was %s, kept until the mark, and is not kept any more: what is written then is written under the mark',
    (status) => {
      const found = record({ ...before, status, expiresAt: reopenedAt / 1000 + 1 });
      const granted = decide(restored(found), request('worker'), { ...rules, onAbandoned: 'park' }, later);
      expect([granted.kind, granted.record.unknownAt]).toEqual(['granted', undefined]);
      const error = { name: 'RetryableError', message: 'the provider asks to slow down' };
      const released = settle('worker', granted.record, { status: 'released', error }, rules, later);
      if (typeof released === 'string') throw new Error(released);
      expect(decide(restored(released), request('next'), { ...rules, onAbandoned: 'park' }, later).kind).toBe(
        'granted',
      );
    },
  );

  it('stays parked where it was parked, and its fence moves on: it may have been resolved since', () => {
    const shown = restored(record({ ...before, status: 'parked', fence: 2 }));
    expect(shown).toMatchObject({ status: 'parked', restoredAt: reopenedAt, forgottenUntil: reopenedAt });
    expect(shown.fence).toBeGreaterThan(1_700_000_000);
  });

  it('is in doubt by a time that is ahead as well: only the record says that it was written under the mark', () => {
    const ahead = { firstSeenAt: later, leaseUntil: later + 1000 };
    expect(restored(record({ ...ahead, status: 'released' }))).toMatchObject({ unknownAt: reopenedAt });
  });

  it('is in doubt once more where it was written under the mark of an earlier restore', () => {
    const first = restored(record({ ...before, status: 'released' }));
    const second = asRestored(id, first, { reopenedAt: later }, later);
    expect(second).toMatchObject({ restoredAt: later, forgottenUntil: later, unknownAt: later });
  });
});

describe('a record that was written under the mark', () => {
  const grantedNow = decide(restored(), request('worker', { leaseUntil: later + 5000 }), rules, later).record;

  it('stays as it is', () => {
    expect(restored(grantedNow)).toBe(grantedNow);
  });

  it('is not put in doubt again, also after its retention', () => {
    const completed = settle('worker', grantedNow, { status: 'completed' }, { retentionSeconds: 1 }, later);
    if (typeof completed === 'string') throw new Error(completed);
    const anew = decide(restored(completed), request('next'), rules, later + 10_000);
    expect(anew.kind).toBe('granted');
    expect([anew.record.unknownAt, anew.record.forgottenUntil]).toEqual([undefined, undefined]);
    expect(restored(anew.record)).toBe(anew.record);
  });

  it('stays as it is where its provider has said that nothing was applied', () => {
    const asked = { ...rules, onAbandoned: 'reconcile' } as const;
    const old = restored(record({ ...before, status: 'released', unknownAt: undefined }));
    const granted = decide(old, { ...request('sweep'), leaseUntil: later }, asked, later).record;
    const error = { name: 'NotApplied', message: '' };
    const released = settle('sweep', granted, { status: 'released', error, doubtEnded: true }, asked, later);
    if (typeof released === 'string') throw new Error(released);
    expect(released.forgottenUntil).toBeUndefined();
    expect(restored(released)).toBe(released);
    expect(decide(restored(released), request('new'), { ...rules, onAbandoned: 'park' }, later).kind).toBe('granted');
  });

  it('keeps its other parts in doubt where its provider has spoken of some steps', () => {
    const checkpoints = JSON.stringify([{ name: 'charge', state: 'started', at: before.firstSeenAt }]);
    const old = restored(record({ ...before, status: 'released', checkpoints }));
    const granted = decide(old, { ...request('sweep'), leaseUntil: later }, rules, later).record;
    const steps = new Map([['charge', 'not-applied' as const]]);
    const error = { name: 'StepsDecided', message: '' };
    const outcome = { status: 'released', error, doubtEnded: true, steps } as const;
    expect(settle('sweep', granted, outcome, rules, later)).toMatchObject({
      unknownAt: undefined,
      forgottenUntil: reopenedAt,
    });
  });
});
