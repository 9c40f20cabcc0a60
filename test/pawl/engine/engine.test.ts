import { describe, expect, it } from 'vitest';
import { changeClaim, effectOf, emit, leaseEnd, leaseOf } from '../../../lib/pawl/engine/engine.ts';
import { fallbackLease, renewedLease } from '../../../lib/pawl/engine/renewed-lease.ts';
import { InDoubtError, LeaseError, RejectedError, RetryableError } from '../../../lib/pawl/kernel/errors.ts';
import { moveOn } from '../../../lib/pawl/rules/grant.ts';
import { engineAtWork } from '../../support/engines.ts';
import { record } from '../../support/records.ts';
import { unhandledRejections } from '../../support/rejections.ts';
import { someDay } from '../../support/virtual-host.ts';

describe('what an error says about the effect', () => {
  const own = [
    [new RetryableError('once more'), 'retryable'],
    [new RejectedError('never'), 'rejected'],
    [new InDoubtError('perhaps'), 'in-doubt'],
  ] as const;

  it.each(own)('is its own word, whatever the author’s classifier makes of it: %s', (error, known) => {
    const classify = () => (known === 'retryable' ? 'rejected' : 'retryable') as 'rejected' | 'retryable';
    expect(effectOf({ classify }, error)).toBe(known);
  });

  it.each(['retryable', 'rejected', 'unknown'] as const)('is otherwise the classifier’s: %s', (said) => {
    expect(effectOf({ classify: () => said }, new Error('503'))).toBe(said);
  });

  it('is unknown without a classifier, and of one that says nothing or what is no word of its', () => {
    const error = new Error('503');
    expect(effectOf({}, error)).toBe('unknown');
    expect(effectOf({ classify: () => undefined }, error)).toBe('unknown');
    expect(effectOf({ classify: (() => 'final') as never }, error)).toBe('unknown');
    expect(effectOf({ classify: (() => 'in-doubt') as never }, error)).toBe('unknown');
  });

  it('is unknown of a classifier that throws, or promises to say it later', async () => {
    const unhandled = await unhandledRejections(async () => {
      const throws = () => {
        throw new Error('no such code');
      };
      expect(effectOf({ classify: throws }, new Error('503'))).toBe('unknown');
      const later = (async () => Promise.reject(new Error('no such code'))) as never;
      expect(effectOf({ classify: later }, new Error('503'))).toBe('unknown');
    });
    expect(unhandled).toEqual([]);
  });

  it('is unknown, and never final, of too little time; but the classifier may say that nothing was applied', () => {
    expect(effectOf({ classify: () => 'rejected' }, new LeaseError('too late'))).toBe('unknown');
    expect(effectOf({ classify: () => 'retryable' }, new LeaseError('too late'))).toBe('retryable');
  });
});

describe('the end of a lease', () => {
  it('is the end of the invocation', () => {
    const { engine } = engineAtWork({}, { fallback: renewedLease(60_000) });
    expect(leaseEnd(engine, { deadline: someDay + 30_000 }, someDay)).toBe(someDay + 30_000);
    expect(leaseOf(engine, { deadline: someDay + 30_000 })).toBeUndefined();
  });

  it('is earlier where the author gives a lease, and never later than the invocation', () => {
    const { engine } = engineAtWork({ lease: renewedLease(10_000) }, { fallback: renewedLease(60_000) });
    expect(leaseEnd(engine, { deadline: someDay + 30_000 }, someDay)).toBe(someDay + 10_000);
    expect(leaseEnd(engine, { deadline: someDay + 5_000 }, someDay)).toBe(someDay + 5_000);
    expect(leaseOf(engine, { deadline: undefined })?.leaseMs).toBe(10_000);
  });

  it('is that of the fallback where neither gives it one', () => {
    const { engine } = engineAtWork({}, { fallback: renewedLease(60_000) });
    expect(leaseEnd(engine, { deadline: undefined }, someDay)).toBe(someDay + 60_000);
  });

  it('is a minute at least outside of Lambda, and twice what a handler needs', () => {
    expect(fallbackLease({ timeoutMs: 0, marginMs: 1000 }).leaseMs).toBe(60_000);
    expect(fallbackLease({ timeoutMs: 100_000, marginMs: 1000 }).leaseMs).toBe(202_000);
  });
});

describe('a lease that is renewed', () => {
  it('is longer than what a handler needs, or is refused', () => {
    expect(() => renewedLease(5000).check(4999)).not.toThrow();
    expect(() => renewedLease(5000).check(5000)).toThrow(
      'lease: expected more than timeoutMs + marginMs (5000), such as renewedLease(10000); got 5000',
    );
    expect(() => renewedLease(0.5)).toThrow('leaseMs: expected a whole number');
  });
});

describe('an event', () => {
  it('says which claim it is about, and when', () => {
    const { engine, identity, events } = engineAtWork();
    emit(engine, identity, { type: 'not-started', remainingMs: 5 });
    expect(events).toEqual([
      { type: 'not-started', remainingMs: 5, operation: 'refund', id: 'refund#r-1', at: someDay },
    ]);
  });

  it('has an empty id where a message has no key', () => {
    const { engine, events } = engineAtWork();
    emit(engine, undefined, { type: 'not-started', remainingMs: 5 });
    expect(events).toMatchObject([{ id: '' }]);
  });

  it('changes nothing where its listener throws, now or later', async () => {
    const unhandled = await unhandledRejections(async () => {
      const throws = engineAtWork({
        onEvent() {
          throw new Error('the log is full');
        },
      });
      expect(() => emit(throws.engine, throws.identity, { type: 'not-started', remainingMs: 5 })).not.toThrow();
      const rejects = engineAtWork({ onEvent: () => Promise.reject(new Error('the log is full')) });
      emit(rejects.engine, rejects.identity, { type: 'not-started', remainingMs: 5 });
    });
    expect(unhandled).toEqual([]);
  });
});

describe('what a worker knows of its claim', () => {
  const grantOf = (rev: number) => ({
    identity: { key: 'r-1', id: 'refund#r-1', effectKey: 'refund#r-1' },
    record: record({ rev }),
    deadline: undefined,
  });

  it.each([
    [1, 2, 2],
    [2, 2, 2],
  ])('moves on with the record: from revision %s to %s', (before, written, after) => {
    const grant = grantOf(before);
    const next = record({ rev: written, leaseUntil: someDay + 99_000 });
    moveOn(grant, next);
    expect(grant.record).toBe(next);
    expect(grant.record.rev).toBe(after);
  });

  it('is not set back by an answer that comes late', () => {
    const grant = grantOf(3);
    moveOn(grant, record({ rev: 2 }));
    expect(grant.record.rev).toBe(3);
  });

  it('stays where nothing is known of the record', () => {
    const grant = grantOf(3);
    moveOn(grant, undefined);
    expect(grant.record.rev).toBe(3);
  });
});

describe('a change of a claim', () => {
  const later = (leaseUntil: number) => (found: ReturnType<typeof record> | undefined) =>
    found === undefined ? ('stale' as const) : { ...found, leaseUntil, rev: found.rev + 1 };

  it('is tried until its end, and the worker knows the record that it made', async () => {
    const { engine, grant, troubles, host, writes } = engineAtWork();
    const granted = await grant();
    troubles.push('down', 'down', 'down');
    const changed = changeClaim(engine, granted, later(someDay + 5), { until: someDay + 10_000 });
    await host.advance(1000);
    expect(await changed).toBe('applied');
    expect(granted.record).toMatchObject({ leaseUntil: someDay + 5, rev: 2 });
    expect(writes()).toBe(1 + 4);
  });

  it('is tried as often as it may', async () => {
    const { engine, grant, troubles, host, writes } = engineAtWork();
    const granted = await grant();
    troubles.push('down', 'down', 'down');
    const changed = changeClaim(engine, granted, later(someDay + 5), { until: someDay + 10_000, tries: 2 });
    const failed = expect(changed).rejects.toThrow('down');
    await host.advance(1000);
    await failed;
    expect(writes()).toBe(1 + 2);
    expect(granted.record.rev).toBe(1);
  });

  it('is sent again when the store has not answered for 5 seconds', async () => {
    const { engine, grant, troubles, host, writes } = engineAtWork();
    const granted = await grant();
    troubles.push('hangs');
    const changed = changeClaim(engine, granted, later(someDay + 5), { until: someDay + 20_000 });
    await host.advance(4999);
    expect(writes()).toBe(2);
    await host.advance(51);
    expect(await changed).toBe('applied');
    expect(writes()).toBe(3);
  });

  it('that is stale leaves what the worker knows as it was', async () => {
    const { engine, grant, store } = engineAtWork();
    const granted = await grant();
    const { record: known } = granted;
    await store.write({ next: record({ ...known, claimId: 'another', rev: 2 }), seen: known });
    const transition = (found: typeof known | undefined) =>
      found?.claimId === known.claimId ? { ...found, leaseUntil: 0, rev: 2 } : ('stale' as const);
    expect(await changeClaim(engine, granted, transition, { until: someDay + 1000 })).toBe('stale');
    expect(granted.record).toBe(known);
  });
});
