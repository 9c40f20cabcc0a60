import middy from '@middy/core';
import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import {
  type ClaimEvent,
  type ClaimRecord,
  memoryStore,
  once,
  RetryableError,
  reconcile,
  step,
} from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { asRestored } from '../../../lib/pawl/rules/restored.ts';
import { bodyField, eachMessage, type Message } from '../../../lib/pawl/sqs/index.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { type AppWrite, commit, eachTransaction, inPhases } from '../../../lib/pawl/transactions/index.ts';
import { doors as httpDoors } from '../../support/http-doors.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { virtualHost } from '../../support/virtual-host.ts';

interface Payment {
  readonly id: string;
}

const put = (id: string): AppWrite => ({ Put: { TableName: 'ledger', Item: { id } } });
const dies = () => new Promise<never>(() => undefined);
const invocationMs = 30_000;

/** One operation, whose code is deployed anew while a message of it is under way. */
function setUp() {
  const host = virtualHost();
  const claims = memoryStore();
  const { items, store } = memoryTransactions(claims);
  const events: ClaimEvent[] = [];
  const effects: string[] = [];
  const shared = { operation: 'pay', store, host, onEvent: (event: ClaimEvent) => void events.push(event) };
  const queue = { ...shared, key: bodyField('id'), fingerprint: () => 'the same', aws: noQueue };
  let receives = 0;
  const again = (alone = true) => {
    receives += alone ? 3 : 1;
    return sqsEvent(sqsRecord({ id: 'p-1' }, { messageId: 'm-1', receiveCount: receives }));
  };
  const lambda = () => context(invocationMs, host.now);
  return {
    host,
    claims,
    items,
    effects,
    events,
    shared,
    queue,
    again,
    lambda,
    record: () => claims.read('pay#p-1'),
    /** A handler that has its effect, and whose worker dies before it can say so. */
    effectAndDeath: async () => {
      effects.push('charged');
      return dies();
    },
    /** Lets a worker begin and die; its lease is over then. */
    async abandon(begun: () => unknown) {
      void Promise.resolve(begun()).catch(() => undefined);
      await host.advance(2 * invocationMs);
    },
    async deliver<R>(handled: () => Promise<R> | R): Promise<R> {
      const running = Promise.resolve(handled());
      await host.advance(invocationMs - 2000);
      return running;
    },
    transaction: (
      options: Partial<Pick<Parameters<typeof eachTransaction<Payment>>[0], 'onInheritedDoubt' | 'onRefused'>> = {},
      writesOf: () => Promise<AppWrite[]> | AppWrite[] = () => [put('entry')],
    ) => eachTransaction<Payment>({ ...queue, ...options }, writesOf),
  };
}

type World = ReturnType<typeof setUp>;

/** How a worker of each door dies after its effect. */
const doorsThatDie: Readonly<Record<string, (world: World) => unknown>> = {
  'eachMessage under park': ({ queue, again, lambda, effectAndDeath }) =>
    eachMessage<Payment>({ ...queue, onAbandoned: 'park' }, effectAndDeath)(again(), lambda()),
  'eachMessage under retry': ({ queue, again, lambda, effectAndDeath }) =>
    eachMessage<Payment>({ ...queue, onAbandoned: 'retry' }, effectAndDeath)(again(), lambda()),
  'eachMessage with claim.effect': ({ queue, again, lambda, effectAndDeath }) =>
    eachMessage<Payment>({ ...queue, onAbandoned: 'park', marksEffect: true }, (_, claim) =>
      claim.effect(effectAndDeath),
    )(again(), lambda()),
  'eachMessage with a step': ({ queue, again, lambda, effectAndDeath }) =>
    eachMessage<Payment>({ ...queue, onAbandoned: 'retry' }, (_, claim) =>
      step(claim, 'charge', effectAndDeath, { onAbandoned: 'park' }),
    )(again(), lambda()),
  'eachMessage that was to commit': ({ queue, again, lambda, effectAndDeath }) =>
    eachMessage<Payment>({ ...queue, onAbandoned: 'retry' }, async (_, claim) => {
      await effectAndDeath();
      await commit(claim, [put('entry')]);
    })(again(), lambda()),
  inPhases: ({ queue, again, lambda, effectAndDeath }) =>
    eachMessage<Payment>(
      { ...queue, onAbandoned: 'retry' },
      inPhases<Message<Payment>, string>({
        execute: effectAndDeath,
        record: () => [put('entry')],
        onAbandoned: 'retry',
      }),
    )(again(), lambda()),
  sqsOnce: ({ queue, again, lambda, effectAndDeath }) =>
    middy(async (_: SQSEvent) => effectAndDeath(), { timeoutEarlyInMillis: 0 }).use(
      sqsOnce<Payment>({ ...queue, onAbandoned: 'park' }),
    )(again() as never, lambda() as never),
  once: ({ shared, effectAndDeath }) =>
    once<string, unknown>({ ...shared, key: (id) => id, onAbandoned: 'park' }, effectAndDeath)('p-1', {
      remainingMs: () => invocationMs,
    }),
  ...Object.fromEntries(
    Object.entries(httpDoors).map(([name, wrap]) => [
      name,
      ({ shared, effectAndDeath }: World) =>
        wrap(
          { ...shared, key: () => 'p-1', fingerprint: () => 'the same', caller: 'anyone', onAbandoned: 'park' },
          effectAndDeath,
        )(apiGatewayV2({ body: '{}' })),
    ]),
  ),
};

describe('eachTransaction, deployed where another door was', () => {
  for (const [door, begins] of Object.entries(doorsThatDie)) {
    it(`parks what a worker of ${door} left in doubt, and commits nothing`, async () => {
      const world = setUp();
      await world.abandon(() => begins(world));
      expect(world.effects).toEqual(['charged']);
      await world.deliver(() => world.transaction()(world.again(), world.lambda()));
      expect([...world.items.keys()]).toEqual([]);
      expect(await world.record()).toMatchObject({ status: 'parked' });
      expect((await world.record())?.unknownAt).toBeDefined();
    });
  }

  it('parks what another door released in doubt', async () => {
    const world = setUp();
    const { queue, again, lambda } = world;
    const failing = eachMessage<Payment>({ ...queue, onAbandoned: 'retry' }, () => {
      world.effects.push('charged');
      throw new Error('the answer was lost');
    });
    await world.deliver(() => failing(again(), lambda()));
    expect(await world.record()).toMatchObject({ status: 'released' });
    await world.deliver(() => world.transaction()(again(), lambda()));
    expect([...world.items.keys()]).toEqual([]);
    expect(await world.record()).toMatchObject({ status: 'parked', error: { name: 'outcome-unknown' } });
  });

  it('parks what another door released with a step in doubt, and asks no writes for it', async () => {
    const world = setUp();
    const { queue, again, lambda } = world;
    const options = { onAbandoned: reconcile({ ask: () => ({ verdict: 'inconclusive' }), settleMs: 0 }) };
    const stepped = eachMessage<Payment>({ ...queue, onAbandoned: 'retry' }, (_, claim) =>
      step(claim, 'charge', world.effectAndDeath, options),
    );
    await world.abandon(() => stepped(again(), lambda()));
    await world.deliver(() => stepped(again(), lambda()));
    expect((await world.record())?.status).toBe('released');
    let asked = 0;
    const transaction = world.transaction({}, () => {
      asked++;
      return [];
    });
    await world.deliver(() => transaction(again(), lambda()));
    expect(await world.record()).toMatchObject({ status: 'parked' });
    expect(asked).toBe(0);
  });

  it('asks no writes for a claim of which its table may have forgotten a commit, also where it would commit none', async () => {
    const world = setUp();
    const { claims, queue, again, lambda } = world;
    const failing = eachMessage<Payment>({ ...queue, onAbandoned: 'retry' }, () => {
      throw new RetryableError('busy');
    });
    await world.deliver(() => failing(again(), lambda()));
    const found = (await world.record()) as ClaimRecord;
    const marked = asRestored(found.id, found, { reopenedAt: world.host.now() }, world.host.now());
    await claims.write({ next: { ...marked, rev: found.rev + 1 }, seen: found });
    let asked = 0;
    const transaction = world.transaction({ onInheritedDoubt: 'retry' }, () => {
      asked++;
      return [];
    });
    await world.deliver(() => transaction(again(), lambda()));
    expect([asked, (await world.record())?.status]).toEqual([0, 'parked']);
  });

  it("runs what is in doubt under onInheritedDoubt: 'retry', as its author says", async () => {
    const world = setUp();
    await world.abandon(() => doorsThatDie['eachMessage under park']?.(world));
    const response = await world.deliver(() =>
      world.transaction({ onInheritedDoubt: 'retry' })(world.again(), world.lambda()),
    );
    expect(failuresOf(response)).toEqual([]);
    expect([...world.items.keys()]).toEqual(['entry']);
    expect(await world.record()).toMatchObject({ status: 'completed' });
  });

  for (const verdict of ['applied', 'not-applied'] as const) {
    it(`asks the provider about a doubt: ${verdict}`, async () => {
      const world = setUp();
      await world.abandon(() => doorsThatDie['eachMessage under park']?.(world));
      const asked: string[] = [];
      const onInheritedDoubt = reconcile<Message<Payment>>({
        ask: ({ effectKey }, message) => {
          asked.push(`${message.body.id} ${effectKey}`);
          return { verdict };
        },
        settleMs: 0,
      });
      await world.deliver(() => world.transaction({ onInheritedDoubt })(world.again(), world.lambda()));
      expect(asked).toEqual(['p-1 pay#p-1']);
      expect([...world.items.keys()]).toEqual(verdict === 'applied' ? [] : ['entry']);
      expect(await world.record()).toMatchObject({ status: 'completed' });
    });
  }

  for (const [policy, onInheritedDoubt] of [
    ['retry', 'retry'],
    ['the word of the provider', reconcile<Message<Payment>>({ ask: () => ({ verdict: 'not-applied' }), settleMs: 0 })],
  ] as const) {
    for (const writes of [[put('entry')], []]) {
      it(`completes a claim with a step in doubt by ${policy}, with ${writes.length} writes: it calls no step`, async () => {
        const world = setUp();
        await world.abandon(() => doorsThatDie['eachMessage with a step']?.(world));
        const transaction = world.transaction({ onInheritedDoubt }, () => writes);
        const response = await world.deliver(() => transaction(world.again(), world.lambda()));
        expect(failuresOf(response)).toEqual([]);
        expect(world.items.size).toBe(writes.length);
        expect(await world.record()).toMatchObject({ status: 'completed' });
      });
    }
  }

  it('keeps a doubt that it has inherited through attempts of its own', async () => {
    const world = setUp();
    await world.abandon(() => doorsThatDie['eachMessage under park']?.(world));
    await world.abandon(() => world.transaction({ onInheritedDoubt: 'retry' }, dies)(world.again(), world.lambda()));
    await world.deliver(() => world.transaction()(world.again(), world.lambda()));
    expect([...world.items.keys()]).toEqual([]);
    expect(await world.record()).toMatchObject({ status: 'parked' });
  });

  it.each([null, 'ask', { ask: () => undefined }])('refuses the policy %o when it is made', (policy) => {
    const world = setUp();
    expect(() => world.transaction({ onInheritedDoubt: policy as never })).toThrow('onInheritedDoubt');
  });
});

/** What each door makes of a claim that a worker of eachTransaction abandoned. */
const doorsThatGoOn: Readonly<Record<string, (world: World) => unknown>> = {
  eachTransaction: (world) => world.transaction()(world.again(), world.lambda()),
  'eachMessage under park': ({ queue, again, lambda, effects }) =>
    eachMessage<Payment>({ ...queue, onAbandoned: 'park' }, () => void effects.push('charged'))(again(), lambda()),
  'eachMessage under reconcile': ({ queue, again, lambda, effects }) =>
    eachMessage<Payment>(
      {
        ...queue,
        onAbandoned: reconcile({
          ask: () => {
            throw new Error('nothing is in doubt');
          },
          settleMs: 1000,
        }),
      },
      () => void effects.push('charged'),
    )(again(), lambda()),
  sqsOnce: ({ queue, again, lambda, effects }) =>
    middy(async (_: SQSEvent) => void effects.push('charged'), { timeoutEarlyInMillis: 0 }).use(
      sqsOnce<Payment>({ ...queue, onAbandoned: 'park' }),
    )(again() as never, lambda() as never),
  once: ({ shared, effects }) =>
    once<string, unknown>(
      { ...shared, key: (id) => id, onAbandoned: 'park' },
      () => void effects.push('charged'),
    )('p-1'),
  ...Object.fromEntries(
    Object.entries(httpDoors).map(([name, wrap]) => [
      name,
      ({ shared, effects }: World) =>
        wrap(
          { ...shared, key: () => 'p-1', fingerprint: () => 'the same', caller: 'anyone', onAbandoned: 'park' },
          async () => {
            effects.push('charged');
            return { statusCode: 201, body: '' };
          },
        )(apiGatewayV2({ body: '{}' })),
    ]),
  ),
};

describe('a claim that a worker of eachTransaction abandoned', () => {
  for (const [door, goesOn] of Object.entries(doorsThatGoOn)) {
    it(`is not in doubt, and runs at ${door}`, async () => {
      const world = setUp();
      await world.abandon(() => world.transaction({}, dies)(world.again(), world.lambda()));
      expect(await world.record()).toMatchObject({ status: 'in-flight' });
      await world.deliver(() => goesOn(world) as Promise<unknown>);
      expect(await world.record()).toMatchObject({ status: 'completed' });
      expect([...world.items.keys(), ...world.effects]).toHaveLength(1);
    });
  }

  it('is parked as every other one once too many workers have died of its message', async () => {
    const world = setUp();
    for (let i = 0; i < 3; i++) await world.abandon(() => world.transaction({}, dies)(world.again(), world.lambda()));
    await world.deliver(() => world.transaction()(world.again(), world.lambda()));
    const record = await world.record();
    expect(record).toMatchObject({ status: 'parked', error: { name: 'abandoned-too-often' } });
    expect(record?.unknownAt).toBeUndefined();
  });

  it('is in doubt again once a worker of another door has had it', async () => {
    const world = setUp();
    await world.abandon(() => world.transaction({}, dies)(world.again(), world.lambda()));
    await world.abandon(() => doorsThatDie['eachMessage under park']?.(world));
    await world.deliver(() => world.transaction()(world.again(), world.lambda()));
    expect([...world.items.keys(), ...world.effects]).toEqual(['charged']);
    expect(await world.record()).toMatchObject({ status: 'parked', error: { name: 'abandoned' } });
  });

  it('counts as doubt where a version that does not know the field has granted it since', async () => {
    const world = setUp();
    await world.abandon(() => world.transaction({}, dies)(world.again(), world.lambda()));
    const seen = await world.record();
    if (seen === undefined) throw new Error('no record');
    // Such a version spreads what it found, and moves the fence on.
    const next = { ...seen, claimId: 'of-another-version', fence: seen.fence + 1, rev: seen.rev + 1 };
    await world.claims.write({ next, seen });
    await world.deliver(() => world.transaction()(world.again(), world.lambda()));
    expect([...world.items.keys()]).toEqual([]);
    expect(await world.record()).toMatchObject({ status: 'parked', error: { name: 'abandoned' } });
  });

  it('is left alone by a sweep and by an operator: nothing of it is in doubt', async () => {
    const world = setUp();
    await world.abandon(() => world.transaction({}, dies)(world.again(), world.lambda()));
    const { claims, host } = world;
    const before = await world.record();
    // As a list shows it that lags behind.
    const listOpen = async () => ({ claims: [before as never], cursor: undefined });
    const store = { ...claims, listOpen };
    const sweep = sweepOpenClaims({ store, host, operations: { pay: { onAbandoned: 'park' } } });
    expect(await sweep()).toMatchObject({ looked: 1, settledMeanwhile: 1 });
    const operate = operator({ store: claims, host });
    const by = { by: 'maria', note: 'seen' };
    expect(await operate.resolve({ id: 'pay#p-1' }, 'applied', by)).toMatchObject({ outcome: 'not-in-doubt' });
    expect(await world.record()).toEqual(before);
  });
});

describe('a failure in the function of eachTransaction', () => {
  it('leaves nothing in doubt: the message comes again and commits', async () => {
    const world = setUp();
    const failing = world.transaction({}, () => {
      throw new Error('the account could not be read');
    });
    const response = await world.deliver(() => failing(world.again(), world.lambda()));
    expect(failuresOf(response)).toEqual(['m-1']);
    const record = await world.record();
    expect(record).toMatchObject({ status: 'released' });
    expect(record?.unknownAt).toBeUndefined();
    await world.deliver(() => world.transaction()(world.again(), world.lambda()));
    expect([...world.items.keys()]).toEqual(['entry']);
  });
});
