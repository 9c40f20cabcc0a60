import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import {
  type Claim,
  InDoubtError,
  memoryStore,
  type OnceCall,
  OptionError,
  once,
  RejectedError,
  RetryableError,
  type StepOptions,
  step,
} from '../../../lib/pawl/index.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** Attempts of one payment, each by another worker; the handlers are tried in turn. */
function setUp() {
  const host = virtualHost();
  const store = memoryStore();
  const options = {
    operation: 'pay',
    store,
    key: () => 'p-1',
    onAbandoned: 'retry',
    onEvent: () => undefined,
    host,
  } as const;
  return {
    host,
    store,
    parked: resolverOf({ operation: 'pay', store, ...{ host } }),
    attempt: (fn: (claim: Claim) => unknown, call: OnceCall = {}) =>
      once<string, unknown>(options, (_, claim) => fn(claim)).outcome('p-1', call),
    /** A worker that dies where its handler waits for ever; the next one comes when its lease has ended. */
    async dies(fn: (claim: Claim, death: Promise<never>) => unknown): Promise<void> {
      const dead = once<string, unknown>({ ...options, host: { ...host, after: () => () => undefined } }, (_, claim) =>
        fn(claim, new Promise<never>(() => undefined)),
      ).outcome;
      void dead('p-1');
      await host.advance(3_600_000);
    },
  };
}

const retry: StepOptions = { onAbandoned: 'retry' };
const park: StepOptions = { onAbandoned: 'park' };

describe('a step', () => {
  it('that is done is not run again, and answers the same', async () => {
    const { dies, attempt, store } = setUp();
    const ran: string[] = [];
    const charge = (claim: Claim) =>
      step(claim, 'charge', () => ran.push('charge') && { id: 'ch_1', at: null, none: undefined }, park);
    await dies(async (claim, death) => {
      await charge(claim);
      await step(claim, 'nothing', () => undefined, retry);
      await death;
    });
    const answer = await attempt(async (claim) => [
      await charge(claim),
      await step(claim, 'nothing', () => 'again', retry),
    ]);
    expect(answer).toMatchObject({ outcome: 'completed', result: [{ id: 'ch_1', at: null }, undefined] });
    expect(ran).toEqual(['charge']);
    expect(store.records()[0]).toMatchObject({ status: 'completed', attempts: 2 });
  });

  it.each([retry, park])(
    'that could not start keeps the claim from completing, although nobody waits for it',
    async (how) => {
      const { host, attempt, store } = setUp();
      const ran: string[] = [];
      const tooLong = async (claim: Claim) => {
        await new Promise<void>((resolve) => host.after(claim.remainingMs(), resolve));
        void step(claim, 'receipt', () => void ran.push('receipt'), how);
      };
      const late = attempt(tooLong, { remainingMs: () => 10_000 }).catch((error: unknown) => error);
      await host.advance(10_000);
      expect(await late).toMatchObject({ name: 'LeaseError' });
      expect(store.records()).toMatchObject([{ status: 'released' }]);
      await attempt((claim) => step(claim, 'receipt', () => void ran.push('receipt'), how));
      expect(ran).toEqual(['receipt']);
    },
  );

  it('has an effect key of its own, the same at each attempt', async () => {
    const { attempt } = setUp();
    const keys: string[] = [];
    const both = async (claim: Claim) => {
      await step(claim, 'a', ({ effectKey }) => keys.push(effectKey), retry);
      await step(claim, 'b', ({ effectKey }) => keys.push(effectKey), retry);
      throw new RetryableError('once more');
    };
    await expect(attempt(both)).rejects.toThrow('once more');
    expect(keys).toEqual(['pay#p-1#a', 'pay#p-1#b']);
    const long = (claim: Claim) => Object.assign(claim, { effectKey: 'pay#'.padEnd(255, 'k') });
    await setUp().attempt((claim) => step(long(claim), 'a', ({ effectKey }) => keys.push(effectKey), retry));
    expect(keys.at(-1)).toMatch(/^pay#sha256:[0-9a-f]{64}$/);
  });

  it('in which a worker died runs again under retry', async () => {
    const { dies, attempt } = setUp();
    let ran = 0;
    await dies((claim, death) => step(claim, 'charge', () => ++ran && death, retry));
    expect(await attempt((claim) => step(claim, 'charge', () => ++ran, retry))).toMatchObject({ result: 2 });
  });

  it('in which a worker died parks the claim under park, until somebody decides', async () => {
    const { dies, attempt, parked } = setUp();
    let ran = 0;
    const charge = (claim: Claim) => step(claim, 'charge', () => ++ran, park);
    await dies((claim, death) => step(claim, 'charge', () => ++ran && death, park));
    await expect(attempt(charge)).rejects.toThrow(InDoubtError);
    expect(await attempt(charge)).toMatchObject({ outcome: 'parked', error: { name: 'outcome-unknown' } });
    expect(ran).toBe(1);
    await parked.resolve('p-1', 'not-applied', { by: 'maria', note: 'no such charge' });
    expect(await attempt(charge)).toMatchObject({ outcome: 'completed', result: 2 });
  });

  it('that fails without saying parks under park, and not when it says', async () => {
    for (const [error, status] of [
      [new Error('socket hang up'), 'parked'],
      [new RetryableError('busy'), 'released'],
      [new RejectedError('no such card'), 'rejected'],
    ] as const) {
      const { attempt, store } = setUp();
      await expect(attempt((claim) => step(claim, 'charge', () => Promise.reject(error), park))).rejects.toThrow(
        error.message,
      );
      expect(store.records()[0]).toMatchObject({ status });
      if (status === 'released')
        expect(await attempt((claim) => step(claim, 'charge', () => 1, park))).toMatchObject({ result: 1 });
    }
  });

  it('asks its provider, which is believed when it says "not applied" late enough', async () => {
    const { dies, attempt, host } = setUp();
    let ran = 0;
    const asked: string[] = [];
    let verdict: 'applied' | 'not-applied' | 'inconclusive' = 'inconclusive';
    const ask: StepOptions = {
      onAbandoned: reconcile({
        ask: ({ effectKey }) => {
          asked.push(effectKey);
          return verdict === 'applied' ? { verdict, result: 'ch_1' } : { verdict };
        },
        settleMs: 7_200_000,
      }),
    };
    const charge = (claim: Claim) => step(claim, 'charge', () => ++ran, ask);
    await dies((claim, death) => step(claim, 'charge', () => ++ran && death, ask));
    await expect(attempt(charge)).rejects.toThrow('cannot say yet');
    verdict = 'not-applied';
    await expect(attempt(charge)).rejects.toThrow('cannot say yet');
    expect(ran).toBe(1);
    await host.advance(7_200_000);
    expect(await attempt(charge)).toMatchObject({ result: 2 });
    expect(asked).toEqual(['pay#p-1#charge', 'pay#p-1#charge', 'pay#p-1#charge']);
  });

  it('that the provider knows of is not run', async () => {
    const { dies, attempt } = setUp();
    const ask: StepOptions = {
      onAbandoned: reconcile({ ask: () => ({ verdict: 'applied', result: 'ch_1' }), settleMs: 0 }),
    };
    await dies((claim, death) => step(claim, 'charge', () => death, ask));
    const answer = await attempt((claim) => step(claim, 'charge', () => expect.fail('it ran'), ask));
    expect(answer).toMatchObject({ outcome: 'completed', result: 'ch_1' });
  });

  it('renamed, moved or inserted between two deployments is noticed, and parks', async () => {
    for (const names of [['bill'], ['receipt', 'charge'], ['validate', 'charge', 'receipt']]) {
      const { dies, attempt, store } = setUp();
      await dies(async (claim, death) => {
        await step(claim, 'charge', () => 1, retry);
        await step(claim, 'receipt', () => death, park);
      });
      const changed = async (claim: Claim) => {
        for (const name of names) await step(claim, name, () => expect.fail('it ran'), retry);
      };
      await expect(attempt(changed)).rejects.toThrow('the order of steps has changed');
      expect(store.records()[0]).toMatchObject({ status: 'parked' });
    }
  });

  it('may run beside others: each is kept, whichever is done first', async () => {
    const { dies, attempt } = setUp();
    const ran: number[] = [];
    const fan = (claim: Claim, last?: Promise<never>) =>
      Promise.all(
        [0, 1, 2, 3, 4].map((n) =>
          step(
            claim,
            `item-${n}`,
            async () => {
              for (let turn = 5; turn > n; turn--) await undefined;
              ran.push(n);
              if (n === 0) await last;
              return n * n;
            },
            park,
          ),
        ),
      );
    await dies((claim, death) => fan(claim, death));
    expect(ran.toSorted()).toEqual([0, 1, 2, 3, 4]);
    await expect(attempt((claim) => fan(claim))).rejects.toThrow('step item-0 was started');
    expect(ran).toHaveLength(5);
  });

  it('whose result is too large is done all the same, and parks when somebody needs it', async () => {
    const { dies, attempt } = setUp();
    let ran = 0;
    const large = (claim: Claim) => step(claim, 'charge', () => ++ran && 'x'.repeat(20_000), retry);
    await dies(async (claim, death) => {
      expect(await large(claim)).toHaveLength(20_000);
      await death;
    });
    await expect(attempt(large)).rejects.toThrow('its result was not kept: it was too-large');
    expect(ran).toBe(1);
  });

  it('is bounded in number, and all of them in bytes', async () => {
    const { attempt, store } = setUp();
    await expect(
      attempt(async (claim) => {
        for (let n = 0; n <= 100; n++) await step(claim, `item-${n}`, () => 'x'.repeat(15_000), retry);
      }),
    ).rejects.toThrow('the number of steps: expected at most 100');
    // That each is done is kept beyond the bound, and what it returned is not.
    expect(store.records()[0]?.checkpoints?.length).toBeLessThan(210_000);
    expect(JSON.parse(store.records()[0]?.checkpoints ?? '[]')).toHaveLength(100);
  });

  it('of a worker that was taken over does not start, and is not kept', async () => {
    const { host, store, attempt } = setUp();
    const ran: string[] = [];
    const gate = Promise.withResolvers<void>();
    const slow = attempt(async (claim) => {
      await gate.promise;
      await step(claim, 'charge', () => ran.push('stale'), park);
    });
    await host.advance(0);
    // Somebody else has taken it, as the heartbeat failed.
    const [record] = store.records();
    if (record) await store.write({ next: { ...record, claimId: 'other', fence: 2 }, seen: record });
    gate.resolve();
    await expect(slow).rejects.toThrow('another worker has the claim');
    expect(ran).toEqual([]);
    expect(store.records()[0]?.checkpoints).toBeUndefined();
  });

  it('does not begin under a record that says it has applied nothing, also when its clock is set back and there is time again', async () => {
    const host = virtualHost();
    const inner = memoryStore();
    let aheadMs = 0;
    const store: typeof inner = {
      ...inner,
      write(write) {
        const { checkpoints = '' } = write.next;
        // The answer to "started" comes after the lease; that to "open" when the clock is right again.
        if (checkpoints.includes('"started"')) aheadMs = 3_600_000;
        if (checkpoints.includes('"open"')) aheadMs = 0;
        return inner.write(write);
      },
    };
    const ran: string[] = [];
    const attempt = once<string, unknown>(
      {
        operation: 'pay',
        store,
        key: () => 'p-1',
        onAbandoned: 'retry',
        onEvent: () => undefined,
        host: { ...host, now: () => host.now() + aheadMs },
      },
      (_, claim) => step(claim, 'charge', () => ran.push('charge'), park),
    ).outcome;
    await expect(attempt('p-1')).rejects.toThrow('step charge was not started');
    expect(ran).toEqual([]);
  });

  it('is refused when it is wired wrongly', async () => {
    const { attempt } = setUp();
    await expect(attempt((claim) => step({ ...claim }, 'a', () => 0, retry))).rejects.toThrow('no copy of it');
    await expect(attempt((claim) => step(claim, 'a b', () => 0, retry))).rejects.toThrow(OptionError);
    await expect(attempt((claim) => step(claim, 'a', () => 0, {} as StepOptions))).rejects.toThrow(OptionError);
    await expect(
      attempt(async (claim) => {
        await step(claim, 'a', () => 0, retry);
        await step(claim, 'a', () => 0, retry);
      }),
    ).rejects.toThrow('one that no other step of the handler has');
  });
});
