import { describe, expect, it } from 'vitest';
import { openClaim } from '../../../lib/pawl/engine/open-claim.ts';
import { renewedLease } from '../../../lib/pawl/engine/renewed-lease.ts';
import { engineAtWork } from '../../support/engines.ts';
import { someDay } from '../../support/virtual-host.ts';

const forEver = Number.POSITIVE_INFINITY;

describe('an open claim', () => {
  it('has the time until its lease ends, less the margin, and never less than none', async () => {
    const { engine, grant, host } = engineAtWork({ marginMs: 1000 });
    const { claim } = openClaim(engine, await grant(), forEver);
    expect(claim.remainingMs()).toBe(29_000);
    await host.advance(28_999);
    expect(claim.remainingMs()).toBe(1);
    await host.advance(5000);
    expect(claim.remainingMs()).toBe(0);
  });

  it('has the time that its handler may take, where that is shorter', async () => {
    const { engine, grant } = engineAtWork();
    const { claim } = openClaim(engine, await grant(), someDay + 2000);
    expect(claim.remainingMs()).toBe(2000);
  });

  it('says what it is', async () => {
    const { engine, grant } = engineAtWork();
    const { claim } = openClaim(engine, await grant(), forEver);
    expect(claim).toMatchObject({
      operation: 'refund',
      key: 'r-1',
      effectKey: 'refund#r-1',
      attempt: 1,
      fence: 1,
    });
  });
});

describe('the signal of an open claim', () => {
  it('is one signal, and is aborted when the time is over', async () => {
    const { engine, grant, host } = engineAtWork();
    const { claim } = openClaim(engine, await grant(), someDay + 2000);
    const { signal } = claim;
    expect(claim.signal).toBe(signal);
    await host.advance(1999);
    expect(signal.aborted).toBe(false);
    await host.advance(1);
    expect(signal.reason).toMatchObject({
      name: 'LeaseError',
      message: 'the time is over; the effect may have been applied. See node_modules/pawl/docs/errors.md#lease-over',
    });
  });

  it('is not aborted after the claim is closed', async () => {
    const { engine, grant, host } = engineAtWork();
    const { claim, stop } = openClaim(engine, await grant(), someDay + 2000);
    const { signal } = claim;
    stop();
    await host.advance(60_000);
    expect(signal.aborted).toBe(false);
  });

  it('can be left alone: a claim whose signal nobody asked for is closed like any other', async () => {
    const { engine, grant } = engineAtWork();
    const { stop } = openClaim(engine, await grant(), someDay + 2000);
    expect(stop).not.toThrow();
  });
});

describe('an open claim with a lease that is renewed', () => {
  const renewed = () => engineAtWork({ lease: renewedLease(6000), marginMs: 100 });

  it('keeps its lease until it is closed', async () => {
    const { engine, grant, host, records } = renewed();
    const { claim, stop } = openClaim(engine, await grant(), forEver);
    await host.advance(10_000);
    expect(records()).toMatchObject([{ leaseUntil: someDay + 16_000 }]);
    expect(claim.remainingMs()).toBe(5900);
    stop();
    await host.advance(10_000);
    expect(records()).toMatchObject([{ leaseUntil: someDay + 16_000 }]);
  });

  it('reports a beat that failed, which is no loss', async () => {
    const { engine, grant, host, troubles, events } = renewed();
    const granted = await grant();
    const { claim, stop } = openClaim(engine, granted, forEver);
    troubles.push('down');
    await host.advance(4000);
    expect(events).toMatchObject([
      { type: 'granted' },
      { type: 'store-unavailable', error: { name: 'Error', message: 'down' } },
    ]);
    expect(claim.remainingMs()).toBe(5900);
    stop();
  });

  /** Another worker takes the claim over: its clock is far ahead. */
  async function lost(asksBefore: boolean) {
    const { engine, grant, host, store, events } = renewed();
    const granted = await grant();
    const { claim, stop } = openClaim(engine, granted, forEver);
    const early = asksBefore ? claim.signal : undefined;
    await store.write({ next: { ...granted.record, claimId: 'another', rev: 2 }, seen: granted.record });
    await host.advance(2000);
    stop();
    return { claim, early, events };
  }

  it('that another worker has taken over has no time left, is reported, and its signal is aborted', async () => {
    const { claim, early, events } = await lost(true);
    expect(claim.remainingMs()).toBe(0);
    expect(events.at(-1)).toMatchObject({ type: 'stale-claim', status: 'in-flight', fence: 1, attempts: 1 });
    expect(early?.reason).toMatchObject({
      name: 'LeaseError',
      message: 'another worker has taken the claim over. See node_modules/pawl/docs/errors.md#lease-over',
    });
  });

  it('that another worker has taken over has an aborted signal also where it is first asked for afterwards', async () => {
    const { claim } = await lost(false);
    expect(claim.signal.reason).toMatchObject({
      message: 'another worker has taken the claim over. See node_modules/pawl/docs/errors.md#lease-over',
    });
  });
});
