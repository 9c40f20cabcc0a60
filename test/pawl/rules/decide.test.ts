import { describe, expect, it } from 'vitest';
import { decide } from '../../../lib/pawl/rules/decide.ts';
import { record, request, rules } from '../../support/records.ts';
import { someDay } from '../../support/virtual-host.ts';

const lease = someDay + 30_000;
/** The first moment at which a lease that ends at `lease` may be taken over. */
const over = lease + rules.skewMs;

describe('decide', () => {
  it('grants what nobody has claimed, with fence 1, if it is still absent', () => {
    expect(decide(undefined, request('second'), rules, someDay)).toMatchObject({
      kind: 'granted',
      write: { next: { status: 'in-flight', claimId: 'second', fence: 1, attempts: 1 }, seen: undefined },
    });
  });

  it('knows its own write again, so that a lost answer does not lock it out', () => {
    const own = record({ claimId: 'second' });
    expect(decide(own, request('second'), rules, someDay)).toEqual({
      kind: 'granted',
      record: own,
    });
  });

  it('still asks the provider when its own takeover is known again, and not only when it is answered at once', () => {
    const asks = { ...rules, onAbandoned: 'reconcile' } as const;
    const first = decide(record(), request('second'), asks, over);
    expect(first).toMatchObject({ kind: 'taken-over', record: { unknownAt: expect.any(Number) } });
    expect(decide(first.record, request('second'), asks, over)).toMatchObject({
      kind: 'granted',
      record: { unknownAt: expect.any(Number) },
    });
  });

  it.each([
    ['while the lease runs', someDay, 31_000],
    ['at the very end of the lease', lease, 1000],
    ['within the allowed skew', over - 1, 1],
  ])('is in flight %s', (_, now, retryAfterMs) => {
    expect(decide(record(), request('second'), rules, now)).toMatchObject({ kind: 'in-flight', retryAfterMs });
  });

  it('takes over when lease and skew are over: fence and attempts move on, the earlier attempt is counted as abandoned', () => {
    expect(decide(record({ fence: 7, attempts: 4 }), request('second'), rules, over)).toMatchObject({
      kind: 'taken-over',
      write: {
        next: { claimId: 'second', fence: 8, attempts: 5, abandoned: 1, unknownAt: lease },
        seen: { fence: 7 },
      },
    });
  });

  it('parks an abandoned claim under the policy park, and keeps the claim id of its last holder', () => {
    expect(decide(record(), request('second'), { ...rules, onAbandoned: 'park' }, over)).toMatchObject({
      kind: 'parked',
      write: {
        next: {
          status: 'parked',
          claimId: 'first',
          fence: 2,
          abandoned: 1,
          error: { name: 'abandoned' },
          expiresAt: undefined,
        },
      },
    });
  });

  it('parks whatever has killed three workers, even under the policy retry', () => {
    expect(decide(record({ abandoned: 1 }), request('second'), rules, over).kind).toBe('taken-over');
    expect(decide(record({ abandoned: 2 }), request('second'), rules, over)).toMatchObject({
      kind: 'parked',
      write: { next: { abandoned: 3, error: { name: 'abandoned-too-often' } } },
    });
  });

  it('parks an abandoned attempt in doubt when the retry window is over, and not a millisecond before', () => {
    const end = someDay + rules.retryWindowSeconds * 1000;
    expect(decide(record(), request('second'), rules, end - 1).kind).toBe('taken-over');
    expect(decide(record(), request('second'), rules, end)).toMatchObject({
      kind: 'parked',
      write: {
        next: {
          status: 'parked',
          claimId: 'first',
          fence: 2,
          abandoned: 1,
          unknownAt: someDay + 30_000,
          error: { name: 'retry-window-over' },
        },
      },
    });
    // Nothing of it is in doubt: what was not committed with the claim was not applied.
    expect(decide(record({ atomic: 1 }), request('second'), { ...rules, atomic: true }, end).kind).toBe('taken-over');
  });

  it('grants a released claim again, and never restarts its fence', () => {
    expect(
      decide(record({ status: 'released', fence: 4, attempts: 4 }), request('second'), rules, someDay),
    ).toMatchObject({
      kind: 'granted',
      write: { next: { fence: 5, attempts: 5, firstSeenAt: someDay } },
    });
  });

  it.each([
    ['the attempts are used up', { attempts: 20 }, someDay, 'attempts-used-up'],
    ['the retry window is over', {}, someDay + rules.retryWindowSeconds * 1000, 'retry-window-over'],
  ])('parks a released claim when %s', (_, overrides, now, reason) => {
    const decision = decide(record({ status: 'released', ...overrides }), request('second'), rules, now);
    expect(decision).toMatchObject({
      kind: 'parked',
      write: { next: { status: 'parked', error: { name: reason } } },
    });
  });

  it('still retries one attempt and one millisecond before that', () => {
    const last = record({ status: 'released', attempts: 19 });
    expect(decide(last, request('second'), rules, someDay + rules.retryWindowSeconds * 1000 - 1).kind).toBe('granted');
  });

  it('parks what was released in doubt, when the author has since chosen park', () => {
    const doubtful = record({ status: 'released', unknownAt: someDay });
    expect(decide(doubtful, request('second'), { ...rules, onAbandoned: 'park' }, someDay)).toMatchObject({
      kind: 'parked',
      write: { next: { error: { name: 'outcome-unknown' } } },
    });
    expect(decide(doubtful, request('second'), rules, someDay).kind).toBe('granted');
  });

  it.each(['completed', 'rejected'] as const)('replays what is %s', (status) => {
    expect(decide(record({ status }), request('second'), rules, over).kind).toBe('replayed');
  });

  it('never runs what is parked, however old it is', () => {
    const parked = record({ status: 'parked', expiresAt: undefined });
    expect(decide(parked, request('first'), rules, someDay + 400 * 24 * 3600_000).kind).toBe('parked');
  });

  it.each(['in-flight', 'released', 'completed', 'rejected', 'parked'] as const)(
    'refuses a key used with another payload when it is %s',
    (status) => {
      const other = record({ status, fingerprint: '1:aaaa' });
      expect(decide(other, request('second', { fingerprint: '1:bbbb' }), rules, over).kind).toBe('key-reused');
    },
  );

  it('does not compare fingerprints when one of the two has none', () => {
    expect(decide(record({ status: 'completed' }), request('second', { fingerprint: '1:b' }), rules, over).kind).toBe(
      'replayed',
    );
    expect(decide(record({ status: 'completed', fingerprint: '1:a' }), request('second'), rules, over).kind).toBe(
      'replayed',
    );
  });

  it('forgets an outcome after its retention and not a moment before, and goes on with its fence', () => {
    const old = record({ status: 'completed', fence: 3, attempts: 9, expiresAt: someDay / 1000 });
    expect(decide(old, request('second'), rules, someDay + rules.skewMs - 1).kind).toBe('replayed');
    expect(decide(old, request('second'), rules, someDay + rules.skewMs)).toMatchObject({
      kind: 'granted',
      write: { next: { fence: 4, attempts: 1 }, seen: old },
    });
  });

  it('does not forget a doubt with its retention: a released claim in doubt is still asked about, or parked', () => {
    const old = record({ status: 'released', unknownAt: someDay - 5000, expiresAt: someDay / 1000 - 3600 });
    expect(decide(old, request('second'), { ...rules, onAbandoned: 'reconcile' }, someDay)).toMatchObject({});
    expect(decide(old, request('second'), { ...rules, onAbandoned: 'park' }, someDay).kind).toBe('parked');
  });

  it('does not forget work in doubt by the clock alone: TTL is late by days, a decision is not', () => {
    const old = record({ expiresAt: someDay / 1000 - 3600 });
    expect(decide(old, request('second'), { ...rules, onAbandoned: 'park' }, over).kind).toBe('parked');
  });

  it('does not let TTL collect a claim in flight: its record outlasts its lease by the whole retention', () => {
    const long = { ...request('second'), leaseUntil: someDay + 900_000 };
    const { record: granted } = decide(undefined, long, { ...rules, retentionSeconds: 60 }, someDay);
    expect(granted.expiresAt).toBe((someDay + 900_000) / 1000 + 60);
  });

  it('keeps a record for ever when the retention is infinite', () => {
    const { record } = decide(undefined, request('second'), { ...rules, retentionSeconds: Infinity }, someDay);
    expect(record.expiresAt).toBeUndefined();
  });
});
