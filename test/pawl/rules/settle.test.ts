import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../lib/pawl/rules/outcome.ts';
import { renew, setAside, settle } from '../../../lib/pawl/rules/settle.ts';
import { record, rules } from '../../support/records.ts';
import { someDay } from '../../support/virtual-host.ts';

const held = record({ fence: 5 });
const error = { name: 'Error', message: 'declined' };
const outcomes = {
  completed: { status: 'completed', result: '{"card":1}' },
  released: { status: 'released', error, unknown: true },
  rejected: { status: 'rejected', error },
  parked: { status: 'parked', error },
} as const satisfies Record<string, Outcome>;

const settled = (found: typeof held | undefined, outcome: Outcome) => settle('first', found, outcome, rules, someDay);

describe.each(Object.values(outcomes))('settle as $status', (outcome) => {
  it('changes a claim that is ours and in flight, and neither its owner nor its fence', () => {
    expect(settled(held, outcome)).toMatchObject({ status: outcome.status, claimId: 'first', fence: 5 });
  });

  it('takes its own earlier write for success', () => {
    expect(settled(record({ status: outcome.status }), outcome)).toBe('applied');
  });

  it('is stale when another worker has the claim, whatever its status', () => {
    for (const status of ['in-flight', 'released', 'completed', 'rejected', 'parked'] as const) {
      expect(settled(record({ status, claimId: 'second', fence: 6 }), outcome)).toBe('stale');
    }
  });

  it('is stale when the record is gone', () => {
    expect(settled(undefined, outcome)).toBe('stale');
  });
});

describe('settle', () => {
  it('ends a doubt only where the provider was asked: another release keeps it, and is kept', () => {
    const doubted = record({ fence: 5, unknownAt: someDay - 5000 });
    const released = { status: 'released', error } as const;
    expect(settled(doubted, released)).toMatchObject({ unknownAt: someDay - 5000, expiresAt: undefined });
    expect(settled(doubted, { ...released, inconclusive: true })).toMatchObject({ unknownAt: someDay - 5000 });
    const ended = settled(doubted, { ...released, doubtEnded: true });
    expect(ended).toMatchObject({ status: 'released', unknownAt: undefined, open: undefined });
    expect(ended).toHaveProperty('expiresAt', expect.any(Number));
  });

  it('releases a claim with what was said of its steps: one that nothing was said of stays in doubt, and is kept', () => {
    const started = (name: string) => ({ name, state: 'started', at: someDay, fence: 4 });
    const found = record({ checkpoints: JSON.stringify([started('charge'), started('receipt')]) });
    const steps = new Map([['charge', { verdict: 'applied', result: 'ch_1' }]] as const);
    const next = settled(found, { status: 'released', error, inconclusive: true, steps });
    if (typeof next === 'string') throw new Error(next);
    expect(JSON.parse(next.checkpoints ?? '[]')).toMatchObject([
      { name: 'charge', state: 'done', result: '"ch_1"' },
      { name: 'receipt', state: 'started' },
    ]);
    expect(next.expiresAt).toBeUndefined();
  });

  it('lets the last holder of a parked claim prove that the effect happened, and nothing else', () => {
    const parked = record({ status: 'parked', unknownAt: someDay, error });
    expect(settled(parked, outcomes.completed)).toMatchObject({
      status: 'completed',
      error: undefined,
      unknownAt: undefined,
    });
    expect(settled(parked, outcomes.released)).toBe('stale');
    expect(settled(parked, outcomes.rejected)).toBe('stale');
  });

  it('never goes back from a final outcome', () => {
    for (const status of ['completed', 'rejected'] as const) {
      for (const outcome of Object.values(outcomes)) {
        expect(settled(record({ status }), outcome)).toBe(outcome.status === status ? 'applied' : 'stale');
      }
    }
  });

  it('keeps a doubt through a release, and ends it with a confirmed outcome', () => {
    const inDoubt = record({ unknownAt: someDay - 5000 });
    expect(settled(inDoubt, { status: 'released', error, unknown: false })).toMatchObject({
      unknownAt: someDay - 5000,
    });
    expect(settled(inDoubt, { status: 'released', error, unknown: true })).toMatchObject({ unknownAt: someDay });
    expect(settled(inDoubt, outcomes.completed)).toMatchObject({ unknownAt: undefined });
  });

  it('gives what is parked or released in doubt no expiry, and every other outcome a new one', () => {
    expect(settled(held, outcomes.parked)).toMatchObject({ expiresAt: undefined });
    expect(settled(held, outcomes.released)).toMatchObject({ expiresAt: undefined });
    const inDoubt = record({ unknownAt: someDay - 5000 });
    expect(settled(inDoubt, { status: 'released', error })).toMatchObject({ expiresAt: undefined });
    expect(settled(held, { status: 'released', error })).toMatchObject({
      expiresAt: someDay / 1000 + rules.retentionSeconds,
    });
  });
});

describe('renew', () => {
  it('extends a lease that is ours', () => {
    expect(renew('first', held, someDay + 60_000, rules)).toMatchObject({ leaseUntil: someDay + 60_000, fence: 5 });
  });

  it('keeps the record for its whole retention after the lease, so that TTL does not collect it in flight', () => {
    expect(renew('first', held, someDay + 60_000, { retentionSeconds: 60 })).toMatchObject({
      expiresAt: someDay / 1000 + 120,
    });
  });

  it('never shortens one', () => {
    expect(renew('first', held, someDay + 10_000, rules)).toBe('applied');
  });

  it('is stale for whatever is no longer ours or no longer in flight', () => {
    expect(renew('first', undefined, someDay + 60_000, rules)).toBe('stale');
    expect(renew('first', record({ claimId: 'second' }), someDay + 60_000, rules)).toBe('stale');
    expect(renew('first', record({ status: 'completed' }), someDay + 60_000, rules)).toBe('stale');
  });
});

describe('setAside', () => {
  it('parks the claim that its last owner has released, once', () => {
    const parked = setAside('first', record({ status: 'released', error }), error);
    expect(parked).toMatchObject({ status: 'parked', claimId: 'first', rev: 2 });
    expect(setAside('first', parked as typeof held, error)).toBe('applied');
  });

  it('leaves alone what another worker has been granted since, whatever became of it', () => {
    for (const status of ['in-flight', 'released', 'completed', 'rejected', 'parked'] as const) {
      expect(setAside('first', record({ status, claimId: 'second', fence: 6 }), error)).toBe('stale');
    }
    expect(setAside('first', undefined, error)).toBe('stale');
  });

  it('leaves alone what has ended, or runs again', () => {
    for (const status of ['in-flight', 'completed', 'rejected'] as const) {
      expect(setAside('first', record({ status }), error)).toBe('stale');
    }
  });
});
