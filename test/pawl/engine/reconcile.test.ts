import { describe, expect, it } from 'vitest';
import { once } from '../../../lib/pawl/engine/once.ts';
import type { ClaimOptions } from '../../../lib/pawl/engine/options.ts';
import { reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import type { Verdict } from '../../../lib/pawl/rules/verdict.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** A gift card of which the first attempt hangs up, and a provider that answers as told. */
async function cardInDoubt(
  answers: (Verdict | Error | 'hangs' | 'nothing' | 'slowly not applied')[],
  options: Partial<ClaimOptions<string>> = {},
) {
  const host = virtualHost();
  const store = memoryStore();
  const events: string[] = [];
  const asked: string[] = [];
  let issued = 0;
  const policy = reconcile<string>({
    ask: async ({ effectKey }) => {
      asked.push(effectKey);
      const answer = answers.shift() ?? { verdict: 'inconclusive' };
      if (answer === 'slowly not applied') {
        await host.advance(5000);
        return notApplied;
      }
      if (answer === 'hangs') return new Promise<never>(() => undefined);
      if (answer instanceof Error) throw answer;
      if (answer === 'nothing') return undefined as never;
      return answer;
    },
    settleMs: 2000,
  });
  const issue = once<string, string, boolean>(
    {
      operation: 'issue-gift-card',
      store,
      key: (id) => id,
      onAbandoned: policy,
      onEvent: ({ type }) => events.push(type),
      ...options,
      host,
    },
    () => {
      issued++;
      if (issued === 1) throw new Error('socket hang up');
      return 'card-2';
    },
  ).outcome;
  const call = () => issue('o-1', { remainingMs: () => 30_000 });
  await expect(call()).rejects.toThrow('socket hang up');
  return { host, store, events, asked, call, issued: () => issued };
}

const settled = 3000;
const applied: Verdict = { verdict: 'applied', result: 'card-1' };
const notApplied: Verdict = { verdict: 'not-applied' };
const inconclusive: Verdict = { verdict: 'inconclusive' };

describe('an effect in doubt, with a provider that can be asked', () => {
  it('applied: completed with the provider’s result, and not run', async () => {
    const { call, asked, issued, store } = await cardInDoubt([applied]);
    expect(await call()).toEqual({ outcome: 'completed', replayed: true, result: 'card-1', recorded: true });
    expect(asked).toEqual(['issue-gift-card#o-1']);
    expect(issued()).toBe(1);
    expect(store.records()).toMatchObject([{ status: 'completed', result: '"card-1"' }]);
    expect(await call()).toMatchObject({ outcome: 'completed', replayed: true, result: 'card-1' });
  });

  it('not applied, asked after it has settled: run', async () => {
    const { call, host, issued } = await cardInDoubt([notApplied]);
    await host.advance(settled);
    expect(await call()).toEqual({ outcome: 'completed', replayed: false, result: 'card-2' });
    expect(issued()).toBe(2);
  });

  it('not applied, asked a millisecond too early: not believed, and asked again', async () => {
    const { call, host, issued } = await cardInDoubt([notApplied, applied]);
    await host.advance(settled - 1);
    expect(await call()).toEqual({ outcome: 'in-doubt', retryAfterMs: 1 });
    await host.advance(1);
    expect(await call()).toMatchObject({ outcome: 'completed', result: 'card-1' });
    expect(issued()).toBe(1);
  });

  it('not applied, asked a millisecond too early, and said seconds later: not believed', async () => {
    const { call, host, issued } = await cardInDoubt(['slowly not applied', applied]);
    await host.advance(settled - 1);
    expect(await call()).toEqual({ outcome: 'in-doubt', retryAfterMs: 1 });
    expect(await call()).toMatchObject({ outcome: 'completed', result: 'card-1' });
    expect(issued()).toBe(1);
  });

  it('applied is believed at once, however early', async () => {
    const { call, issued } = await cardInDoubt([applied]);
    expect(await call()).toMatchObject({ outcome: 'completed', replayed: true });
    expect(issued()).toBe(1);
  });

  it('being asked too early does not move the time from which it is settled', async () => {
    const { call, host } = await cardInDoubt([notApplied, notApplied, notApplied, notApplied, notApplied]);
    for (let time = 0; time < settled; time += 1000) {
      expect(await call()).toEqual({ outcome: 'in-doubt', retryAfterMs: settled - time });
      await host.advance(1000);
    }
    expect(await call()).toMatchObject({ outcome: 'completed', replayed: false });
  });

  it.each<[string, Verdict | Error | 'nothing']>([
    ['cannot say', inconclusive],
    ['fails', new Error('503')],
    ['answers nothing', 'nothing'],
    ['answers nonsense', { verdict: 'perhaps' } as never],
  ])('a provider that %s three times: parked, and never run', async (_, answer) => {
    const { call, host, issued, store } = await cardInDoubt([answer, answer, answer]);
    await host.advance(settled);
    expect(await call()).toMatchObject({ outcome: 'in-doubt' });
    expect(await call()).toMatchObject({ outcome: 'in-doubt' });
    expect(await call()).toMatchObject({ outcome: 'parked' });
    expect(await call()).toMatchObject({ outcome: 'parked' });
    expect(issued()).toBe(1);
    expect(store.records()).toMatchObject([{ status: 'parked', error: { name: 'outcome-unknown' } }]);
  });

  it('a look-up that hangs is given up when the lease is about to end', async () => {
    const { call, host, issued } = await cardInDoubt(['hangs', applied]);
    await host.advance(settled);
    const answer = call();
    await host.advance(29_000);
    expect(await answer).toMatchObject({ outcome: 'in-doubt' });
    expect(await call()).toMatchObject({ outcome: 'completed', replayed: true });
    expect(issued()).toBe(1);
  });

  it('asks on whatever ended without an outcome: a worker that died is taken over before the question', async () => {
    const host = virtualHost();
    const store = memoryStore();
    const fences: number[] = [];
    const make = (fn: () => Promise<string> | string) =>
      once<string, string, boolean>(
        {
          operation: 'issue-gift-card',
          store,
          key: (id) => id,
          onAbandoned: reconcile({
            ask: () => {
              fences.push(store.records()[0]?.fence ?? 0);
              return notApplied;
            },
            settleMs: 0,
          }),
          onEvent: () => undefined,
          host,
        },
        fn,
      ).outcome;
    void make(() => new Promise(() => undefined))('o-1', { remainingMs: () => 10_000 });
    await host.advance(11_000);
    expect(await make(() => 'card')('o-1', { remainingMs: () => 10_000 })).toMatchObject({
      outcome: 'completed',
      result: 'card',
    });
    expect(fences).toEqual([2]);
  });
});

describe('options of reconcile', () => {
  it('needs to know how long the provider’s reads lag', () => {
    expect(() => reconcile({ ask: () => applied } as never)).toThrow(/^reconcile.settleMs: expected .*; got undefined/);
  });

  it('is made by `reconcile`: an object that only looks like it is refused at set-up', () => {
    const options = { operation: 'x', store: memoryStore(), key: (id: string) => id, host: virtualHost() };
    const onAbandoned = { ask: () => applied, settleMs: 0 } as never;
    expect(() => once({ ...options, onAbandoned }, () => 'x')).toThrow(/^onAbandoned: expected .*reconcile\(/);
  });
});
