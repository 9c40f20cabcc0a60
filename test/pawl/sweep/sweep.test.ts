import { describe, expect, it } from 'vitest';
import type { ClaimEvent } from '../../../lib/pawl/engine/events.ts';
import { type Doubt, reconcile } from '../../../lib/pawl/engine/reconcile.ts';
import { type ClaimStore, memoryStore, once, RetryableError, step, type Verdict } from '../../../lib/pawl/index.ts';
import { lockOperator, memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { type SweepOptions, type SweepReport, sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const settleMs = 2000;
const never = () => new Promise<never>(() => undefined);

/** A shop whose workers die in mid-effect, with a sweep over its claims. */
function setUp(options: Partial<SweepOptions> = {}) {
  const host = virtualHost();
  const store = memoryStore();
  const events: ClaimEvent[] = [];
  const asked: Doubt[] = [];
  let says: Verdict | (() => Promise<Verdict>) = { verdict: 'inconclusive' };
  const ask = (doubt: Doubt) => {
    asked.push(doubt);
    return typeof says === 'function' ? says() : says;
  };
  const sweepOptions: SweepOptions = {
    store,
    host,
    operations: { pay: { onAbandoned: reconcile({ ask, settleMs }) } },
    askAgainMs: 60_000,
    onEvent: (event) => void events.push(event),
    onReport: () => undefined,
    ...options,
  };
  const pay = (effect: () => unknown, key = 'p-1', operation = 'pay') =>
    once(
      {
        operation,
        store,
        host,
        key: () => key,
        onAbandoned: 'retry',
        attributes: () => ({ cents: 500 }),
        onEvent: (event) => void events.push(event),
      },
      effect,
    ).outcome(undefined, { remainingMs: () => 10_000 });
  return {
    host,
    store,
    events,
    asked,
    pay,
    sweepOptions,
    ask,
    say(verdict: Verdict | (() => Promise<Verdict>)) {
      says = verdict;
    },
    /** A worker that dies in mid-effect: its caller never comes back. */
    async abandon(key?: string, operation?: string) {
      void pay(never, key, operation);
      await host.advance(0);
    },
    sweep: sweepOpenClaims(sweepOptions),
    statuses: () => store.records().map(({ id, status }) => `${id} ${status}`),
    types: () => events.map(({ type }) => type),
  };
}

/** Past the lease of a worker that died, and the settling of its provider. */
const settledMs = 10_000 + settleMs + 1000;

describe('a claim whose worker died', () => {
  it('completes where the provider says that the effect was applied, and its result is replayed', async () => {
    const { abandon, sweep, say, host, pay, asked } = setUp();
    await abandon();
    await host.advance(settledMs);
    say({ verdict: 'applied', result: { receipt: 7 } });
    expect(await sweep()).toMatchObject({ looked: 1, applied: 1, oldestInDoubtMs: 0, reachedEnd: true });
    expect(asked).toMatchObject([
      { operation: 'pay', key: 'p-1', effectKey: 'pay#p-1', attributes: { cents: 500 }, fence: 2 },
    ]);
    expect(await pay(() => 'again')).toEqual({
      outcome: 'completed',
      replayed: true,
      result: { receipt: 7 },
      recorded: true,
    });
  });

  it('is released, and nothing runs, where the provider says that nothing was applied', async () => {
    const { abandon, sweep, say, host, store, pay } = setUp();
    await abandon();
    await host.advance(settledMs);
    say({ verdict: 'not-applied' });
    expect(await sweep()).toMatchObject({ notApplied: 1 });
    expect(store.records()).toMatchObject([
      { status: 'released', unknownAt: undefined, open: undefined, abandoned: 1 },
    ]);
    expect(await pay(() => 'now')).toMatchObject({ outcome: 'completed', replayed: false, result: 'now' });
  });

  it('is left alone while its lease runs, and is not asked about before settleMs have passed', async () => {
    const { abandon, sweep, say, host, asked } = setUp();
    await abandon();
    say({ verdict: 'not-applied' });
    await host.advance(10_999);
    expect(await sweep()).toMatchObject({ held: 1, oldestInDoubtMs: 0, oldestOpenMs: 0 });
    await host.advance(2000);
    expect(await sweep()).toMatchObject({ tooEarly: 1, oldestInDoubtMs: 2999 });
    expect(asked).toEqual([]);
    await host.advance(1);
    expect(await sweep()).toMatchObject({ notApplied: 1 });
  });

  it('refuses the late completion of that worker once the provider is asked', async () => {
    const { pay, sweep, say, host, events, statuses } = setUp();
    const late = Promise.withResolvers<string>();
    const paid = pay(() => late.promise);
    await host.advance(settledMs);
    say({ verdict: 'not-applied' });
    await sweep();
    late.resolve('late');
    await host.advance(1000);
    await paid;
    expect(statuses()).toEqual(['pay#p-1 released']);
    expect(events.at(-1)?.type).toBe('stale-claim');
  });

  it('keeps its count of lost workers, so that a message that kills them is parked all the same', async () => {
    const { abandon, sweep, say, host, store, pay } = setUp();
    say({ verdict: 'not-applied' });
    for (let times = 0; times < 2; times++) {
      await abandon();
      await host.advance(settledMs);
      await sweep();
    }
    expect(store.records()).toMatchObject([{ abandoned: 2 }]);
    await abandon();
    await host.advance(settledMs);
    expect(await pay(() => 'again')).toMatchObject({ outcome: 'parked', error: { name: 'abandoned-too-often' } });
  });

  it('is parked under onAbandoned: park, and asks nobody', async () => {
    const { store, host, sweepOptions, abandon, statuses } = setUp();
    await abandon();
    await host.advance(settledMs);
    const sweep = sweepOpenClaims({ ...sweepOptions, store, operations: { pay: { onAbandoned: 'park' } } });
    expect(await sweep()).toMatchObject({ parked: 1 });
    expect(statuses()).toEqual(['pay#p-1 parked']);
    expect(await sweep()).toMatchObject({ alreadyParked: 1, parked: 0, oldestInDoubtMs: 0, oldestOpenMs: settledMs });
  });

  it('is left as it is, and counted with its age, where its operation is not registered', async () => {
    const { abandon, sweep, host, statuses } = setUp();
    await abandon('m-1', 'send-email');
    await host.advance(settledMs);
    expect(await sweep()).toMatchObject({ notRegistered: 1, oldestInDoubtMs: 3000 });
    expect(statuses()).toEqual(['send-email#m-1 in-flight']);
  });
});

describe('a provider that cannot say', () => {
  it('is asked again after a pause that doubles, and then the claim is parked', async () => {
    const { abandon, sweep, host, asked, statuses, ask, sweepOptions, store } = setUp();
    await abandon();
    await host.advance(settledMs);
    const three = sweepOpenClaims({
      ...sweepOptions,
      store,
      operations: { pay: { onAbandoned: reconcile({ ask, settleMs }), maxAbandoned: 4 } },
    });
    expect(await three()).toMatchObject({ inconclusive: 1 });
    expect(store.records()).toMatchObject([{ status: 'released', abandoned: 2 }]);
    // The lease of the question, and twice the pause.
    await host.advance(11_000 + 119_999);
    expect(await three()).toMatchObject({ tooEarly: 1 });
    await host.advance(1);
    expect(await three()).toMatchObject({ inconclusive: 1 });
    await host.advance(11_000 + 240_000);
    expect(await three()).toMatchObject({ parked: 1 });
    expect(asked).toHaveLength(3);
    expect(statuses()).toEqual(['pay#p-1 parked']);
    expect(await sweep()).toMatchObject({ alreadyParked: 1 });
  });

  it('is inconclusive where it throws, or says nothing in time, and the claim is not left in flight', async () => {
    const { abandon, sweep, say, host, statuses } = setUp();
    await abandon('p-1');
    await abandon('p-2');
    await host.advance(settledMs);
    const says = [() => Promise.reject(new Error('down')), never];
    say(() => (says.shift() ?? never)());
    const swept = sweep();
    await host.advance(12_000);
    expect(await swept).toMatchObject({ inconclusive: 2 });
    expect(statuses()).toEqual(['pay#p-1 released', 'pay#p-2 released']);
  });
});

describe('a claim that was released in doubt', () => {
  it('is settled as well: its handler threw, and no caller comes back', async () => {
    const { pay, sweep, say, host, statuses } = setUp();
    await expect(pay(() => Promise.reject(new Error('timeout')))).rejects.toThrow('timeout');
    await host.advance(settleMs + 1000);
    say({ verdict: 'applied' });
    expect(await sweep()).toMatchObject({ applied: 1 });
    expect(statuses()).toEqual(['pay#p-1 completed']);
  });
});

describe('a step in doubt', () => {
  const charged = (store: ClaimStore, host: ReturnType<typeof virtualHost>, charge: () => unknown) =>
    once(
      { operation: 'pay', store, host, key: () => 'p-1', onAbandoned: 'retry', onEvent: () => undefined },
      async (_, claim) => {
        const paid = await step(claim, 'charge', charge, { onAbandoned: 'park' });
        return { paid };
      },
    ).outcome(undefined, { remainingMs: () => 10_000 });

  it('is asked about by its name and its own effect key, and later attempts get what the provider returned', async () => {
    const { store, host, sweep, say, asked } = setUp();
    void charged(store, host, never);
    await host.advance(settledMs);
    say({ verdict: 'applied', result: 'ch_1' });
    expect(await sweep()).toMatchObject({ applied: 1 });
    expect(asked).toMatchObject([{ step: 'charge', effectKey: 'pay#p-1#charge' }]);
    expect(store.records()).toMatchObject([{ status: 'released', unknownAt: undefined, open: undefined }]);
    expect(await charged(store, host, () => 'twice')).toMatchObject({ result: { paid: 'ch_1' } });
  });

  it('runs at a later attempt where the provider says that it was not applied', async () => {
    const { store, host, sweep, say } = setUp();
    void charged(store, host, never);
    await host.advance(settledMs);
    say({ verdict: 'not-applied' });
    expect(await sweep()).toMatchObject({ applied: 0, notApplied: 1 });
    expect(await charged(store, host, () => 'ch_2')).toMatchObject({ result: { paid: 'ch_2' } });
  });

  it('stays in doubt, and in the list, where its provider cannot say', async () => {
    const { store, host, sweep } = setUp();
    void charged(store, host, never);
    await host.advance(settledMs);
    expect(await sweep()).toMatchObject({ inconclusive: 1 });
    expect((await store.listOpen({ limit: 10 })).claims).toHaveLength(1);
  });
});

describe('two runs at once', () => {
  it('ask once: the second leaves the claim to the first', async () => {
    const { abandon, sweep, sweepOptions, say, host, asked } = setUp();
    await abandon();
    await host.advance(settledMs);
    const answer = Promise.withResolvers<Verdict>();
    say(() => answer.promise);
    const first = sweep();
    await host.advance(0);
    expect(await sweepOpenClaims(sweepOptions)()).toMatchObject({ held: 1, applied: 0 });
    answer.resolve({ verdict: 'applied' });
    expect(await first).toMatchObject({ applied: 1 });
    expect(asked).toHaveLength(1);
  });

  it('record one outcome where both have seen the same claim', async () => {
    const { abandon, sweepOptions, store, say, host, asked, statuses } = setUp();
    await abandon();
    await host.advance(settledMs);
    const { claims } = await store.listOpen({ limit: 10 });
    say({ verdict: 'applied' });
    const stale = { ...store, listOpen: async () => ({ claims, cursor: undefined }) };
    const reports = await Promise.all([
      sweepOpenClaims({ ...sweepOptions, store: stale })(),
      sweepOpenClaims({ ...sweepOptions, store: stale })(),
    ]);
    expect(reports.map(({ applied }) => applied).toSorted()).toEqual([0, 1]);
    expect(asked).toHaveLength(1);
    expect(statuses()).toEqual(['pay#p-1 completed']);
  });
});

describe('a list that lags behind', () => {
  it('makes no claim of a key that the store does not hold, and none of a claim that is settled', async () => {
    const { abandon, sweepOptions, store, host, asked, pay } = setUp();
    await abandon();
    await host.advance(settledMs);
    const [open] = (await store.listOpen({ limit: 10 })).claims;
    if (open === undefined) throw new Error('nothing is open');
    await pay(() => 'by a caller');
    const claims = [open, { ...open, id: 'pay#gone' }];
    const stale = { ...store, listOpen: async () => ({ claims, cursor: undefined }) };
    expect(await sweepOpenClaims({ ...sweepOptions, store: stale })()).toMatchObject({ settledMeanwhile: 2 });
    expect(asked).toEqual([]);
    expect(store.records()).toMatchObject([{ id: 'pay#p-1', status: 'completed' }]);
  });

  it('leaves a claim whose worker has renewed its lease since', async () => {
    const { abandon, sweepOptions, store, host, asked, statuses } = setUp();
    await abandon();
    const [open] = (await store.listOpen({ limit: 10 })).claims;
    if (open === undefined) throw new Error('nothing is open');
    const claims = [{ ...open, leaseUntil: host.now() - 60_000 }];
    const stale = { ...store, listOpen: async () => ({ claims, cursor: undefined }) };
    expect(await sweepOpenClaims({ ...sweepOptions, store: stale })()).toMatchObject({ held: 1 });
    expect(asked).toEqual([]);
    expect(statuses()).toEqual(['pay#p-1 in-flight']);
  });

  it('asks nothing of a claim that has only failed: its effect is not in doubt', async () => {
    const { sweepOptions, store, host, asked, pay } = setUp();
    const { RetryableError } = await import('../../../lib/pawl/index.ts');
    await expect(pay(() => Promise.reject(new RetryableError('declined')))).rejects.toThrow('declined');
    const [record] = store.records();
    if (record === undefined) throw new Error('no record');
    await host.advance(settledMs);
    const claims = [{ ...record, unknownAt: 1 }];
    const stale = { ...store, listOpen: async () => ({ claims, cursor: undefined }) };
    expect(await sweepOpenClaims({ ...sweepOptions, store: stale })()).toMatchObject({ settledMeanwhile: 1 });
    expect(asked).toEqual([]);
  });
});

describe('a run that dies', () => {
  it('leaves a claim that a later run settles, wherever it died', async () => {
    for (let dies = 1; dies <= 3; dies++) {
      const { abandon, sweepOptions, store, say, host, statuses } = setUp();
      await abandon();
      await host.advance(settledMs);
      say({ verdict: 'applied' });
      let requests = 0;
      const mortal: SweepOptions['store'] = {
        ...store,
        read: (id) => (++requests >= dies ? never() : store.read(id)),
        write: (write) => (++requests >= dies ? never() : store.write(write)),
      };
      void sweepOpenClaims({ ...sweepOptions, store: mortal })().catch(() => undefined);
      await host.advance(60_000);
      expect(await sweepOpenClaims(sweepOptions)()).toMatchObject({ applied: 1 });
      expect(statuses()).toEqual(['pay#p-1 completed']);
    }
  });

  it('recognises its outcome where the response to it was lost', async () => {
    const { abandon, sweepOptions, store, say, host, statuses } = setUp();
    await abandon();
    await host.advance(settledMs);
    say({ verdict: 'not-applied' });
    let writes = 0;
    const lossy: SweepOptions['store'] = {
      ...store,
      async write(write) {
        const written = await store.write(write);
        if (++writes === 2) throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
        return written;
      },
    };
    const swept = sweepOpenClaims({ ...sweepOptions, store: lossy })();
    await host.advance(5000);
    expect(await swept).toMatchObject({ notApplied: 1, failed: 0 });
    expect(statuses()).toEqual(['pay#p-1 released']);
  });
});

describe('a run', () => {
  it('begins no question that its invocation could not see to its end, and the next run goes on', async () => {
    const { abandon, sweep, say, host, asked } = setUp({ concurrency: 1 });
    for (const key of ['p-1', 'p-2', 'p-3']) await abandon(key);
    await host.advance(settledMs);
    say(async () => {
      await host.advance(9000);
      return { verdict: 'applied' };
    });
    const endsAt = host.now() + 15_000;
    const context = { getRemainingTimeInMillis: () => endsAt - host.now() };
    expect(await sweep({}, context)).toMatchObject({ applied: 1, reachedEnd: false });
    expect(asked).toHaveLength(1);
    expect(await sweep()).toMatchObject({ applied: 2, reachedEnd: true });
  });

  it('ends after maxClaims, and the next one goes on behind them: the last claims have their turn', async () => {
    const { abandon, sweep, host, ask } = setUp({ maxClaims: 2, operations: {} });
    for (const key of ['p-1', 'p-2', 'p-3']) await abandon(key);
    await host.advance(settledMs);
    expect(await sweep()).toMatchObject({ looked: 2, reachedEnd: false });
    expect(await sweep()).toMatchObject({ looked: 1, reachedEnd: true });
    expect(await sweep()).toMatchObject({ looked: 2 });
    expect(ask).toBeTypeOf('function');
  });

  it('settles what it can, and then rejects, where the store fails for a claim', async () => {
    const { abandon, sweepOptions, store, say, host } = setUp();
    for (const key of ['p-1', 'p-2']) await abandon(key);
    await host.advance(settledMs);
    say({ verdict: 'applied' });
    const reports: unknown[] = [];
    const failing: SweepOptions['store'] = {
      ...store,
      read: (id) => (id === 'pay#p-1' ? Promise.reject(new Error('throttled')) : store.read(id)),
    };
    const sweep = sweepOpenClaims({ ...sweepOptions, store: failing, onReport: (report) => void reports.push(report) });
    await expect(sweep()).rejects.toThrow('throttled');
    expect(reports).toMatchObject([{ applied: 1, failed: 1 }]);
  });

  it('rejects where its invocation is too short for one question: it would look like one that finds nothing', async () => {
    const { sweep } = setUp();
    await expect(sweep({}, { getRemainingTimeInMillis: () => 12_000 })).rejects.toThrow('askTimeoutMs');
  });

  it('may not settle what an operator has decided', async () => {
    const { abandon, sweep, host, store, statuses, sweepOptions } = setUp();
    await abandon();
    await host.advance(settledMs);
    await sweepOpenClaims({ ...sweepOptions, operations: { pay: { onAbandoned: 'park' } } })();
    await resolverOf({ operation: 'pay', store }).resolve('p-1', 'applied', { by: 'maria', note: '' });
    expect(await sweep()).toMatchObject({ looked: 0 });
    expect(statuses()).toEqual(['pay#p-1 completed']);
  });
});

describe('a claim beside which a run was observed', () => {
  /** A worker of the claim, and a run that is observed beside it, each under way. */
  async function sideBySide() {
    const world = setUp();
    const { host, store, pay } = world;
    const [worker, run] = [Promise.withResolvers<never>(), Promise.withResolvers<never>()];
    const observing = once(
      {
        operation: 'pay',
        store,
        host,
        mode: 'observe',
        key: () => 'p-1',
        onAbandoned: 'retry',
        onEvent: () => undefined,
      },
      () => run.promise,
    );
    const calls = [pay(() => worker.promise)];
    await host.advance(0);
    calls.push(observing(undefined, { remainingMs: () => 60_000 }) as never);
    const settled = Promise.allSettled(calls);
    await host.advance(0);
    return { ...world, worker, run, settled };
  }

  it('is in doubt where that run failed and its worker applied nothing: its provider is asked', async () => {
    const { worker, run, settled, host, sweep, say, store, asked } = await sideBySide();
    run.reject(new Error('socket hang up'));
    await host.advance(100);
    worker.reject(new RetryableError('nothing was sent'));
    await host.advance(100);
    await settled;
    say({ verdict: 'applied', result: 7 });
    expect(await sweep()).toMatchObject({ looked: 1, tooEarly: 1 });
    await host.advance(settledMs);
    expect(await sweep()).toMatchObject({ applied: 1 });
    expect(asked).toHaveLength(1);
    expect(store.records()).toMatchObject([{ status: 'completed', open: undefined }]);
  });

  it.each([
    ['was released in doubt', 200],
    ['died', 10_000],
  ])('is not asked about before that run has had its time to settle: its worker %s', async (what, after) => {
    const { worker, run, settled, host, sweep, say, asked } = await sideBySide();
    if (what !== 'died') worker.reject(new Error('socket hang up'));
    await host.advance(after + 20_000);
    run.reject(new Error('socket hang up'));
    await host.advance(100);
    say({ verdict: 'not-applied' });
    expect(await sweep()).toMatchObject({ looked: 1, tooEarly: 1 });
    await host.advance(settleMs + 1000);
    expect(await sweep()).toMatchObject({ notApplied: 1 });
    expect(asked).toMatchObject([{ inDoubtSince: host.now() - settleMs - 1100 }]);
    worker.reject(new Error('too late'));
    await host.advance(100);
    await settled;
  });
});

describe('the options', () => {
  it('refuse a policy that is none, and a store that lists nothing', () => {
    const { store, sweepOptions } = setUp();
    const refused = (options: object) => () => sweepOpenClaims({ ...sweepOptions, ...options } as SweepOptions);
    expect(refused({ operations: { pay: { onAbandoned: 'retry' } } })).toThrow(
      'operations.pay.onAbandoned: expected \'park\' or reconcile({ ask, settleMs }); got "retry"',
    );
    expect(refused({ operations: { pay: {} } })).toThrow('operations.pay.onAbandoned: expected');
    expect(refused({ store: { read: store.read, write: store.write } })).toThrow('listOpen');
    expect(refused({ concurrency: 0 })).toThrow('concurrency');
  });
});

describe('the locks of a table', () => {
  it('are looked at where the sweep is handed them: the report says for how long the oldest kept one has been held', async () => {
    const lockStore = memoryLockStore();
    const { host, sweepOptions } = setUp();
    const sweep = sweepOpenClaims({ ...sweepOptions, locks: lockOperator({ store: lockStore, host }) });
    expect(await sweep()).toMatchObject({ oldestKeptLockMs: 0 });
    const locks = resourceLocks({ store: lockStore, host, onEvent: () => undefined });
    const lock = await locks.lockAll(['d-1'], { holder: 'r-1' });
    await host.advance(5000);
    await lock.keep();
    await host.advance(5000);
    expect(await sweep()).toMatchObject({ oldestKeptLockMs: 10_000 });
  });

  it('are listed after the claims are settled, and have no age where there is no time for all of them', async () => {
    const { abandon, asked, host, sweepOptions, say } = setUp();
    await abandon();
    await host.advance(60_000);
    say({ verdict: 'not-applied' });
    const endsAt = host.now() + 60_000;
    let askedBefore = 0;
    const locks = {
      async *list() {
        askedBefore = asked.length;
        await host.advance(59_000);
        yield [{ since: 0 }];
      },
    };
    const sweep = sweepOpenClaims({ ...sweepOptions, locks });
    const report = await sweep(undefined, { getRemainingTimeInMillis: () => endsAt - host.now() });
    expect(askedBefore).toBe(1);
    expect(report).toMatchObject({ notApplied: 1 });
    expect(report.oldestKeptLockMs).toBeUndefined();
  });

  it('that cannot be listed fail the run, after the claims are settled', async () => {
    const { abandon, host, sweepOptions, say } = setUp();
    await abandon();
    await host.advance(60_000);
    say({ verdict: 'not-applied' });
    const reports: SweepReport[] = [];
    const locks = {
      list: () => {
        throw new Error('no right');
      },
    };
    const sweep = sweepOpenClaims({ ...sweepOptions, locks, onReport: (report) => void reports.push(report) });
    await expect(sweep()).rejects.toThrow('no right');
    expect(reports).toMatchObject([{ notApplied: 1 }]);
    expect(reports[0]?.oldestKeptLockMs).toBeUndefined();
  });
});
