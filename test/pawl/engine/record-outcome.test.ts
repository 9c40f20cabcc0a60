import { describe, expect, it } from 'vitest';
import { fail, parkReleased, recordOutcome, recordUntil, succeed } from '../../../lib/pawl/engine/record-outcome.ts';
import { RejectedError, RetryableError } from '../../../lib/pawl/kernel/errors.ts';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import { engineAtWork } from '../../support/engines.ts';
import { someDay } from '../../support/virtual-host.ts';

const error = { name: 'Error', message: 'no such card' };

describe('an outcome', () => {
  it('is recorded until a quarter of the margin before the invocation ends, or until the lease does', async () => {
    const { engine, grant } = engineAtWork({ marginMs: 1000 });
    const granted = await grant(someDay + 30_000);
    expect(recordUntil(engine, granted)).toBe(someDay + 29_750);
    expect(recordUntil(engine, { ...granted, deadline: undefined })).toBe(someDay + 30_000);
  });

  it('that could not be recorded is lost, says the store’s error, and takes nothing back', async () => {
    const { engine, grant, troubles, host, events, records } = engineAtWork();
    const granted = await grant();
    troubles.push(...Array<'down'>(100).fill('down'));
    const recorded = recordOutcome(engine, granted, { status: 'released', error });
    await host.advance(30_000);
    expect(await recorded).toBe('lost');
    expect(events.at(-1)).toMatchObject({
      type: 'outcome-lost',
      status: 'released',
      error,
      storeError: { name: 'Error', message: 'down' },
    });
    expect(records()).toMatchObject([{ status: 'in-flight' }]);
  });

  it('that is a completion which could not be recorded has an event of its own', async () => {
    const { engine, grant, troubles, host, events } = engineAtWork();
    const granted = await grant();
    troubles.push(...Array<'down'>(100).fill('down'));
    const recorded = succeed(engine, granted, 'card-1');
    await host.advance(30_000);
    expect(await recorded).toBe('lost');
    expect(events.at(-1)).toMatchObject({ type: 'completion-lost', status: 'completed' });
  });

  it('of a claim that another worker has by now is stale, and changes nothing', async () => {
    const { engine, grant, store, events, records } = engineAtWork();
    const granted = await grant();
    const others: ClaimRecord = { ...granted.record, claimId: 'another', rev: 2 };
    await store.write({ next: others, seen: granted.record });
    expect(await recordOutcome(engine, granted, { status: 'rejected', error })).toBe('stale');
    expect(events.at(-1)).toMatchObject({ type: 'stale-claim', status: 'rejected', error });
    expect(records()).toEqual([others]);
  });
});

describe('an error that says the handler may still be at work', () => {
  const mayStillRun = (thrown: unknown) => thrown === 'frozen';
  const atWork = () => engineAtWork({}, { mayStillRun });

  it.each(['unmarked', 'during'] as const)('leaves the claim in flight while its effect is open: %s', async (phase) => {
    const { engine, grant, records, events } = atWork();
    const granted = await grant();
    expect(await fail(engine, granted, 'frozen', phase)).toBe('lost');
    expect(records()).toMatchObject([{ status: 'in-flight' }]);
    expect(events.map(({ type }) => type)).toEqual(['granted']);
  });

  it.each([
    ['before', 'released'],
    ['after', 'completed'],
  ] as const)('counts as any other where the effect can start no more, or is over: %s', async (phase, status) => {
    const { engine, grant, records } = atWork();
    expect(await fail(engine, await grant(), 'frozen', phase)).toBe(status);
    expect(records()).toMatchObject([{ status }]);
  });

  it('is no other error', async () => {
    const { engine, grant } = atWork();
    expect(await fail(engine, await grant(), new Error('503'), 'unmarked')).toBe('parked');
  });
});

describe('a handler that threw', () => {
  it.each([
    [new RetryableError('once more'), 'released'],
    [new RejectedError('never'), 'rejected'],
    [new Error('503'), 'parked'],
  ] as const)('is recorded by what its error says: %s', async (thrown, status) => {
    const { engine, grant, records } = engineAtWork();
    expect(await fail(engine, await grant(), thrown, 'unmarked')).toBe(status);
    expect(records()).toMatchObject([{ status }]);
  });

  it('after its effect is completed, and its error is reported', async () => {
    const { engine, grant, events } = engineAtWork();
    expect(await fail(engine, await grant(), new Error('metrics'), 'after')).toBe('completed');
    expect(events).toMatchObject([
      { type: 'granted' },
      { type: 'failed-after-effect', error: { name: 'Error', message: 'metrics' } },
      { type: 'completed' },
    ]);
  });
});

describe('a result', () => {
  it('that is left out by choice is no news', async () => {
    const { engine, grant, events } = engineAtWork({ recordResult: false });
    expect(await succeed(engine, await grant(), 'card-1')).toBe('completed');
    expect(events.map(({ type }) => type)).toEqual(['granted', 'completed']);
  });

  it('that cannot be kept is reported', async () => {
    const { engine, grant, events } = engineAtWork({ maxResultBytes: 5 });
    expect(await succeed(engine, await grant(), 'card-1')).toBe('completed');
    expect(events[1]).toMatchObject({ type: 'result-not-recorded', reason: 'too-large' });
  });
});

describe('a claim that is set aside', () => {
  const until = someDay + 10_000;

  async function released() {
    const atWork = engineAtWork();
    const granted = await atWork.grant();
    await fail(atWork.engine, granted, new RetryableError('once more'), 'unmarked');
    atWork.events.length = 0;
    return { ...atWork, granted };
  }

  it('is parked by the worker that has released it, and that is reported', async () => {
    const { engine, granted, records, events } = await released();
    expect(await parkReleased(engine, granted, error, until)).toBe(true);
    expect(records()).toMatchObject([
      { status: 'parked', error: { name: 'set-aside', message: 'Error: no such card' } },
    ]);
    expect(events).toMatchObject([{ type: 'parked', status: 'parked', attempts: 1, fence: 1 }]);
  });

  it('is left to the worker that was granted it since', async () => {
    const { engine, granted, grant, records, events } = await released();
    await grant();
    events.length = 0;
    expect(await parkReleased(engine, granted, error, until)).toBe(false);
    expect(records()).toMatchObject([{ status: 'in-flight' }]);
    expect(events).toEqual([]);
  });

  it('is not set aside where the store fails until the end: that is reported, and does not throw', async () => {
    const { engine, granted, troubles, host, records, events } = await released();
    troubles.push(...Array<'down'>(100).fill('down'));
    const parked = parkReleased(engine, granted, error, until);
    await host.advance(10_000);
    expect(await parked).toBe(false);
    expect(records()).toMatchObject([{ status: 'released' }]);
    expect(events).toMatchObject([{ type: 'store-unavailable', error: { name: 'Error', message: 'down' } }]);
    expect(host.now()).toBeLessThanOrEqual(until);
  });
});
