import type { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { bodyField as httpField } from '../../../lib/pawl/http/index.ts';
import {
  type Claim,
  type ClaimEvent,
  type ClaimStore,
  canonicalValue,
  memoryStore,
  once,
  RejectedError,
  RetryableError,
  step,
} from '../../../lib/pawl/index.ts';
import { sleep } from '../../../lib/pawl/kernel/host.ts';
import { processWide } from '../../../lib/pawl/kernel/process-wide.ts';
import { memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { eachTransaction, inPhases } from '../../../lib/pawl/transactions/index.ts';
import { doors as apis } from '../../support/http-doors.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { type VirtualHost, virtualHost } from '../../support/virtual-host.ts';
import { warnedBy } from '../mistakes/mistake.ts';

/** What a call of `once` inside another handler means for the claim around it: by each of its errors, at each door and under each wrapper. */

interface Order {
  readonly id: string;
}
const order: Order = { id: 'order-17' };
type Notify = () => Promise<unknown>;

/** How the inner call stands. */
const situations = ['done', 'in-flight', 'parked', 'rejected', 'key-reused', 'not-kept', 'unavailable'] as const;
type Situation = (typeof situations)[number];

/** The claim around it. In flight and unavailable: nothing was applied, so it is released. Parked: an operator decides. What is final is final. */
const becomes: Readonly<Record<Situation, string>> = {
  done: 'completed',
  'in-flight': 'released',
  parked: 'parked',
  rejected: 'rejected',
  'key-reused': 'rejected',
  'not-kept': 'rejected',
  unavailable: 'released',
};

/** A world in which the notice of the order stands as the situation says. */
async function worldOf(situation: Situation) {
  const host = virtualHost();
  const store = memoryStore();
  const transactions = memoryTransactions(store);
  const common = { store, onEvent: (_: ClaimEvent): void => undefined, host };
  const options = { ...common, operation: 'notify', key: ({ id }: Order) => id, onAbandoned: 'park' } as const;
  const before = { ...options, fingerprint: () => canonicalValue(situation === 'key-reused' ? 'another' : 'this') };
  const broken: ClaimStore = { ...store, write: () => Promise.reject(new Error('down')) };
  const begun = once({ ...before, maxResultBytes: situation === 'not-kept' ? 1 : 1000 }, () => {
    if (situation === 'in-flight') return new Promise<never>(() => undefined);
    if (situation === 'parked') throw new Error('the connection was reset');
    if (situation === 'rejected') throw new RejectedError('the customer has unsubscribed');
    return { mail: 'm-1' };
  }).outcome(order);
  if (situation !== 'in-flight') await begun.catch(() => undefined);
  await host.advance(1);
  let runs = 0;
  const again = { ...options, store: situation === 'unavailable' ? broken : store };
  const call = once({ ...again, fingerprint: () => canonicalValue('this') }, () => ++runs);
  const notify: Notify = () => call(order, { remainingMs: () => 3000 });
  return { host, store, transactions, common, notify, runs: () => runs };
}
type World = Awaited<ReturnType<typeof worldOf>>;

interface Ended {
  /** What the caller or the queue hears. */
  readonly response?: unknown;
  /** How long the message is hidden, in seconds. */
  readonly hidden: readonly number[];
}

/** Lets virtual time pass until the call has ended. */
async function finished<T>(host: VirtualHost, call: Promise<T>): Promise<T | undefined> {
  const settled = call.catch(() => undefined);
  await host.advance(60_000);
  return settled;
}

/** A queue whose calls are written down. */
function queue() {
  const hidden: number[] = [];
  const send = async ({ input }: { input: { Entries?: { VisibilityTimeout?: number }[] } }) => {
    for (const { VisibilityTimeout = -1 } of input.Entries ?? []) hidden.push(VisibilityTimeout);
    return {};
  };
  return { hidden, aws: sdk({ sqs: { send } as unknown as SQSClient }) };
}

type Door = (world: World, onAbandoned: 'retry' | 'park') => Promise<Ended>;

/** `eachMessage` around a handler. */
const behindQueue =
  (handle: (world: World, claim: Claim) => unknown): Door =>
  async (world, onAbandoned) => {
    const { hidden, aws } = queue();
    const given = { ...world.common, store: world.transactions.store, aws, operation: 'outer' };
    const handler = eachMessage<Order>({ ...given, key: bodyField('id'), onAbandoned }, (_, claim) =>
      handle(world, claim),
    );
    const called = handler(sqsEvent(sqsRecord(order, { messageId: 'm' })), context(30_000, world.host.now));
    return { response: await finished(world.host, called), hidden };
  };

const put = { Put: { TableName: 'ledger', Item: { id: 'entry' } } };

const queueDoors: Readonly<Record<string, Door>> = {
  eachMessage: behindQueue(({ notify }) => notify()),
  'claim.effect': behindQueue(({ notify }, claim) => claim.effect(notify)),
  withLock: behindQueue(({ notify, host }) => {
    const unlock = { onSuccess: 'unlock', onFailure: 'unlock' } as const;
    return resourceLocks({ store: memoryLockStore(), host }).withLock([['order', 1]], { holder: 'h', unlock }, notify);
  }),
  async sqsOnce(world, onAbandoned) {
    const { hidden, aws } = queue();
    const given = { ...world.common, aws, operation: 'outer', key: bodyField('id'), onAbandoned };
    const batch = async ({ Records }: SQSEvent) => Promise.allSettled(Records.map(() => world.notify()));
    const handler = middy(batch, { timeoutEarlyInMillis: 0 }).use(sqsOnce<Order>(given));
    const event = sqsEvent(sqsRecord(order, { messageId: 'm' })) as SQSEvent;
    const called = handler(event, context(30_000, world.host.now) as Context) as Promise<unknown>;
    return { response: await finished(world.host, called), hidden };
  },
};

/** Where the policy is not the consumer's. */
const underRetry: Readonly<Record<string, Door>> = {
  'step under park': behindQueue(({ notify }, claim) => step(claim, 'notify', notify, { onAbandoned: 'park' })),
  'step under retry': behindQueue(({ notify }, claim) => step(claim, 'notify', notify, { onAbandoned: 'retry' })),
  inPhases: behindQueue(({ notify }, claim) =>
    inPhases({ execute: () => notify(), record: () => [put], onAbandoned: 'park' })(order, claim),
  ),
  async eachTransaction(world) {
    const { hidden, aws } = queue();
    const given = { ...world.common, store: world.transactions.store, aws, operation: 'outer' };
    const handler = eachTransaction<Order>({ ...given, key: bodyField('id') }, async () => {
      await world.notify();
      return [put];
    });
    const called = handler(sqsEvent(sqsRecord(order, { messageId: 'm' })), context(30_000, world.host.now));
    return { response: await finished(world.host, called), hidden };
  },
};

const http = (name: string): Door => {
  return async (world, onAbandoned) => {
    const given = { ...world.common, operation: 'outer', caller: 'anyone', key: httpField('id'), onAbandoned } as const;
    const api = apis[name]?.(given, async () => ({ statusCode: 200, body: JSON.stringify(await world.notify()) }));
    const called = api?.(apiGatewayV2({ body: JSON.stringify(order) })) ?? Promise.reject();
    return { response: await finished(world.host, called), hidden: [] };
  };
};

const otherDoors: Readonly<Record<string, Door>> = {
  onceOverHttp: http('onceOverHttp'),
  httpOnce: http('httpOnce'),
  async once(world, onAbandoned) {
    const outer = once({ ...world.common, operation: 'outer', key: ({ id }: Order) => id, onAbandoned }, world.notify);
    const called = outer(order, { remainingMs: () => 30_000 });
    return { response: await finished(world.host, called), hidden: [] };
  },
};

const cells = situations.flatMap((situation) => [
  ...Object.entries({ ...queueDoors, ...otherDoors }).flatMap(([door, run]) =>
    (['retry', 'park'] as const).map((onAbandoned) => ({ situation, door, onAbandoned, run })),
  ),
  ...Object.entries(underRetry).map(([door, run]) => ({ situation, door, onAbandoned: 'retry' as const, run })),
]);

describe('a call of once in the handler of another door', () => {
  test.each(cells)('$situation, in $door under $onAbandoned', async ({ situation, onAbandoned, run, door }) => {
    const world = await worldOf(situation);
    const { response, hidden } = await run(world, onAbandoned);
    const record = await world.store.read('outer#order-17');
    expect(record?.status).toBe(becomes[situation]);
    // Nothing is in doubt but what the inner call has left in doubt.
    if (situation !== 'parked') expect(record?.unknownAt).toBeUndefined();
    expect(world.runs()).toBe(0);
    if (door === 'onceOverHttp' || door === 'httpOnce') {
      const { statusCode, headers } = (response ?? {}) as { statusCode?: number; headers?: Record<string, string> };
      const statuses = { ...becomes, completed: 200, released: 503, rejected: 422, parked: undefined };
      expect(statusCode).toBe(statuses[becomes[situation] as 'completed']);
      if (statusCode === 503) expect(Number(headers?.['retry-after'] ?? headers?.['Retry-After'])).toBeGreaterThan(0);
    } else if (door !== 'once') {
      expect(failuresOf(response)).toEqual(situation === 'done' ? [] : ['m']);
      // It comes again when the lease of the inner call can have ended: about 66 seconds, of a renewed lease of a minute.
      if (situation === 'in-flight' && door !== 'eachTransaction') expect(hidden.at(-1)).toBeGreaterThan(30);
    }
  });
});

describe('a call of once with the key and the operation of its handler', () => {
  /** It would wait for the claim of its handler, and the handler for it. */
  const ownDoors = Object.entries({ ...queueDoors, ...underRetry, ...otherDoors }).filter(
    // Its handler has a claim for each message of its batch: the call is one of another worker.
    ([door]) => door !== 'sqsOnce',
  );

  test.each(ownDoors)('is refused before it claims anything, in %s', async (_, run) => {
    const world = await worldOf('done');
    const { store } = world.transactions;
    const types: string[] = [];
    const common = { ...world.common, onEvent: ({ type }: ClaimEvent) => void types.push(type) };
    let runs = 0;
    const options = { ...common, store, operation: 'outer', key: ({ id }: Order) => id, onAbandoned: 'retry' } as const;
    const own = once(options, () => ++runs);
    let said = '';
    const notify = (): Promise<unknown> =>
      own.outcome(order).catch((error: Error) => {
        said = error.message;
        throw error;
      });
    await run(
      { ...world, common: { ...common, store: Object.assign(store, { ...world.store, ...store }) }, notify },
      'retry',
    );
    expect(said).toMatch(/has the key and the operation 'outer' of the handler that it is made in.*#same-operation$/);
    expect(runs).toBe(0);
    expect((await world.store.read('outer#order-17'))?.status).toBe('released');
    expect(types).not.toContain('in-flight');
  });
});

describe('a call of once that a handler does not await', () => {
  /** A call that fails later. */
  const fails = ({ common, store, host }: World) => {
    const options = { ...common, store, operation: 'slow', key: ({ id }: Order) => id, onAbandoned: 'retry' } as const;
    const notify = once(options, async () => {
      await sleep(host, 5000);
      throw new RetryableError('the mail service is away');
    });
    return notify(order);
  };

  /** How a handler forgets the call: under way when it returns, also where code looks at it that the handler does not wait for; or failed before. */
  const ways: Readonly<Record<string, (world: World) => unknown>> = {
    'under way': ({ notify }) => void notify(),
    'looked at aside': async (world) => void fails(world).catch(() => undefined),
    'failed before': async ({ notify, host }) => {
      void notify();
      await sleep(host, 5000);
    },
  };
  const forgetful = Object.entries({ ...queueDoors, ...underRetry, ...otherDoors }).flatMap(([door, run]) =>
    Object.entries(ways).map(([way, forget]) => ({ door, run, way, forget })),
  );

  /** Where the effect around it was applied when the error came, it must not be repeated: the error is reported. */
  const applied = ['claim.effect', 'inPhases', 'eachTransaction'];

  test.each(forgetful)('is waited for and counts, in $door, $way', async ({ run, door, forget }) => {
    const world = await worldOf('in-flight');
    const events: ClaimEvent['type'][] = [];
    const common = { ...world.common, onEvent: ({ type }: ClaimEvent) => void events.push(type) };
    await warnedBy(() => run({ ...world, common, notify: async () => forget(world) }, 'retry'));
    const isApplied = applied.includes(door);
    expect((await world.store.read('outer#order-17'))?.status).toBe(isApplied ? 'completed' : 'released');
    expect(events.includes('failed-after-effect')).toBe(isApplied);
  });

  const withPolicy = forgetful.filter(({ door }) => !(door in underRetry));

  test.each(withPolicy)(
    'says nothing of what its handler has done beside it: under park, in $door, $way',
    async ({ run, door, forget }) => {
      const world = await worldOf('in-flight');
      await warnedBy(() => run({ ...world, notify: async () => forget(world) }, 'park'));
      expect((await world.store.read('outer#order-17'))?.status).toBe(applied.includes(door) ? 'completed' : 'parked');
    },
  );

  /** What a process has that has called `once` nowhere yet. */
  const calls = processWide('claims.calls-of-once/1', () => ({ expected: false, unseen: new Set<object>() }));

  test('is waited for and counts where the handler itself makes the function, and no handler of the process has before', async () => {
    const { host, store, common } = await worldOf('done');
    calls.expected = false;
    const before = calls.unseen.size;
    const handler = eachMessage<Order>(
      { ...common, operation: 'outer', key: bodyField('id'), onAbandoned: 'retry', aws: queue().aws },
      async () => {
        await sleep(host, 1);
        const options = { ...common, operation: 'late', key: ({ id }: Order) => id, onAbandoned: 'park' } as const;
        const notify = once(options, async () => {
          await sleep(host, 5000);
          throw new RetryableError('the mail service is away');
        });
        void notify(order);
      },
    );
    const records = [sqsRecord(order, { messageId: 'a' }), sqsRecord({ id: 'order-18' }, { messageId: 'b' })];
    const called = handler(sqsEvent(...records), context(30_000, host.now));
    await warnedBy(async () => expect(failuresOf(await finished(host, called))).toContain('a'));
    expect((await store.read('outer#order-17'))?.status).toBe('released');
    // What has ended is kept nowhere.
    expect([calls.expected, calls.unseen.size]).toEqual([true, before]);
  });

  test('is said once for both operations, and not where the call is awaited, late, by another, or never to be', async () => {
    const host = virtualHost();
    const store = memoryStore();
    const options = { store, key: (id: string) => id, onAbandoned: 'park', onEvent: () => undefined, host } as const;
    const inner = once({ ...options, operation: 'said-inner' }, (id) => {
      if (id === 'fails') throw new RejectedError('no');
      return id;
    });
    const outer = once({ ...options, operation: 'said-outer' }, async (id: string) => {
      if (id === 'forgets') void inner(id);
      if (id === 'forgets-more') void inner.outcome(id);
      if (id === 'late') {
        const called = inner(id);
        await sleep(host, 60_000);
        return called;
      }
      if (id === 'together') return (await Promise.all([inner('a'), inner('b')])).join();
      if (id === 'caught') return inner('fails').catch(() => 'caught');
      return id;
    });
    const call = async (id: string) => {
      const called = outer(id);
      await host.advance(120_000);
      return called;
    };
    const silent = await warnedBy(async () => {
      expect(await call('late')).toBe('late');
      expect(await call('together')).toBe('a,b');
      expect(await call('caught')).toBe('caught');
    });
    expect(silent).toBe('');
    const said = await warnedBy(async () => {
      expect(await call('forgets')).toBe('forgets');
      expect(await call('forgets-more')).toBe('forgets-more');
    });
    expect(said.split('\n')).toHaveLength(1);
    expect(said).toContain("a handler of 'said-outer' returned and had not awaited its call of once");
  });
});
