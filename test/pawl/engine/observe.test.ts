import { describe, expect, it, vi } from 'vitest';
import { enforcedShare } from '../../../lib/pawl/engine/observe/mode.ts';
import { type ClaimEvent, type ClaimOptions, memoryStore, once, RetryableError } from '../../../lib/pawl/index.ts';
import { observedToken } from '../../../lib/pawl/rules/observed.ts';
import { stores } from '../../support/broken-stores.ts';
import { unhandledRejections } from '../../support/rejections.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

interface Payment {
  readonly id: string;
  readonly amount?: number;
}

function refunds(options: Partial<ClaimOptions<Payment>> = {}) {
  const events: ClaimEvent[] = [];
  const ran: Payment[] = [];
  const onEvent = (event: ClaimEvent) => void events.push(event);
  const refund = once(
    {
      operation: 'refund',
      store: memoryStore(),
      key: (payment: Payment) => payment.id,
      fingerprint: { ignore: [] },
      onAbandoned: 'park',
      mode: 'observe',
      onEvent,
      ...options,
    },
    async (payment) => {
      ran.push(payment);
      if (payment.amount === 0) throw new Error('nothing to refund');
      return { refunded: payment.id };
    },
  );
  return { refund, ran, events, types: () => events.map(({ type }) => type) };
}

describe('once under observe', () => {
  it.each(Object.keys(stores))('returns and throws what its function does, for every call: %s', async (name) => {
    const rejections = await unhandledRejections(async () => {
      const own = stores[name]?.();
      const { refund, ran, types } = refunds(own && { store: own });
      expect(await refund({ id: 'a' })).toEqual({ refunded: 'a' });
      expect(await refund.outcome({ id: 'a' })).toEqual({
        outcome: 'completed',
        replayed: false,
        result: { refunded: 'a' },
      });
      await expect(refund({ id: 'b', amount: 0 })).rejects.toThrow('nothing to refund');
      expect(await refund({ id: '' })).toEqual({ refunded: '' });
      expect(ran.length).toBe(4);
      const said = name === 'healthy' ? ['would-replay', 'would-park'] : ['unseen', 'unseen', 'unseen'];
      expect(types()).toEqual([...said, 'would-refuse']);
    });
    expect(rejections).toEqual([]);
  });

  it('begins its function at once, as without pawl, and its first write with it', async () => {
    const writes: string[] = [];
    const well = memoryStore();
    const store = {
      ...well,
      write(write: Parameters<typeof well.write>[0]) {
        writes.push(write.next.status);
        return well.write(write);
      },
    };
    const { refund, ran } = refunds({ store });
    const call = refund({ id: 'a' });
    expect([ran.length, writes]).toEqual([1, ['in-flight']]);
    await call;
    expect(writes).toEqual(['in-flight', 'completed']);
  });

  it('waits at its end for as long as it may, and leaves half of its time to the response', async () => {
    for (const [observeWaitMs, remainingMs, waits] of [
      [25, 10_000, 25],
      [1000, 40, 20],
      [0, 10_000, 0],
    ] as const) {
      const host = virtualHost();
      const { refund, types } = refunds({ host, observeWaitMs, store: stores['hanging']?.() as never });
      let isOver = false;
      const call = refund({ id: 'a' }, { remainingMs: () => remainingMs }).then(() => {
        isOver = true;
      });
      if (waits > 0) {
        await host.advance(waits - 1);
        expect(isOver).toBe(false);
      }
      await host.advance(1);
      expect(isOver).toBe(true);
      await call;
      expect(host.now() - someDay).toBeLessThanOrEqual(waits + 1);
      expect(types()).toEqual(['unseen']);
    }
  });

  it('says that a call would have waited for another one, and that a key is wrong, with its field', async () => {
    const { refund, events } = refunds();
    await Promise.all([refund({ id: 'a', amount: 1 }), refund({ id: 'a', amount: 1 })]);
    await refund({ id: 'a', amount: 2 });
    expect(events).toMatchObject([{ type: 'would-defer' }, { type: 'would-refuse', reason: 'key-reused' }]);
  });

  it('is remembered: under enforcement, what was done returns its result, and what failed is in doubt', async () => {
    const store = memoryStore();
    const watched = refunds({ store }).refund;
    await watched({ id: 'a' });
    await watched({ id: 'b', amount: 0 }).catch(() => undefined);
    const { refund, ran } = refunds({ store, mode: 'enforce' });
    expect(await refund({ id: 'a' })).toEqual({ refunded: 'a' });
    expect(await refund.outcome({ id: 'b', amount: 0 })).toMatchObject({ outcome: 'parked' });
    expect(ran).toEqual([]);
  });

  it('is remembered without its result, if that was not kept', async () => {
    const store = memoryStore();
    await refunds({ store, recordResult: false }).refund({ id: 'a' });
    const { refund } = refunds({ store, mode: 'enforce' });
    expect(await refund.outcome({ id: 'a' })).toEqual({
      outcome: 'completed',
      replayed: true,
      result: undefined,
      recorded: false,
    });
  });

  it('writes once more for a key that is observed, and keeps the record of a first call in one write unit', async () => {
    const store = memoryStore();
    await refunds({ store }).refund({ id: '8f14e45f-ceea-467f-a0e6-b28c1a6c2b6d', amount: 1 });
    const [record] = store.records();
    expect(record).toMatchObject({ claimId: observedToken, rev: 2 });
    expect(JSON.stringify(record).length).toBeLessThan(1000);
  });

  it('classifies errors as enforcement would: one that says that nothing was applied leaves no doubt', async () => {
    const store = memoryStore();
    const fails = once(
      {
        operation: 'refund',
        store,
        key: (id: string) => id,
        onAbandoned: 'park',
        mode: 'observe',
        onEvent: () => undefined,
      },
      () => {
        throw new RetryableError('later');
      },
    );
    await fails('a').catch(() => undefined);
    expect(store.records()).toMatchObject([{ status: 'released', unknownAt: undefined }]);
  });
});

describe('the mode', () => {
  const share = (options: Parameters<typeof enforcedShare>[1], PAWL_MODE?: string) =>
    enforcedShare('refund', options, PAWL_MODE === undefined ? {} : { PAWL_MODE });

  it('is to enforce, unless it says otherwise', () => {
    expect([share({}), share({ mode: 'enforce' }), share({ mode: 'environment' })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(share({ mode: 'observe' })?.()).toBe(0);
    expect(share({ enforce: 0.01 })?.()).toBe(0.01);
    expect(share({ mode: 'observe', enforce: 0.5 })?.()).toBe(0.5);
  });

  it('is read from the environment where the author says so, and nowhere else', () => {
    expect(share({ mode: 'environment' }, 'observe')?.()).toBe(0);
    expect(share({ mode: 'environment' }, '0.25')?.()).toBe(0.25);
    expect(share({ mode: 'environment' }, 'enforce')).toBeUndefined();
    expect(share({}, 'observe')).toBeUndefined();
  });

  it.each(['on', 'OBSERVE', '2', '-0.1', '1%', '0x1', 'NaN', ' 0.1'])(
    'refuses %s in the environment at the start',
    (said) => {
      expect(() => share({ mode: 'environment' }, said)).toThrow(/^the variable PAWL_MODE: expected 'enforce'/);
    },
  );

  it('refuses what it does not know, at the start', () => {
    for (const mode of ['on', 1, true, null, {}] as never[]) expect(() => share({ mode })).toThrow(/^mode: expected/);
    for (const enforce of [1.1, -1, Number.NaN, '0.1'] as never[])
      expect(() => share({ enforce })).toThrow(/^enforce: expected/);
    expect(() => share({ mode: 'enforce', enforce: 0.1 })).toThrow(/^enforce: expected no mode beside it/);
    for (const said of ['on', 2, undefined, Promise.resolve('observe')] as never[]) {
      expect(() => share({ mode: () => said })).toThrow(/^mode: expected a function/);
    }
  });

  it('of a function is asked for at each delivery, and stays what it was if the function fails', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const said: unknown[] = ['observe', 'observe', 0.5, 'on', 'enforce'];
    const now = share({ mode: () => (said.length > 0 ? said.shift() : Promise.reject(new Error('no'))) as never });
    expect([now?.(), now?.(), now?.(), now?.(), now?.()]).toEqual([0, 0.5, 0.5, 1, 1]);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });
});
