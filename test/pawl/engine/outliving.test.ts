import { describe, expect, it, vi } from 'vitest';
import { acquire } from '../../../lib/pawl/engine/acquire.ts';
import { leaseEnd, leaseOf } from '../../../lib/pawl/engine/engine.ts';
import { keepLease, openClaim } from '../../../lib/pawl/engine/open-claim.ts';
import { recordUntil, succeed } from '../../../lib/pawl/engine/record-outcome.ts';
import { fallbackLease, renewedLease } from '../../../lib/pawl/engine/renewed-lease.ts';
import { run } from '../../../lib/pawl/engine/run.ts';
import { step } from '../../../lib/pawl/engine/step.ts';
import { engineAtWork } from '../../support/engines.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

/*
 * On Lambda Managed Instances the end of an invocation does not end its code. Invocations last 30 s here, and the grace is 60 s.
 */

const deadline = someDay + 30_000;
const host = virtualHost(someDay, { outlivesInvocations: true });
const atWork = (...[options, also]: Parameters<typeof engineAtWork>) => engineAtWork({ ...options, host }, also);
const later = () => Promise.withResolvers<string>();

describe('a claim whose worker outlives its invocation', () => {
  it('lasts at least as long as the invocation, so that a duplicate waits once', async () => {
    const { engine } = atWork();
    const longer = { deadline: someDay + 900_000, keptUntil: someDay + 960_000 };
    expect(leaseEnd(engine, longer, someDay)).toBe(someDay + 900_000);
    expect(leaseEnd(engine, { deadline, keptUntil: deadline + 60_000 }, someDay)).toBe(someDay + 60_000);
  });

  it('is kept in flight beyond the deadline while its handler runs, until the grace is over, and no longer', async () => {
    const { engine, grant, host, records } = atWork();
    const running = later();
    const ran = run(engine, await grant(), () => running.promise, 'input');
    const leftMs = () => (records()[0]?.leaseUntil ?? 0) - host.now();
    for (let at = 0; at < 90_000; at += 5000) {
      expect(leftMs(), `after ${at} ms`).toBeGreaterThan(0);
      await host.advance(5000);
    }
    expect(leftMs()).toBe(0);
    await host.advance(600_000);
    expect(records()).toMatchObject([{ status: 'in-flight', leaseUntil: deadline + 60_000 }]);
    running.resolve('card-1');
    expect(await ran).toMatchObject({ kind: 'returned', recorded: 'completed' });
    expect(records()).toMatchObject([{ status: 'completed' }]);
  });

  it('costs no write beyond the two of every claim, where its handler ends soon', async () => {
    const { engine, grant, host, writes } = atWork();
    const running = later();
    const ran = run(engine, await grant(), () => running.promise, 'input');
    await host.advance(19_000);
    running.resolve('card-1');
    await ran;
    await host.advance(200_000);
    expect(writes()).toBe(2);
  });

  it('renews nothing before the last minute of a long invocation', async () => {
    const { engine, grant, host, writes } = atWork();
    const stop = keepLease(engine, await grant(someDay + 900_000));
    await host.advance(830_000);
    expect(writes()).toBe(1);
    await host.advance(60_000);
    expect(writes()).toBeGreaterThan(1);
    stop?.();
  });

  it('has an explicit lease renewed for as long', async () => {
    const { engine, grant, host, records } = atWork({ lease: renewedLease(6000), marginMs: 100 });
    const granted = await grant();
    expect(granted.record.leaseUntil).toBe(someDay + 6000);
    const { stop } = openClaim(engine, granted, Number.POSITIVE_INFINITY);
    await host.advance(85_000);
    expect(records()[0]?.leaseUntil).toBe(deadline + 60_000);
    stop();
  });

  it('without a known deadline is renewed for the longest that Lambda gives an invocation, and the grace', async () => {
    const { engine, identity, host, records } = atWork();
    const withFallback = { ...engine, fallback: fallbackLease(engine.settings) };
    const { grant } = await acquire(withFallback, { identity });
    if (grant === undefined) throw new Error('expected a grant');
    expect(leaseOf(withFallback, grant)).toBe(withFallback.fallback);
    const { stop } = openClaim(withFallback, grant, Number.POSITIVE_INFINITY);
    await host.advance(2_000_000);
    expect(records()[0]?.leaseUntil).toBe(someDay + 960_000);
    stop();
  });
});

describe('a claim of which nothing is to be renewed any more', () => {
  it('has no timer left when the grace is over, also if its handler never ends', async () => {
    const { engine, grant, host } = atWork();
    keepLease(engine, await grant());
    await host.advance(91_000);
    const timers = vi.spyOn(host, 'after');
    await host.advance(600_000);
    expect(timers).not.toHaveBeenCalled();
  });

  it('is not asked for beyond the time in which a handler could still start', async () => {
    const { engine, identity, host, troubles } = atWork({ marginMs: 1000 });
    troubles.push('hangs');
    const acquiring = acquire(engine, { identity, deadline });
    await host.advance(29_100);
    expect(await Promise.race([acquiring, 'still asking'])).toMatchObject({ kind: 'unavailable' });
  });
});

describe('a handler that outlives its invocation', () => {
  it('hears by its signal that the deadline is near, and can start nothing from then on', async () => {
    const { engine, grant, host } = atWork({ marginMs: 1000 });
    const { claim, stop } = openClaim(engine, await grant(), Number.POSITIVE_INFINITY);
    const { signal } = claim;
    await host.advance(28_999);
    expect(signal.aborted).toBe(false);
    await host.advance(1);
    expect(signal.aborted).toBe(true);
    expect(claim.remainingMs()).toBe(0);
    stop();
  });

  it('is not started after the deadline, however long its lease is', async () => {
    const { engine, grant, host, records } = atWork();
    const granted = await grant();
    await host.advance(29_500);
    expect(await run(engine, granted, () => 'card-1', 'input')).toMatchObject({ kind: 'not-started' });
    expect(records()).toMatchObject([{ status: 'released' }]);
  });

  it('is recorded with what it did after the deadline: its effect, and its steps', async () => {
    const { engine, grant, host, records, troubles } = atWork();
    const call = later();
    const ran = run(
      engine,
      await grant(),
      (_, claim) => step(claim, 'transfer', () => call.promise, { onAbandoned: 'park' }),
      'input',
    );
    await host.advance(45_000);
    // Its checkpoint is tried again, as long as an outcome is.
    troubles.push('down');
    call.resolve('t-1');
    await host.advance(1000);
    expect(await ran).toMatchObject({ kind: 'returned', value: 't-1', recorded: 'completed' });
    expect(records()).toMatchObject([{ status: 'completed' }]);
  });

  it('is waited for with what it has not awaited, beyond the deadline', async () => {
    const { engine, grant, host, records } = atWork({ marksEffect: true });
    const call = later();
    const ran = run(engine, await grant(), (_, claim) => void claim.effect(() => call.promise), 'input');
    await host.advance(45_000);
    expect(records()).toMatchObject([{ status: 'in-flight' }]);
    call.resolve('t-1');
    expect(await ran).toMatchObject({ kind: 'returned', recorded: 'completed' });
  });

  it('has its outcome recorded, also when all its time is over: nothing ends this worker', async () => {
    const { engine, grant, host, troubles } = atWork();
    const granted = await grant();
    expect(recordUntil(engine, granted)).toBe(deadline + 60_000);
    await host.advance(500_000);
    troubles.push('down');
    const recorded = succeed(engine, granted, 'card-1');
    await host.advance(1000);
    expect(await recorded).toBe('completed');
  });

  it('keeps no response waiting for a store that fails: the outcome is written on, and is there when the store is', async () => {
    const { engine, grant, host, records, troubles } = atWork();
    const granted = await grant();
    troubles.push(...Array.from({ length: 25 }, () => 'down' as const));
    let recorded: unknown;
    void succeed(engine, granted, 'card-1').then((said) => {
      recorded = said;
    });
    const { marginMs } = engine.settings;
    await host.advance(30_000 - marginMs / 4 - 1);
    expect(recorded).toBeUndefined();
    await host.advance(1);
    expect(recorded).toBe('lost');
    expect(records()).toMatchObject([{ status: 'in-flight' }]);
    await host.advance(40_000);
    expect(records()).toMatchObject([{ status: 'completed' }]);
  });

  it('may still be at work after an early answer: its lease is kept, where a sandbox that freezes would not renew it', async () => {
    const mayStillRun = () => true;
    const thrown = () => Promise.reject(new Error('early'));
    const outliving = atWork({}, { mayStillRun });
    await run(outliving.engine, await outliving.grant(), thrown, 'input');
    await outliving.host.advance(300_000);
    expect(outliving.records()).toMatchObject([{ status: 'in-flight', leaseUntil: deadline + 60_000 }]);

    const ordinary = engineAtWork({ lease: renewedLease(6000) }, { mayStillRun });
    await run(ordinary.engine, await ordinary.grant(), thrown, 'input');
    await ordinary.host.advance(300_000);
    expect(ordinary.records()).toMatchObject([{ status: 'in-flight', leaseUntil: someDay + 6000 }]);
  });
});
