import { describe, expect, it } from 'vitest';
import { memoryStore, OptionError, once } from '../../../lib/pawl/index.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** A refund that is parked, because its first attempt failed without saying what it had done. */
async function parkedRefund() {
  const host = virtualHost();
  const store = memoryStore();
  let ran = 0;
  let fails = true;
  const refund = once<string, string>(
    { operation: 'refund', store, key: (id) => id, onAbandoned: 'park', onEvent: () => undefined, host },
    () => {
      ran++;
      if (fails) throw new Error('socket hang up');
      return 'refunded';
    },
  ).outcome;
  await expect(refund('p-1')).rejects.toThrow('socket hang up');
  fails = false;
  const parked = resolverOf({ operation: 'refund', store, host });
  return { host, store, refund, parked, runs: () => ran };
}

const maria = { by: 'maria', note: 'seen in the bank statement' };

describe('a parked claim', () => {
  it.each([
    [undefined, undefined],
    [7200, 7200],
    ['forever', undefined],
  ] as const)('is remembered as decided for its retention (%s)', async (retentionSeconds, seconds) => {
    const { host, store, parked } = await parkedRefund();
    const given = retentionSeconds === undefined ? {} : { retentionSeconds };
    const { resolve, read } = resolverOf({ operation: 'refund', store, host, ...given });
    await resolve('p-1', 'applied', maria);
    const expiresAt = seconds && Math.ceil(host.now() / 1000) + seconds;
    expect(await read('p-1')).toMatchObject({ status: 'completed', resultOmitted: 'by-choice' });
    expect((await parked.read('p-1'))?.expiresAt).toBe(expiresAt);
  });

  it('does not run until somebody decides', async () => {
    const { refund, runs } = await parkedRefund();
    expect(await refund('p-1')).toMatchObject({ outcome: 'parked', error: { name: 'outcome-unknown' } });
    expect(runs()).toBe(1);
  });

  it('resolved as applied: never runs, and the decision is on it', async () => {
    const { refund, parked, runs, store } = await parkedRefund();
    expect(await parked.resolve('p-1', 'applied', maria)).toMatchObject({ outcome: 'resolved' });
    expect(await refund('p-1')).toMatchObject({ outcome: 'completed', replayed: true, recorded: false });
    expect(runs()).toBe(1);
    expect(store.records()).toMatchObject([
      { status: 'completed', resolution: { verdict: 'applied', ...maria, at: expect.stringMatching(/^2026-/) } },
    ]);
  });

  it.each(['not-applied', 'retry'] as const)('resolved as %s: runs once, under a higher fence', async (verdict) => {
    const { refund, parked, runs, store } = await parkedRefund();
    await parked.resolve('p-1', verdict, maria);
    expect(await refund('p-1')).toMatchObject({ outcome: 'completed', replayed: false });
    expect(await refund('p-1')).toMatchObject({ outcome: 'completed', replayed: true });
    expect(runs()).toBe(2);
    expect(store.records()).toMatchObject([{ status: 'completed', fence: 2, resolution: { verdict } }]);
  });

  it('is decided once: the second decision changes nothing', async () => {
    const { parked, store } = await parkedRefund();
    await parked.resolve('p-1', 'applied', maria);
    const before = store.records();
    const second = await parked.resolve('p-1', 'retry', { by: 'john', note: '' });
    expect(second).toMatchObject({ outcome: 'not-in-doubt', claim: { status: 'completed' } });
    expect(store.records()).toEqual(before);
  });

  it('says so when somebody else decides between its look and its write', async () => {
    const { host, store, parked } = await parkedRefund();
    const overtaken: ClaimStore = {
      read: store.read,
      async write(write) {
        await parked.resolve('p-1', 'applied', maria);
        return store.write(write);
      },
    };
    const late = resolverOf({ operation: 'refund', store: overtaken, host });
    expect(await late.resolve('p-1', 'retry', { by: 'otto', note: '' })).toMatchObject({
      outcome: 'not-in-doubt',
      claim: { status: 'completed', resolution: { by: 'maria' } },
    });
  });

  it('knows its own decision again when the answer was lost', async () => {
    const { host, store } = await parkedRefund();
    const lossy: ClaimStore = {
      read: store.read,
      async write(write) {
        await store.write(write);
        return store.write(write);
      },
    };
    const parked = resolverOf({ operation: 'refund', store: lossy, host });
    expect(await parked.resolve('p-1', 'retry', maria)).toMatchObject({ outcome: 'resolved' });
  });

  it('can only be decided when it is parked, and known, and by somebody', async () => {
    const { parked } = await parkedRefund();
    expect(await parked.resolve('nobody', 'retry', maria)).toEqual({ id: 'refund#nobody', outcome: 'unknown-key' });
    await expect(parked.resolve('p-1', 'perhaps' as never, maria)).rejects.toThrow(OptionError);
    await expect(parked.resolve('p-1', 'retry', { by: '', note: '' })).rejects.toThrow(/by: expected/);
  });
});

describe('the late proof of the last holder', () => {
  /** A worker that holds a claim, outlives its lease, and comes back when the claim has been parked. */
  async function slowRefund() {
    const host = virtualHost();
    const store = memoryStore();
    const provider = Promise.withResolvers<string>();
    const options = {
      operation: 'refund',
      store,
      key: (id: string) => id,
      onAbandoned: 'park',
      onEvent: () => undefined,
    } as const;
    const slow = once<string, string>({ ...options, host }, () => provider.promise).outcome;
    const answer = slow('p-1', { remainingMs: () => 10_000 });
    await host.advance(20_000);
    const other = once<string, string>({ ...options, host }, () => 'never').outcome;
    expect(await other('p-1')).toMatchObject({ outcome: 'parked', error: { name: 'abandoned' } });
    return { host, store, provider, answer, other };
  }

  it('completes a parked claim, and that is recorded', async () => {
    const { provider, answer, store, other } = await slowRefund();
    provider.resolve('refunded');
    expect(await answer).toMatchObject({ outcome: 'completed' });
    expect(store.records()).toMatchObject([
      { status: 'completed', resolution: { verdict: 'applied', by: 'last holder' } },
    ]);
    expect(await other('p-1')).toEqual({ outcome: 'completed', replayed: true, result: 'refunded', recorded: true });
  });

  it('completes a claim that was resolved for another try and not granted since: the try would double it', async () => {
    const { host, provider, answer, store, other } = await slowRefund();
    await resolverOf({ operation: 'refund', store, host }).resolve('p-1', 'retry', maria);
    provider.resolve('refunded');
    await answer;
    expect(await other('p-1')).toMatchObject({ outcome: 'completed', replayed: true });
  });

  it('changes nothing when it proves no effect', async () => {
    const { provider, answer, store } = await slowRefund();
    const before = store.records();
    provider.reject(new Error('declined'));
    await expect(answer).rejects.toThrow('declined');
    expect(store.records()).toEqual(before);
  });
});
