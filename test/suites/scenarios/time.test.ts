import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { type AbandonedPolicy, OptionError, reconcile, renewedLease } from '../../../lib/pawl/index.ts';
import type { SqsOptions } from '../../../lib/pawl/sqs/index.ts';
import { eventually } from '../../support/eventually.ts';
import { aheadBy, clockAt, gate, type Order, order, setUp } from './support.ts';

describe('8 · a claim lasts as long as the work, and not much longer than its worker', () => {
  it('if the remaining time is not known, a dead worker holds its claim for a minute', async () => {
    const { worker, read } = await setUp();
    const ledger: string[] = [];
    const gone = gate();
    const first = worker(() => {
      ledger.push('first');
      return gone.work();
    })('a');
    await gone.begun;
    const { leaseUntil = 0, firstSeenAt = 0 } = (await read('a')) ?? {};
    expect(leaseUntil - firstSeenAt).toBeLessThan(61_000);
    const next = (host: ReturnType<typeof clockAt>) => worker(() => ledger.push('next'), { host })('a');
    expect(await next(clockAt(leaseUntil - 1000))).toEqual({ outcome: 'in-flight', retryAfterMs: 2000 });
    expect(await next(clockAt(leaseUntil + 1001))).toMatchObject({ outcome: 'completed', replayed: false });
    expect(ledger).toEqual(['first', 'next']);
    gone.end();
    await first;
  });

  it('work that outlasts its lease renews it, so that no second run starts', async () => {
    const { worker, read } = await setUp();
    const ledger: string[] = [];
    const long = gate();
    // Its beats, a third of the lease apart, come at once, and everything else at its time: a busy store has its 59 s.
    const isBeat = (ms: number) => ms > 15_000 && ms <= 20_000;
    const host = { ...nodeHost, after: (ms: number, run: () => void) => nodeHost.after(isBeat(ms) ? 50 : ms, run) };
    const options = { lease: renewedLease(60_000), host };
    const charge = worker(() => {
      ledger.push('run');
      return long.work();
    }, options);
    const first = charge('a');
    await long.begun;
    const { leaseUntil = 0 } = (await read('a')) ?? {};
    await eventually('the lease is renewed', async () =>
      expect((await read('a'))?.leaseUntil).toBeGreaterThan(leaseUntil + 10),
    );
    // Just after the first lease and the allowance for clocks were over.
    const late = worker(() => ledger.push('run'), { ...options, host: clockAt(leaseUntil + 1001) });
    expect(await late('a')).toMatchObject({ outcome: 'in-flight' });
    long.end();
    await first;
    expect(ledger).toEqual(['run']);
    expect(await read('a')).toMatchObject({ status: 'completed', fence: 1 });
  });

  it('setup refuses work that is longer than its lease by its own account', async () => {
    const { worker } = await setUp();
    const lease = renewedLease(10_000);
    expect(() => worker(() => undefined, { lease, timeoutMs: 10_000 })).toThrow(OptionError);
    expect(() => worker(() => undefined, { lease, timeoutMs: 8000 })).not.toThrow();
  });

  it('work that is longer than the rest of the invocation is not started, and claims nothing', async () => {
    const { consumer, count } = await setUp();
    const ledger: string[] = [];
    const charge = consumer(({ body }) => ledger.push(body.orderId), { timeoutMs: 40_000 });
    const message = order('a');
    expect(await charge(message)).toEqual([message.messageId]);
    expect(ledger).toEqual([]);
    expect(await count()).toBe(0);
  });
});

describe('19 · times are compared as they are, with an allowance for clocks that differ', () => {
  /** One worker holds the claim, and is at work. */
  async function held() {
    const scenario = await setUp();
    const ledger: string[] = [];
    const work = gate<string>();
    const first = scenario.worker(() => {
      ledger.push('first');
      return work.work();
    })('a', { remainingMs: () => 20_000 });
    await work.begun;
    const { leaseUntil = 0 } = (await scenario.read('a')) ?? {};
    const ask = (now: number, onAbandoned: 'retry' | 'park' = 'retry') =>
      scenario.worker(() => ledger.push('second'), { host: clockAt(now), onAbandoned })('a');
    return { ...scenario, ledger, work, first, leaseUntil, ask };
  }

  it('a clock that is fast by no more than the allowance takes over no live lease', async () => {
    const { ask, leaseUntil, ledger, first, work } = await held();
    expect(await ask(leaseUntil + 999)).toEqual({ outcome: 'in-flight', retryAfterMs: 1 });
    work.end('done');
    await first;
    expect(ledger).toEqual(['first']);
  });

  it('a lease is taken over as soon as the lease and the allowance are over', async () => {
    const { ask, leaseUntil, ledger, read, first, work } = await held();
    expect(await ask(leaseUntil + 1000)).toMatchObject({ outcome: 'completed', replayed: false });
    expect(await read('a')).toMatchObject({ status: 'completed', fence: 2, abandoned: 1 });
    work.end('too late');
    await first;
    expect(ledger).toEqual(['first', 'second']);
  });

  it('a clock that is an hour fast parks a live claim at worst, and the proof of its owner completes it', async () => {
    const { ask, ledger, read, first, work, leaseUntil } = await held();
    expect(await ask(leaseUntil + 3_600_000, 'park')).toMatchObject({ outcome: 'parked' });
    work.end('done');
    expect(await first).toMatchObject({ outcome: 'completed', result: 'done' });
    expect(await read('a')).toMatchObject({ status: 'completed', resolution: { by: 'last holder' } });
    expect(ledger).toEqual(['first']);
  });
});

describe('20 · a payment that timed out after the provider took it is not taken again', () => {
  const policies: readonly { policy: AbandonedPolicy; status: string; attempts: number }[] = [
    { policy: 'retry', status: 'completed', attempts: 2 },
    { policy: 'park', status: 'parked', attempts: 1 },
    { policy: 'reconcile', status: 'completed', attempts: 2 },
  ];

  /** A provider; under 'retry' it honours keys, which is when that policy is the right one. */
  function provider(honoursKeys: boolean) {
    const charges: string[] = [];
    return {
      charges,
      charge(key: string): void {
        if (!honoursKeys || !charges.includes(key)) charges.push(key);
      },
      has: (key: string) => charges.includes(key),
    };
  }

  const faces = ['the call times out', 'the whole invocation does'].flatMap((what) =>
    policies.map((policy) => ({ what, ...policy })),
  );

  it.each(faces)('under $policy, when $what', async ({ what, policy, status, attempts }) => {
    const { consumer, read } = await setUp();
    const { charges, charge, has } = provider(policy === 'retry');
    const started: number[] = [];
    const answer = gate();
    const onAbandoned: SqsOptions<Order>['onAbandoned'] =
      policy === 'reconcile'
        ? reconcile({
            ask: ({ effectKey }) => ({ verdict: has(effectKey) ? 'applied' : 'not-applied' }),
            settleMs: 0,
          })
        : policy;
    const pay = (options: Partial<SqsOptions<Order>>) =>
      consumer(
        (_, { effectKey, attempt }) => {
          started.push(attempt);
          charge(effectKey);
          return attempt === 1 ? answer.work() : undefined;
        },
        { onAbandoned, ...options },
      );

    const message = order('a');
    const first = pay({})(message);
    await answer.begun;
    const timeOut = () => answer.fail(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    if (what === 'the call times out') {
      timeOut();
      expect(await first).toEqual([message.messageId]);
      expect(await read('a')).toMatchObject({ status: policy === 'park' ? 'parked' : 'released' });
    }
    const next = await pay({ host: aheadBy(60_000) })(message);
    expect(next).toEqual(status === 'parked' ? [message.messageId] : []);
    expect(await read('a')).toMatchObject({ status, attempts });
    expect(charges).toEqual(['charge-order#a']);
    // Only 'retry' calls the provider again, with the same key.
    expect(started).toEqual(policy === 'retry' ? [1, 2] : [1]);

    // A sandbox that thaws after its invocation timed out changes nothing any more.
    const before = await read('a');
    timeOut();
    await first;
    expect(await read('a')).toEqual(before);
  });

  it('the time in progress can be set, below the time of the invocation', async () => {
    const { worker, read } = await setUp();
    const { charges, charge } = provider(true);
    const gone = gate();
    const pay = (host = aheadBy(0)) =>
      worker(
        ({ effectKey, attempt }) => {
          charge(effectKey);
          return attempt === 1 ? gone.work() : undefined;
        },
        { lease: renewedLease(30_000), host },
      )('a', { remainingMs: () => 900_000 });
    const first = pay();
    await gone.begun;
    const { leaseUntil = 0 } = (await read('a')) ?? {};
    expect(await pay(clockAt(leaseUntil))).toEqual({ outcome: 'in-flight', retryAfterMs: 1000 });
    expect(await pay(aheadBy(45_000))).toMatchObject({ outcome: 'completed', replayed: false });
    expect(charges).toEqual(['charge-order#a']);
    gone.end();
    await first;
  });
});
