import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import {
  type Claim,
  canonicalValue,
  type Doubt,
  type OnceOptions,
  once,
  reconcile,
  step,
  type Verdict,
} from '../../../../lib/pawl/index.ts';
import { bodyField, eachMessage } from '../../../../lib/pawl/sqs/index.ts';
import { dynamoStore, markRestored, restoredTable, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { sweepOpenClaims } from '../../../../lib/pawl/sweep/index.ts';
import { commit, transactionalStore } from '../../../../lib/pawl/transactions/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { claimsTable, localClient } from '../../../support/tables.ts';
import { virtualHost } from '../../../support/virtual-host.ts';

/** Attacks on the sweep, on a real table: that an effect happens twice, or that a claim vanishes. */

const settleMs = 2000;
const leaseMs = 10_000;
/** Past the lease of a worker that died, and the settling of its provider. */
const settledMs = leaseMs + settleMs + 1000;
const minutes = 60_000;
const never = () => new Promise<never>(() => undefined);
const quiet = { onEvent: () => undefined, onReport: () => undefined };

let client: DynamoDBClient;
let tableName: string;
beforeAll(() => {
  client = localClient(inject('dynamoEndpoint'));
});
afterAll(() => client.destroy());
beforeEach(async () => {
  tableName = await claimsTable(client);
});

type Options = Partial<OnceOptions<string>>;

/** Workers with a clock of their own, whose claims are never those of other workers. */
function workers(start?: number) {
  return { ...virtualHost(start), randomId: () => randomUUID() };
}

function setUp({ host = workers(), store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }) } = {}) {
  const asked: Doubt[] = [];
  let says: (doubt: Doubt) => Promise<Verdict> | Verdict = () => ({ verdict: 'inconclusive' });
  const ask = (doubt: Doubt) => {
    asked.push(doubt);
    return says(doubt);
  };
  const pay = (effect: (input: string, claim: Claim) => unknown, key = 'p-1', more: Options = {}, input = key) =>
    once<string, unknown>(
      { operation: 'pay', store, host, key: () => key, onAbandoned: 'retry', onEvent: () => undefined, ...more },
      effect,
    ).outcome(input, { remainingMs: () => leaseMs });
  return {
    host,
    store,
    asked,
    pay,
    sweep: sweepOpenClaims({
      store,
      host,
      operations: { pay: { onAbandoned: reconcile({ ask, settleMs }) } },
      askAgainMs: minutes,
      ...quiet,
    }),
    say(verdict: typeof says) {
      says = verdict;
    },
    /** Says a verdict when it is told to. */
    sayLater() {
      const [asking, verdict] = [Promise.withResolvers<void>(), Promise.withResolvers<Verdict>()];
      says = () => {
        asking.resolve();
        return verdict.promise;
      };
      return { asking: asking.promise, say: verdict.resolve };
    },
    /** A worker that dies in mid-effect, and its effect key. */
    async abandon(key?: string, more?: Options, input?: string): Promise<string> {
      const begun = Promise.withResolvers<string>();
      const dying = (_: string, { effectKey }: Claim) => {
        begun.resolve(effectKey);
        return never();
      };
      pay(dying, key, more, input).catch(begun.reject);
      return begun.promise;
    },
    read: (key = 'p-1') => store.read(`pay#${key}`),
  };
}

it.each([
  'p-1',
  'a#b',
  'sha256:abc',
  'zahlung-é-漢字',
  ' a/b%2Fc\n',
  'k'.repeat(256),
  'k'.repeat(2044),
  'k'.repeat(2048),
  '漢'.repeat(2000),
])('the sweep asks by the effect key that the worker had, of whatever length and letters: %#', async (key) => {
  const { abandon, sweep, host, asked, say, pay } = setUp();
  const effectKey = await abandon(key);
  await host.advance(settledMs);
  say(() => ({ verdict: 'applied', result: 1 }));
  expect(await sweep()).toMatchObject({ applied: 1 });
  expect(asked).toMatchObject([{ effectKey }]);
  expect(await pay(() => 'again', key)).toMatchObject({ outcome: 'completed', replayed: true, result: 1 });
});

it.each(['constructor', 'toString', '__proto__'])(
  'leaves the claims of an operation with the name %s alone, which is not registered',
  async (operation) => {
    const { abandon, sweep, host, store } = setUp();
    await abandon('x', { operation });
    await host.advance(settledMs);
    expect(await sweep()).toMatchObject({ notRegistered: 1 });
    expect(await store.read(`${operation}#x`)).toMatchObject({ status: 'in-flight', fence: 1 });
  },
);

describe('beside a caller', () => {
  it('that comes while the provider is asked: it waits, and the effect happens once', async () => {
    const { abandon, sweep, host, sayLater, pay } = setUp();
    await abandon();
    await host.advance(settledMs);
    const { asking, say } = sayLater();
    const run = sweep();
    await asking;
    const effect = vi.fn();
    expect(await pay(effect)).toMatchObject({ outcome: 'in-flight' });
    say({ verdict: 'not-applied' });
    await run;
    expect(await pay(effect)).toMatchObject({ outcome: 'completed', replayed: false });
    expect(effect).toHaveBeenCalledTimes(1);
  });

  it.each<Verdict>([{ verdict: 'applied', result: 'late' }, { verdict: 'not-applied' }, { verdict: 'inconclusive' }])(
    'that took a stalled sweep over: its late verdict ($verdict) changes nothing',
    async (verdict) => {
      const { abandon, sweep, host, store, sayLater, pay, read } = setUp();
      await abandon();
      await host.advance(settledMs);
      const { asking, say } = sayLater();
      const run = sweep();
      await asking;
      const later = setUp({ host: workers(host.now() + 20_000), store });
      const [running, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
      const caller = later.pay(() => {
        running.resolve();
        return finish.promise;
      });
      await running.promise;
      say(verdict);
      expect(await run).toMatchObject({ failed: 1, applied: 0, notApplied: 0, inconclusive: 0 });
      expect(await read()).toMatchObject({ status: 'in-flight', fence: 3 });
      finish.resolve('paid');
      expect(await caller).toMatchObject({ outcome: 'completed', result: 'paid' });
      expect(await pay(() => 'again')).toMatchObject({ replayed: true });
    },
  );

  it('two callers and two sweeps at once: one effect, if the provider is authoritative', async () => {
    for (let round = 0; round < 12; round += 1) {
      const key = `race-${round}`;
      const { abandon, sweep, host, say, pay, read, store } = setUp();
      const other = setUp({ host, store });
      let effects = 0;
      const lookUp = async (): Promise<Verdict> => {
        await sleep(Math.random() * 4);
        return { verdict: effects > 0 ? 'applied' : 'not-applied' };
      };
      const effect = async () => {
        await sleep(Math.random() * 4);
        effects += 1;
      };
      await abandon(key);
      if (round % 2 === 1) effects = 1;
      await host.advance(settledMs);
      say(lookUp);
      other.say(lookUp);
      const caller = async () => {
        for (let times = 0; times < 60; times += 1) {
          const { outcome } = await pay(effect, key, { onAbandoned: reconcile({ ask: lookUp, settleMs }) });
          if (outcome === 'completed') return;
          await sleep(3);
        }
      };
      await Promise.allSettled([sweep(), other.sweep(), caller(), caller()]);
      expect(effects).toBe(1);
      expect(await read(key)).toMatchObject({ status: 'completed' });
    }
  });

  it('whose handler still runs past its lease: it starts no marked effect after the sweep has released its claim', async () => {
    const { sweep, host, say, pay } = setUp();
    const [running, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const effect = vi.fn();
    const first = pay(async (_, claim) => {
      running.resolve();
      await goOn.promise;
      return claim.effect(effect);
    });
    const refused = expect(first).rejects.toMatchObject({ name: 'LeaseError' });
    await running.promise;
    await host.advance(settledMs);
    say(() => ({ verdict: 'not-applied' }));
    expect(await sweep()).toMatchObject({ notApplied: 1 });
    goOn.resolve();
    await refused;
    expect(effect).not.toHaveBeenCalled();
    expect(await pay(effect)).toMatchObject({ outcome: 'completed' });
    expect(effect).toHaveBeenCalledTimes(1);
  });

  it('whose commit is on its way: it is applied once', async () => {
    const { sweep, host, say } = setUp();
    const [sending, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = localClient(inject('dynamoEndpoint'));
    onTestFinished(() => slow.destroy());
    slow.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'TransactWriteItemsCommand') {
            sending.resolve();
            await goOn.promise;
          }
          return next(args);
        },
      { step: 'finalizeRequest', name: 'late' },
    );
    const accounts = await claimsTable(client);
    const documents = DynamoDBDocumentClient.from(client);
    await documents.send(new PutCommand({ TableName: accounts, Item: { id: 'account', balance: 0 } }));
    const UpdateExpression = 'SET balance = balance + :n';
    const Update = {
      TableName: accounts,
      Key: { id: 'account' },
      UpdateExpression,
      ExpressionAttributeValues: { ':n': 1 },
    };
    const book = (from: DynamoDBClient) =>
      once(
        {
          operation: 'pay',
          store: transactionalStore(dynamoStore({ tableName, aws: sdk({ dynamodb: from }) })),
          host,
          key: (key: string) => key,
          onAbandoned: 'retry',
          onEvent: () => undefined,
        },
        (_, claim) => commit(claim, [{ Update }]),
      ).outcome('p-1', { remainingMs: () => leaseMs });
    const first = book(slow).catch(() => undefined);
    await sending.promise;
    await host.advance(settledMs);
    say(() => ({ verdict: 'not-applied' }));
    await sweep();
    goOn.resolve();
    await first;
    expect(await book(client)).toMatchObject({ outcome: 'completed' });
    const { Item } = await documents.send(
      new GetCommand({ TableName: accounts, Key: { id: 'account' }, ConsistentRead: true }),
    );
    expect(Item).toMatchObject({ balance: 1 });
  });

  it.each<Verdict['verdict']>(['applied', 'not-applied'])(
    'with another payload: after the verdict %s, its key still is used for the first one',
    async (verdict) => {
      const { abandon, sweep, host, say, pay } = setUp();
      const fingerprint = canonicalValue;
      await abandon('p-1', { fingerprint }, 'one');
      await host.advance(settledMs);
      say(() => ({ verdict }) as Verdict);
      await sweep();
      const effect = vi.fn();
      expect(await pay(effect, 'p-1', { fingerprint }, 'two')).toEqual({ outcome: 'key-reused' });
      expect(effect).not.toHaveBeenCalled();
      await pay(effect, 'p-1', { fingerprint }, 'one');
      expect(effect).toHaveBeenCalledTimes(verdict === 'applied' ? 0 : 1);
    },
  );

  it('with two steps in doubt: the one that was applied does not run again', async () => {
    const { sweep, host, say, asked, pay } = setUp();
    const both = (run: (name: string) => unknown) =>
      pay((_, claim) =>
        Promise.all(['a', 'b'].map((name) => step(claim, name, () => run(name), { onAbandoned: 'park' }))),
      );
    const begun = Promise.withResolvers<void>();
    let running = 0;
    both(() => {
      running += 1;
      if (running === 2) begun.resolve();
      return never();
    }).catch(begun.reject);
    await begun.promise;
    await host.advance(settledMs);
    say((doubt) => (doubt.step === 'a' ? { verdict: 'applied', result: 'A' } : { verdict: 'not-applied' }));
    expect(await sweep()).toMatchObject({ notApplied: 1 });
    expect(asked.map(({ effectKey }) => effectKey)).toEqual(['pay#p-1#a', 'pay#p-1#b']);
    const again = vi.fn((name: string) => name);
    expect(await both(again)).toMatchObject({ result: ['A', 'b'] });
    expect(again.mock.calls).toEqual([['b']]);
  });
});

it.each(['applied', 'not-applied', 'inconclusive'] as const)(
  'a message that comes again while the sweep asks goes back to its queue, and after the verdict %s its effect has happened at most once',
  async (verdict) => {
    for (const policy of ['park', reconcile({ ask: () => ({ verdict }) as Verdict, settleMs })] as const) {
      const { host, store, sweep, sayLater } = setUp();
      const key = randomUUID();
      const consumer = (effect: () => unknown) =>
        eachMessage(
          {
            operation: 'pay',
            store,
            host,
            key: bodyField('id'),
            onAbandoned: policy,
            watched: true,
            aws: noQueue,
            onEvent: () => undefined,
          },
          effect,
        );
      const record = sqsRecord({ id: key });
      const begun = Promise.withResolvers<void>();
      const dying = consumer(() => {
        begun.resolve();
        return never();
      });
      dying(sqsEvent(record), context(leaseMs, host.now)).catch(begun.reject);
      await begun.promise;
      await host.advance(settledMs);
      const { asking, say } = sayLater();
      const run = sweep();
      await asking;
      const effect = vi.fn();
      const attributes = { ...record.attributes, ApproximateReceiveCount: '2' };
      const deliver = () => consumer(effect)(sqsEvent({ ...record, attributes }), context(leaseMs, host.now));
      expect(failuresOf(await deliver())).toEqual([record.messageId]);
      say({ verdict } as Verdict);
      await run;
      const failed = failuresOf(await deliver());
      expect(effect).toHaveBeenCalledTimes(verdict === 'not-applied' ? 1 : 0);
      expect(failed).toEqual(verdict === 'inconclusive' ? [record.messageId] : []);
    }
  },
);

it('in a table that is marked as restored, "not applied" is not believed before settleMs have passed since the mark', async () => {
  const before = setUp({ host: workers(Date.now() - 20 * minutes) });
  await before.abandon();
  const cutOff = new Date(Date.now() - 10 * minutes);
  await markRestored({
    tableName,
    aws: sdk({ dynamodb: client }),
    cutOff,
    by: 'maria',
    note: 'a deployment deleted claims',
  });
  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }), restored: restoredTable });
  const { sweep, host, say, asked, pay } = setUp({ host: workers(Date.now()), store });
  say(() => ({ verdict: 'not-applied' }));
  await sweep();
  expect(asked).toEqual([]);
  await host.advance(minutes);
  expect(await sweep()).toMatchObject({ notApplied: 1 });
  expect(await pay(() => 'paid', 'p-1', { onAbandoned: 'park' })).toMatchObject({ outcome: 'completed' });
});

it.each(['before', 'after'] as const)(
  'a run whose request is lost %s DynamoDB carries it out, at whichever one: the claim is settled in the end',
  async (lost) => {
    for (let at = 1; at <= 9; at += 1) {
      const { host, abandon, read, sweep, say } = setUp();
      const key = `lost-${at}`;
      await abandon(key);
      await host.advance(settledMs);
      const cut = localClient(inject('dynamoEndpoint'), { maxAttempts: 1 });
      let requests = 0;
      cut.middlewareStack.add(
        (next) => async (args) => {
          requests += 1;
          const isLost = requests === at;
          const timedOut = Object.assign(new Error('no response'), { name: 'TimeoutError' });
          if (isLost && lost === 'before') throw timedOut;
          const response = await next(args);
          if (isLost) throw timedOut;
          return response;
        },
        { step: 'finalizeRequest', name: 'cut' },
      );
      const applied = (): Verdict => ({ verdict: 'applied', result: 1 });
      const first = setUp({ host, store: dynamoStore({ tableName, aws: sdk({ dynamodb: cut }) }) });
      first.say(applied);
      let isOver = false;
      const run = first.sweep().catch(() => undefined);
      run.then(() => {
        isOver = true;
      });
      // Retries wait by the clock of the host.
      while (!isOver) {
        await sleep(2);
        await host.advance(100);
      }
      cut.destroy();
      await host.advance(minutes);
      say(applied);
      await sweep();
      expect(await read(key)).toMatchObject({ status: 'completed', result: expect.anything() });
    }
  },
);
