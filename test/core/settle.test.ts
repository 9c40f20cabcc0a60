import { describe, expect, it } from 'vitest';
import { type Outcome, renew, settle } from '../../lib/core/settle.ts';
import { record, rules } from '../support/records.ts';
import { someDay } from '../support/virtual-host.ts';

const held = record({ fence: 5 });
const error = { name: 'Error', message: 'declined' };
const outcomes: readonly Outcome[] = [
  { outcome: 'completed', result: '{"card":1}' },
  { outcome: 'released', error, unknown: true },
  { outcome: 'rejected', error },
  { outcome: 'parked', reason: 'outcome-unknown', message: 'timeout' },
];

describe.each(outcomes)('settle as $outcome', (outcome) => {
  it('writes only while the claim is ours and in flight', () => {
    expect(settle(held, held, outcome, rules, someDay)).toMatchObject({
      settlement: 'write',
      write: { next: { status: outcome.outcome, claimId: 'first', fence: 5 }, expect: { kind: 'owned' } },
    });
  });

  it('takes its own earlier write for success', () => {
    const status = outcome.outcome;
    expect(settle(held, record({ status }), outcome, rules, someDay)).toEqual({ settlement: 'applied' });
  });

  it('is stale when another worker has the claim, whatever its status', () => {
    for (const status of ['in-flight', 'released', 'completed', 'rejected', 'parked'] as const) {
      const taken = record({ status, claimId: 'second', fence: 6 });
      expect(settle(held, taken, outcome, rules, someDay)).toEqual({ settlement: 'stale' });
    }
  });

  it('is stale when the record is gone', () => {
    expect(settle(held, undefined, outcome, rules, someDay)).toEqual({ settlement: 'stale' });
  });
});

describe('settle', () => {
  it('lets the last holder of a parked claim prove that the effect happened, and nothing else', () => {
    const parked = record({ status: 'parked', unknownAt: someDay, error });
    const [completed, released, rejected] = outcomes;
    const proof = completed && settle(held, parked, completed, rules, someDay);
    expect(proof).toMatchObject({ settlement: 'write', write: { next: { status: 'completed' }, expect: { kind: 'unchanged' } } });
    expect(released && settle(held, parked, released, rules, someDay).settlement).toBe('stale');
    expect(rejected && settle(held, parked, rejected, rules, someDay).settlement).toBe('stale');
  });

  it('keeps a doubt through a release, and ends it with a confirmed outcome', () => {
    const doubtful = record({ unknownAt: someDay - 5000 });
    const next = (outcome: Outcome) => {
      const settlement = settle(doubtful, doubtful, outcome, rules, someDay);
      return settlement.settlement === 'write' ? settlement.write.next : undefined;
    };
    expect(next({ outcome: 'released', error, unknown: false })?.unknownAt).toBe(someDay - 5000);
    expect(next({ outcome: 'released', error, unknown: true })?.unknownAt).toBe(someDay);
    expect(next({ outcome: 'completed' })).not.toHaveProperty('unknownAt');
  });
});

describe('renew', () => {
  it('extends a lease that is ours', () => {
    expect(renew(held, held, someDay + 60_000)).toMatchObject({
      settlement: 'write',
      write: { next: { leaseUntil: someDay + 60_000, fence: 5 }, expect: { kind: 'owned' } },
    });
  });

  it('never shortens one', () => {
    expect(renew(held, held, someDay + 10_000)).toEqual({ settlement: 'applied' });
  });

  it('is stale for whatever is no longer ours or no longer in flight', () => {
    expect(renew(held, undefined, someDay + 60_000).settlement).toBe('stale');
    expect(renew(held, record({ claimId: 'second' }), someDay + 60_000).settlement).toBe('stale');
    expect(renew(held, record({ status: 'completed' }), someDay + 60_000).settlement).toBe('stale');
  });
});
