import { describe, expect, it } from 'vitest';
import type { Claim } from '../../../lib/pawl/engine/claim.ts';
import { once } from '../../../lib/pawl/engine/once.ts';
import type { ClaimOptions } from '../../../lib/pawl/engine/options.ts';
import {
  canonicalValue,
  LeaseError,
  memoryStore,
  OptionError,
  RetryableError,
  renewedLease,
  StoreUnavailableError,
} from '../../../lib/pawl/index.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { unhandledRejections } from '../../support/rejections.ts';
import { virtualHost } from '../../support/virtual-host.ts';

function setUp(options: Partial<ClaimOptions<string>>, fn: (claim: Claim, input: string) => unknown) {
  const host = virtualHost();
  const store = memoryStore();
  const events: string[] = [];
  const call = once<string, unknown, boolean>(
    {
      operation: 'refund',
      store,
      key: (input) => input,
      onAbandoned: 'park',
      onEvent: ({ type }) => events.push(type),
      ...options,
      host,
    },
    (input, claim) => fn(claim, input),
  ).outcome;
  return { host, store, events, call };
}

describe('claim.effect', () => {
  const marked = { onAbandoned: 'park', marksEffect: true } as const;

  it('an error before it has applied nothing: released, even under park', async () => {
    const { call, store } = setUp(marked, () => {
      throw new Error('the order could not be read');
    });
    await expect(call('p-1')).rejects.toThrow('could not be read');
    expect(store.records()).toMatchObject([{ status: 'released' }]);
    expect(store.records()[0]?.unknownAt).toBeUndefined();
  });

  it('an error in it is unknown: parked', async () => {
    const { call, store } = setUp(marked, (claim) => claim.effect(() => Promise.reject(new Error('socket hang up'))));
    await expect(call('p-1')).rejects.toThrow('socket hang up');
    expect(store.records()).toMatchObject([{ status: 'parked', error: { name: 'outcome-unknown' } }]);
  });

  it('an error after it cannot repeat it: completed, and the error is reported', async () => {
    const { call, store, events } = setUp(marked, async (claim) => {
      await claim.effect(() => 'refunded');
      throw new RetryableError('the metrics could not be flushed');
    });
    await expect(call('p-1')).rejects.toThrow('metrics');
    expect(store.records()).toMatchObject([{ status: 'completed' }]);
    expect(events).toContain('failed-after-effect');
    expect(await call('p-1')).toMatchObject({ outcome: 'completed', replayed: true });
  });

  it('an error in it is not undone by being caught outside; caught inside, it is the handler’s decision', async () => {
    const failing = () => Promise.reject(new Error('already refunded'));
    const outside = setUp(marked, async (claim) => {
      await claim.effect(failing).catch(() => undefined);
      return 'fine';
    });
    await expect(outside.call('p-1')).rejects.toThrow('already refunded');
    expect(outside.store.records()).toMatchObject([{ status: 'parked' }]);
    const inside = setUp(marked, (claim) => claim.effect(() => failing().catch(() => 'fine')));
    expect(await inside.call('p-1')).toMatchObject({ outcome: 'completed', result: 'fine' });
  });

  it('that fails without being waited for is neither done nor an unhandled rejection', async () => {
    const { call, store } = setUp(marked, async (claim) => {
      void claim.effect(() => Promise.reject(new Error('socket hang up')));
      await new Promise((resolve) => setImmediate(resolve));
      return 'fine, it seems';
    });
    await expect(call('p-1')).rejects.toThrow('socket hang up');
    expect(store.records()).toMatchObject([{ status: 'parked' }]);
  });

  it('cannot be started by a branch of the handler that outlived it: the claim was given back as not applied', async () => {
    const sent: number[] = [];
    const late = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<unknown>();
    const { call } = setUp(marked, (claim) => {
      if (claim.attempt > 1) return claim.effect(() => sent.push(claim.fence));
      const branch = late.promise.then(() => claim.effect(() => sent.push(claim.fence)));
      ended.resolve(branch.catch(() => undefined));
      throw new Error('audit down');
    });
    await expect(call('p-1')).rejects.toThrow('audit down');
    await call('p-1');
    late.resolve();
    await ended.promise;
    expect(sent).toEqual([2]);
  });

  it('is waited for when the handler forgot to: nothing goes on in a frozen sandbox', async () => {
    const order: string[] = [];
    const { call } = setUp(marked, (claim) => {
      void claim.effect(async () => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push('effect');
      });
    });
    await call('p-1');
    order.push('answered');
    expect(order).toEqual(['effect', 'answered']);
  });

  it('is not started with too little of the lease left: nothing applied, released', async () => {
    const { call, store, host } = setUp(marked, async (claim) => {
      await host.advance(29_500);
      await claim.effect(() => 'too late');
    });
    await expect(call('p-1', { remainingMs: () => 30_000 })).rejects.toThrow(LeaseError);
    expect(store.records()).toMatchObject([{ status: 'released' }]);
  });

  it('has no other one inside: the inner is refused, and cannot pass for the outer', async () => {
    const sent: string[] = [];
    const { call, store } = setUp(marked, (claim) =>
      claim.effect(async () => {
        await claim.effect(() => sent.push('mail'));
        throw new Error('the charge failed');
      }),
    );
    await expect(call('p-1')).rejects.toThrow(/one effect/);
    expect(sent).toEqual([]);
    expect(store.records()).toMatchObject([{ status: 'parked' }]);
  });

  it('that fails after another branch has thrown is still unknown, whatever the other branch said', async () => {
    const hangUp = Promise.withResolvers<never>();
    const { call, store } = setUp(marked, (claim) => {
      const audit = async () => {
        throw new RetryableError('audit down');
      };
      setImmediate(() => hangUp.reject(new Error('socket hang up')));
      return Promise.all([claim.effect(() => hangUp.promise), audit()]);
    });
    await expect(call('p-1')).rejects.toThrow('socket hang up');
    expect(store.records()).toMatchObject([{ status: 'parked' }]);
  });

  it('is one: a second is refused before it starts', async () => {
    let started = 0;
    const { call } = setUp(marked, async (claim) => {
      await claim.effect(() => ++started);
      await claim.effect(() => ++started);
    });
    await expect(call('p-1')).rejects.toThrow(/one effect/);
    expect(started).toBe(1);
  });
});

describe('the lease', () => {
  it('is looked at once more before the handler starts, for a sandbox that was frozen after its claim', async () => {
    let ran = 0;
    let frozenMs = 0;
    const clock = virtualHost();
    const host = { ...clock, now: () => clock.now() + frozenMs };
    const inner = memoryStore();
    const frozen: ClaimStore = {
      read: inner.read,
      async write(write) {
        const result = await inner.write(write);
        if (write.seen === undefined) frozenMs = 30_000;
        return result;
      },
    };
    const call = once<string, unknown, boolean>(
      {
        operation: 'refund',
        store: frozen,
        key: (input) => input,
        onAbandoned: 'park',
        onEvent: () => undefined,
        host,
      },
      () => ++ran,
    ).outcome;
    await expect(call('p-1', { remainingMs: () => 30_000 })).rejects.toThrow(LeaseError);
    expect(ran).toBe(0);
    expect(inner.records()).toMatchObject([{ status: 'released' }]);
  });

  it('of a claim whose write is answered when no handler can start any more is given back: nothing is in doubt', async () => {
    let ran = 0;
    const host = virtualHost();
    const inner = memoryStore();
    const slow: ClaimStore = {
      read: inner.read,
      async write(write) {
        const result = await inner.write(write);
        if (write.seen === undefined) await host.advance(29_500);
        return result;
      },
    };
    const call = once<string, unknown, boolean>(
      { operation: 'refund', store: slow, key: (input) => input, onAbandoned: 'park', onEvent: () => undefined, host },
      () => ++ran,
    ).outcome;
    await expect(call('p-1', { remainingMs: () => 30_000 })).rejects.toThrow(StoreUnavailableError);
    await host.advance(100);
    expect(ran).toBe(0);
    expect(inner.records()).toMatchObject([{ status: 'released', unknownAt: undefined }]);
  });

  it('aborts the signal a margin before its end, and what the abort throws is unknown', async () => {
    const { call, host, store } = setUp({ marginMs: 1000 }, (claim) => {
      const aborted = new Promise((_, reject) => {
        claim.signal.addEventListener('abort', () => reject(claim.signal.reason));
      });
      return Promise.all([aborted, host.advance(29_000)]);
    });
    await expect(call('p-1', { remainingMs: () => 30_000 })).rejects.toThrow(LeaseError);
    expect(store.records()).toMatchObject([{ status: 'parked' }]);
  });

  it('aborts the signal after timeoutMs', async () => {
    let remaining = 0;
    let aborted = false;
    const { call, host } = setUp({ timeoutMs: 5000 }, async (claim) => {
      remaining = claim.remainingMs();
      claim.signal.addEventListener('abort', () => {
        aborted = true;
      });
      await host.advance(4999);
      expect(aborted).toBe(false);
      await host.advance(1);
    });
    await call('p-1', { remainingMs: () => 30_000 });
    expect(remaining).toBe(5000);
    expect(aborted).toBe(true);
  });

  it('is renewed while a longer handler runs, and no more once it has ended', async () => {
    const { call, host, store, events } = setUp({ lease: renewedLease(30_000) }, async () => {
      await host.advance(100_000);
      return 'late but ours';
    });
    const start = host.now();
    expect(await call('p-1')).toMatchObject({ outcome: 'completed', result: 'late but ours' });
    const [after] = store.records();
    // The last beat came 100 seconds after the start, and asked for another 30.
    expect(after?.leaseUntil).toBe(start + 130_000);
    await host.advance(100_000);
    expect(store.records()).toEqual([after]);
    expect(events).toEqual(['granted', 'completed']);
  });

  it('aborts the signal when a renewal finds that the claim was taken over', async () => {
    const { call, host, store, events } = setUp({ lease: renewedLease(30_000) }, async (claim) => {
      const [mine] = store.records();
      if (mine) {
        const next = { ...mine, claimId: 'another', fence: mine.fence + 1 };
        await store.write({ next, seen: mine });
      }
      const { signal } = claim;
      await host.advance(10_000);
      expect(signal.aborted).toBe(true);
      expect(claim.remainingMs()).toBe(0);
      return 'late';
    });
    expect(await call('p-1')).toMatchObject({ outcome: 'completed' });
    expect(store.records()).toMatchObject([{ status: 'in-flight', claimId: 'another' }]);
    expect(events).toContain('stale-claim');
  });
});

describe('recording a result', () => {
  it.each([
    [
      'a cycle',
      () => Object.assign({}, { self: undefined as unknown }),
      'not-serialisable',
      (v: never) => Object.assign(v, { self: v }),
    ],
    ['a BigInt', () => ({ amount: 10n }), 'not-serialisable', (v: never) => v],
    ['more than the limit', () => 'x'.repeat(20_000), 'too-large', (v: never) => v],
  ] as const)(
    'never undoes an effect: %s is not recorded, and the claim completes',
    async (_, make, reason, finish) => {
      let ran = 0;
      const { call, store, events } = setUp({}, () => {
        ran++;
        return finish(make() as never);
      });
      expect(await call('p-1')).toMatchObject({ outcome: 'completed', replayed: false });
      expect(await call('p-1')).toEqual({ outcome: 'completed', replayed: true, result: undefined, recorded: false });
      expect(ran).toBe(1);
      expect(store.records()).toMatchObject([{ status: 'completed', resultOmitted: reason }]);
      expect(events).toContain('result-not-recorded');
    },
  );

  it('replays a fresh copy each time', async () => {
    const { call } = setUp({}, () => ({ cards: ['c-1'] }));
    await call('p-1');
    const first = await call('p-1');
    if (first.outcome === 'completed') (first.result as { cards: string[] }).cards.push('forged');
    expect(await call('p-1')).toEqual({
      outcome: 'completed',
      replayed: true,
      result: { cards: ['c-1'] },
      recorded: true,
    });
  });

  it('takes a handler that returns nothing for done like any other', async () => {
    let ran = 0;
    const { call } = setUp({}, () => {
      ran++;
    });
    await call('p-1');
    expect(await call('p-1')).toEqual({ outcome: 'completed', replayed: true, result: undefined, recorded: true });
    expect(ran).toBe(1);
  });

  it('goes on while the store fails after the effect, and reports the loss when the time is up', async () => {
    const host = virtualHost();
    const inner = memoryStore();
    let failing = 3;
    const flaky: ClaimStore = {
      read: inner.read,
      write: (write) =>
        write.next.status === 'completed' && failing-- > 0 ? Promise.reject(new Error('503')) : inner.write(write),
    };
    const events: string[] = [];
    const options = {
      operation: 'refund',
      store: flaky,
      key: (input: string) => input,
      onAbandoned: 'park',
      host,
    } as const;
    const call = once<string, string>(
      { ...options, onEvent: ({ type }) => events.push(type) },
      () => 'refunded',
    ).outcome;
    const first = call('p-1', { remainingMs: () => 30_000 });
    await host.advance(10_000);
    expect(await first).toMatchObject({ outcome: 'completed', result: 'refunded' });
    expect(events).toEqual(['granted', 'completed']);

    failing = Infinity;
    const second = call('p-2', { remainingMs: () => 30_000 });
    await host.advance(30_000);
    expect(await second).toMatchObject({ outcome: 'completed', result: 'refunded' });
    expect(events.at(-1)).toBe('completion-lost');
  });
});

describe('once', () => {
  it('does not compile, and fails clearly, without onAbandoned', () => {
    const options = { operation: 'refund', store: memoryStore(), key: (input: string) => input, host: virtualHost() };
    // @ts-expect-error onAbandoned has no default: only the author knows which mistake is the worse one
    expect(() => once(options, () => 'x')).toThrow(OptionError);
    // @ts-expect-error the same
    expect(() => once(options, () => 'x')).toThrow(/onAbandoned: expected 'retry', 'park' or .*; got undefined/);
  });

  it.each([
    ['operation', { operation: 'a#b' }],
    ['operation', { operation: '' }],
    ['operation', { operation: undefined as never }],
    ['store', { store: {} as never }],
    ['lease', { lease: renewedLease(1000) }],
    ['lease', { lease: renewedLease(5000), timeoutMs: 4000 }],
    ['retentionSeconds', { retentionSeconds: 0.5 }],
    ['maxAbandoned', { maxAbandoned: -1 }],
    ['retentionSeconds', { retentionSeconds: 59 }],
  ])('names the option that is wrong: %s', (name, options) => {
    expect(() => setUp(options, () => 'x')).toThrow(new RegExp(`^${name}: expected .*; got `));
  });

  it('does not run the same key with another intent, where the author says what that is', async () => {
    const host = virtualHost();
    const refund = once<{ id: string; amount: number }, string>(
      {
        operation: 'refund',
        store: memoryStore(),
        key: ({ id }) => id,
        fingerprint: canonicalValue,
        onAbandoned: 'park',
        onEvent: () => undefined,
        host,
      },
      ({ amount }) => `refunded ${amount}`,
    ).outcome;
    expect(await refund({ id: 'p-1', amount: 10 })).toMatchObject({ outcome: 'completed', result: 'refunded 10' });
    expect(await refund({ id: 'p-1', amount: 5000 })).toEqual({ outcome: 'key-reused' });
    expect(await refund({ amount: 10, id: 'p-1' })).toMatchObject({ outcome: 'completed', replayed: true });
  });

  it('tells a caller that somebody is at it, and for how long', async () => {
    let release = (): void => undefined;
    const { call } = setUp({ lease: renewedLease(30_000) }, () => new Promise<void>((resolve) => (release = resolve)));
    const first = call('p-1');
    await new Promise((resolve) => setImmediate(resolve));
    expect(await call('p-1')).toEqual({ outcome: 'in-flight', retryAfterMs: 31_000 });
    release();
    await first;
  });

  it('a release that fails does not hide the handler’s own error', async () => {
    const host = virtualHost();
    const inner = memoryStore();
    const broken: ClaimStore = {
      read: inner.read,
      write: (write) => (write.seen === undefined ? inner.write(write) : Promise.reject(new Error('store down'))),
    };
    const events: string[] = [];
    const call = once<string, unknown, boolean>(
      {
        operation: 'refund',
        store: broken,
        key: (i) => i,
        onAbandoned: 'retry',
        onEvent: ({ type }) => events.push(type),
        host,
      },
      () => {
        throw new Error('declined');
      },
    ).outcome;
    const answer = expect(call('p-1', { remainingMs: () => 5000 })).rejects.toThrow('declined');
    await host.advance(5000);
    await answer;
    expect(events).toContain('outcome-lost');
  });
});

it('a classifier that is async and fails, or an error that cannot be looked at, says nothing, and ends no process', async () => {
  const unreadable = new Proxy(new Error('x'), {
    get() {
      throw new Error('a trap');
    },
  });
  for (const thrown of [new Error('socket hang up'), unreadable]) {
    const { call, store } = setUp(
      { onAbandoned: 'park', classify: (async () => Promise.reject(new Error('a bug'))) as never },
      () => {
        throw thrown;
      },
    );
    const unhandled = await unhandledRejections(async () => {
      await call('p-1').catch(() => undefined);
    });
    expect(unhandled).toEqual([]);
    expect(store.records()).toMatchObject([{ status: 'parked' }]);
  }
});
