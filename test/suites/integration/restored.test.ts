import { type DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import middy from '@middy/core';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import type { HttpResponse } from '../../../lib/pawl/http/index.ts';
import {
  type Claim,
  type ClaimStore,
  failOpen,
  once,
  type Reconcile,
  RetryableError,
  reconcile,
  step,
} from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import {
  type Aws,
  dynamoStore,
  individualDynamoStore,
  liftRestore,
  markRestored,
  type RestoredTable,
  restoredTable,
  sdk,
} from '../../../lib/pawl/stores/dynamodb/index.ts';
import {
  individualDynamoStore as leanIndividualStore,
  dynamoStore as leanStore,
} from '../../../lib/pawl/stores/dynamodb/lean.ts';
import { withListing } from '../../../lib/pawl/stores/listing.ts';
import {
  commit,
  commitStep,
  eachTransaction,
  inPhases,
  transactionalStore,
} from '../../../lib/pawl/transactions/index.ts';
import { eventually } from '../../support/eventually.ts';
import { doors as httpDoors } from '../../support/http-doors.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { localLean } from '../../support/lean.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { claimsTable, localClient } from '../../support/tables.ts';
import { firstOf } from '../../support/whole.ts';

const minutes = 60_000;
let client: DynamoDBClient;
let aws: Aws;
let [old, restored] = ['', ''];
beforeAll(() => {
  client = localClient(inject('dynamoEndpoint'));
  aws = sdk({ dynamodb: client });
});
beforeEach(async () => {
  [old, restored] = [await claimsTable(client), await claimsTable(client)];
});
afterAll(() => client.destroy());

/** The world twenty, or ten minutes ago. */
const ago = (ms: number) => ({ ...nodeHost, now: () => Date.now() - ms });

/** A provider that ignores effect keys, counts, and can be asked. */
function createProvider() {
  const effects = new Map<string, number>();
  let fails = (_key: string): 'before' | 'after' | undefined => undefined;
  return {
    effects,
    failIf: (rule: typeof fails) => {
      fails = rule;
    },
    apply(key: string) {
      const failure = fails(key);
      if (failure === 'before') throw new RetryableError('busy');
      effects.set(key, (effects.get(key) ?? 0) + 1);
      if (failure === 'after') throw new Error('no answer');
    },
    doubled: () => [...effects].filter(([, times]) => times > 1).map(([key]) => key),
  };
}
type Provider = ReturnType<typeof createProvider>;

type Policy = 'park' | 'reconcile';

/** What becomes of a doubt. */
function onAbandoned(policy: Policy, provider: Provider): 'park' | Reconcile<unknown> {
  if (policy === 'park') return policy;
  return reconcile({
    // Over HTTP, the result is the response.
    ask: ({ key }) =>
      provider.effects.has(key) ? { verdict: 'applied', result: { statusCode: 201 } } : { verdict: 'not-applied' },
    settleMs: 0,
  });
}

interface Deployed {
  readonly store: ClaimStore;
  readonly provider: Provider;
  readonly policy: Policy;
  readonly host?: typeof nodeHost;
}

/** How a message gets to its effect, at each door. */
const doors = {
  eachMessage: ({ store, provider, policy, host = nodeHost }: Deployed) =>
    eachMessage<{ id: string }>(
      {
        operation: 'pay',
        store,
        host,
        skewMs: 0,
        key: bodyField('id'),
        onAbandoned: onAbandoned(policy, provider),
        aws: noQueue,
        onEvent: () => undefined,
      },
      ({ body }) => provider.apply(body.id),
    ),
  sqsOnce: ({ store, provider, policy, host = nodeHost }: Deployed) => {
    const handler = middy(
      async ({ Records }: SQSEvent) =>
        Promise.allSettled(Records.map(async ({ body }) => provider.apply(JSON.parse(body).id))),
      { timeoutEarlyInMillis: 0 },
    ).use(
      sqsOnce({
        operation: 'pay',
        store,
        host,
        skewMs: 0,
        key: bodyField('id'),
        onAbandoned: onAbandoned(policy, provider),
        aws: noQueue,
        onEvent: () => undefined,
      }),
    );
    return (event: object, given: object) => handler(event as never, given as never);
  },
} as const;

const send = async (handler: (event: never, given: never) => Promise<unknown>, keys: readonly string[]) => {
  for (let from = 0; from < keys.length; from += 10) {
    const event = sqsEvent(...keys.slice(from, from + 10).map((id) => sqsRecord({ id })));
    await handler(event as never, context() as never);
  }
};

/** The items of the table as they are now, in another table. */
async function copyTable(from: string, to: string): Promise<void> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: from, ConsistentRead: true }));
  for (const Item of Items) await client.send(new PutItemCommand({ TableName: to, Item }));
}

const named = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}-${index}`);
const mark = { by: 'maria', note: 'a bad deployment' };
const acted = { by: 'maria', note: 'compared with the statement' };

describe.each(Object.keys(doors) as (keyof typeof doors)[])('at %s', (door) => {
  describe.each(['dynamoStore', 'individualDynamoStore'] as const)('with %s', (kind) => {
    const open = { dynamoStore, individualDynamoStore }[kind];

    it.each(['park', 'reconcile'] as const)(
      'a table restored to ten minutes ago in mid-traffic, all messages of those minutes sent again: none is doubled under %s',
      async (policy) => {
        const provider = createProvider();
        const keys = {
          done: named('done', firstOf(10, { first: 3 })),
          failing: named('failing', firstOf(10, { first: 3 })),
          inFlight: named('in-flight', firstOf(5, { first: 2 })),
          lost: named('lost', firstOf(30, { first: 6 })),
          failed: named('failed', firstOf(5, { first: 2 })),
        };
        const before = doors[door]({
          store: open({ tableName: old, aws }),
          provider,
          policy,
          host: ago(20 * minutes),
        });
        provider.failIf((key) => (key.startsWith('failing') ? 'before' : undefined));
        await send(before, [...keys.done, ...keys.failing]);
        // Ten minutes ago: some claims are in flight.
        const stalled = Promise.withResolvers<never>();
        const pay = once(
          {
            operation: 'pay',
            store: open({ tableName: old, aws }),
            host: ago(15 * minutes),
            key: (key: string) => key,
            onAbandoned: 'park',
            watched: false,
            onEvent: () => undefined,
          },
          () => stalled.promise,
        ).outcome;
        for (const key of keys.inFlight) void pay(key, { remainingMs: () => 30_000 }).catch(() => undefined);
        const begun = keys.done.length + keys.failing.length + keys.inFlight.length;
        await eventually('all of them are claimed', async () =>
          expect((await client.send(new ScanCommand({ TableName: old }))).Count).toBe(begun),
        );
        await copyTable(old, restored);

        // The ten minutes that are lost: what had failed succeeds, what was in flight is applied, and new messages come.
        const since = doors[door]({
          store: open({ tableName: old, aws }),
          provider,
          policy,
          host: ago(10 * minutes),
        });
        provider.failIf((key) => (key.startsWith('failed') ? 'before' : undefined));
        await send(since, [...keys.failing, ...keys.lost, ...keys.failed]);
        for (const key of keys.inFlight) provider.apply(key);

        await markRestored({
          tableName: restored,
          aws,
          cutOff: new Date(Date.now() - 10 * minutes),
          ...mark,
        });
        provider.failIf(() => undefined);
        const store = open({ tableName: restored, aws, restored: restoredTable });
        const now = doors[door]({ store, provider, policy });
        const all = Object.values(keys).flat();
        for (let times = 0; times < 3; times++) await send(now, all);
        expect(provider.doubled()).toEqual([]);
        const parked = policy === 'park' ? [...keys.failing, ...keys.inFlight, ...keys.lost, ...keys.failed] : [];
        const { claims } = await withListing(dynamoStore({ tableName: restored, aws })).listOpen({
          limit: 1000,
        });
        expect(claims.map(({ id, status }) => `${id} ${status}`).toSorted()).toEqual(
          parked.map((key) => `pay#${key} parked`).toSorted(),
        );
        // Where the provider can be asked, what was never applied has run, once.
        expect(keys.failed.map((key) => provider.effects.get(key) ?? 0)).toEqual(
          keys.failed.map(() => (policy === 'park' ? 0 : 1)),
        );
      },
    );
  });
});

/** How a caller gets to the effect, and what became of its key. No queue brings it back. */
const callers = {
  once: ({ store, provider, policy }: Deployed) => {
    const pay = once(
      {
        operation: 'pay',
        store,
        skewMs: 0,
        key: (key: string) => key,
        onAbandoned: onAbandoned(policy, provider),
        onEvent: () => undefined,
      },
      async (key) => provider.apply(key),
    ).outcome;
    return async (key: string) => (await pay(key)).outcome;
  },
  onceOverHttp: (deployed: Deployed) => overHttp('onceOverHttp', deployed),
  httpOnce: (deployed: Deployed) => overHttp('httpOnce', deployed),
} as const;

function overHttp(door: 'onceOverHttp' | 'httpOnce', { store, provider, policy }: Deployed) {
  const wrap = httpDoors[door];
  if (wrap === undefined) throw new Error(`no door ${door}`);
  const call = wrap(
    {
      operation: 'pay',
      store,
      skewMs: 0,
      caller: 'anyone',
      onAbandoned: onAbandoned(policy, provider),
      onEvent: () => undefined,
    },
    (_, { key }) => {
      provider.apply(key);
      return { statusCode: 201 };
    },
  );
  const outcomes: Readonly<Record<number, string>> = { 201: 'completed', 409: 'parked' };
  return async (key: string) => {
    const request = apiGatewayV2({ headers: { 'idempotency-key': `"${key}"` } });
    const { statusCode, body } = (await call(request)) as HttpResponse;
    if (statusCode === 409) expect(body).toContain('parked');
    return outcomes[statusCode ?? 200];
  };
}

interface OfTable {
  readonly tableName: string;
  readonly restored?: RestoredTable;
}
const lean = () => localLean(inject('dynamoEndpoint'));
const transactionalOfSdk = (options: OfTable) => transactionalStore(dynamoStore({ ...options, aws }));
const transactionalOfLean = (options: OfTable) => transactionalStore(leanStore({ ...options, aws: lean() }));

describe.each(['dynamoStore', 'individualDynamoStore'] as const)('with the lean %s', (kind) => {
  const open = { dynamoStore: leanStore, individualDynamoStore: leanIndividualStore }[kind];

  it.each(
    (Object.keys(callers) as (keyof typeof callers)[]).flatMap((door) => [
      { door, policy: 'park' as const },
      { door, policy: 'reconcile' as const },
    ]),
  )('$door repeats nothing that the table has forgotten, under $policy', async ({ door, policy }) => {
    const provider = createProvider();
    const aws = lean();
    const before = callers[door]({ store: open({ tableName: old, aws }), provider, policy });
    expect(await before('lost')).toBe('completed');
    const early = callers[door]({
      store: open({ tableName: restored, aws, restored: restoredTable }),
      provider,
      policy,
    });
    expect(await early('lost').catch((error: Error) => error.message)).not.toBe('completed');

    await markRestored({
      tableName: restored,
      aws,
      cutOff: new Date(Date.now() - 10 * minutes),
      ...mark,
    });
    const now = callers[door]({ store: open({ tableName: restored, aws, restored: restoredTable }), provider, policy });
    const parks = policy === 'park';
    for (let times = 0; times < 2; times++) {
      expect([await now('lost'), await now('new')]).toEqual(parks ? ['parked', 'parked'] : ['completed', 'completed']);
    }
    expect(Object.fromEntries(provider.effects)).toEqual(parks ? { lost: 1 } : { lost: 1, new: 1 });
    client.destroy();
  });
});

describe('a restored table', () => {
  const pay = (store: ClaimStore, provider: Provider) =>
    once(
      { operation: 'pay', store, key: (key: string) => key, onAbandoned: 'park', onEvent: () => undefined },
      async (key) => provider.apply(key),
    ).outcome;

  it('serves nobody before it is marked: a deployment that comes too early runs nothing', async () => {
    const provider = createProvider();
    const store = dynamoStore({ tableName: restored, aws, restored: restoredTable });
    await expect(pay(store, provider)('p-1')).rejects.toThrow('not-restored');
    await expect(
      pay(
        failOpen(store, () => undefined),
        provider,
      )('p-1'),
    ).rejects.toThrow('not-restored');
    expect(provider.effects.size).toBe(0);
  });

  it('takes a key that it does not have for a new one once its mark is lifted, and not before', async () => {
    const provider = createProvider();
    await markRestored({
      tableName: restored,
      aws,
      cutOff: new Date(Date.now() - 10 * minutes),
      ...mark,
    });
    const open = () => dynamoStore({ tableName: restored, aws, restored: restoredTable });
    expect(await pay(open(), provider)('p-1')).toMatchObject({ outcome: 'parked' });
    expect(await liftRestore({ tableName: restored, aws, ...acted })).toMatchObject({
      liftedBy: 'maria',
    });
    expect(await pay(open(), provider)('p-2')).toMatchObject({ outcome: 'completed', replayed: false });
    expect(await pay(open(), provider)('p-1')).toMatchObject({ outcome: 'parked' });
  });

  it('keeps the first mark where it is marked twice, and a lifted one is not set again', async () => {
    const tableName = restored;
    const cutOff = new Date(Date.now() - 10 * minutes);
    const first = await markRestored({ tableName, aws, cutOff, ...mark });
    expect(await markRestored({ tableName, aws, cutOff: new Date(), ...mark })).toEqual(first);
    await liftRestore({ tableName, aws, ...acted });
    expect(await markRestored({ tableName, aws, cutOff, ...mark })).toMatchObject({
      liftedBy: 'maria',
    });
  });

  it('lets an operator decide a key that it has forgotten: after that, it runs, or is done', async () => {
    const provider = createProvider();
    await markRestored({
      tableName: restored,
      aws,
      cutOff: new Date(Date.now() - 10 * minutes),
      ...mark,
    });
    const store = dynamoStore({ tableName: restored, aws, restored: restoredTable });
    const operate = operator({ store, onEvent: () => undefined });
    expect(await operate.resolve({ operation: 'pay', key: 'p-1' }, 'applied', acted)).toMatchObject({
      outcome: 'resolved',
    });
    expect(await operate.resolve({ operation: 'pay', key: 'p-2' }, 'not-applied', acted)).toMatchObject({
      outcome: 'resolved',
    });
    expect(await pay(store, provider)('p-1')).toMatchObject({ outcome: 'completed', replayed: true });
    expect(await pay(store, provider)('p-2')).toMatchObject({ outcome: 'completed', replayed: false });
    expect(await resolverOf({ operation: 'pay', store }).read('p-1')).toMatchObject({ status: 'completed' });
    expect(Object.fromEntries(provider.effects)).toEqual({ 'p-2': 1 });
  });

  it.each(['commit', 'commitStep', 'inPhases', 'step'] as const)(
    "parks what %s may have done under 'retry', which relies on the records that are forgotten",
    async (way) => {
      const store = transactionalStore(dynamoStore({ tableName: old, aws }));
      const [ledger, charges] = [await claimsTable(client), [] as string[]];
      const entry = (id: string) => [{ Put: { TableName: ledger, Item: { id: `${id}-${nodeHost.randomId()}` } } }];
      const charge = (id: string) => void charges.push(id);
      const ways = {
        commit: (id: string, claim: Claim) => commit(claim, entry(id)),
        // An author that catches everything.
        commitStep: (id: string, claim: Claim) => commitStep(claim, 'reserve', () => entry(id)).catch(() => undefined),
        inPhases: inPhases<string, void>({ execute: charge, record: entry, onAbandoned: 'park' }),
        step: (id: string, claim: Claim) => step(claim, 'charge', () => charge(id), { onAbandoned: 'park' }),
      };
      const pay = (over: ClaimStore) =>
        once(
          {
            operation: 'pay',
            store: over,
            key: (key: string) => key,
            onAbandoned: 'retry',
            onEvent: () => undefined,
          },
          (key, claim) => ways[way](key, claim),
        ).outcome;
      const applied = async () =>
        ((await client.send(new ScanCommand({ TableName: ledger }))).Count ?? 0) + charges.length;
      expect(await pay(store)('p-1')).toMatchObject({ outcome: 'completed' });
      const ofOne = await applied();
      expect(ofOne).toBeGreaterThan(0);

      await markRestored({
        tableName: restored,
        aws,
        cutOff: new Date(Date.now() - 10 * minutes),
        ...mark,
      });
      const over = transactionalStore(dynamoStore({ tableName: restored, aws, restored: restoredTable }));
      await pay(over)('p-1').catch(() => undefined);
      expect(await over.read('pay#p-1')).toMatchObject({ status: 'parked' });
      expect(await applied()).toBe(ofOne);
      const { resolve } = operator({ store: over, onEvent: () => undefined });
      expect(await resolve({ id: 'pay#p-1' }, 'not-applied', acted)).toMatchObject({ outcome: 'resolved' });
      expect(await pay(over)('p-1')).toMatchObject({ outcome: 'completed', replayed: false });
      expect(await applied()).toBe(2 * ofOne);
    },
  );

  it('asks the provider of a step that it may have forgotten, and does not repeat it', async () => {
    await markRestored({
      tableName: restored,
      aws,
      cutOff: new Date(Date.now() - 10 * minutes),
      ...mark,
    });
    const store = dynamoStore({ tableName: restored, aws, restored: restoredTable });
    const asked: string[] = [];
    const ask = ({ effectKey }: { readonly effectKey: string }) => {
      asked.push(effectKey);
      return { verdict: 'applied', result: 'ch_1' } as const;
    };
    const pay = once(
      { operation: 'pay', store, key: (key: string) => key, onAbandoned: 'retry', onEvent: () => undefined },
      (_, claim) => step(claim, 'charge', () => 'ch_2', { onAbandoned: reconcile({ ask, settleMs: 0 }) }),
    ).outcome;
    expect(await pay('p-1')).toMatchObject({ outcome: 'completed', result: 'ch_1' });
    expect(asked).toEqual(['pay#p-1#charge']);
  });

  it.each([
    ['transactionalStore', transactionalOfSdk],
    ['the lean transactionalStore', transactionalOfLean],
  ] as const)(
    'parks what eachTransaction may have committed: its tables were not restored, with %s',
    async (_, open) => {
      const opened = () => open({ tableName: restored, restored: restoredTable });
      await markRestored({
        tableName: restored,
        aws,
        cutOff: new Date(Date.now() - 10 * minutes),
        ...mark,
      });
      const store = opened();
      let wrote = 0;
      const handler = eachTransaction<{ id: string }>(
        { operation: 'post', store, key: bodyField('id'), aws: noQueue, onEvent: () => undefined },
        () => {
          wrote++;
          return [{ Put: { TableName: old, Item: { id: 'ledger' } } }];
        },
      );
      await send(handler as never, ['p-1']);
      expect(await store.read('post#p-1')).toMatchObject({ status: 'parked' });
      expect((await client.send(new ScanCommand({ TableName: old }))).Count).toBe(0);
      await liftRestore({ tableName: restored, aws, ...acted });
      const reopened = opened();
      const lifted = eachTransaction<{ id: string }>(
        {
          operation: 'post',
          store: reopened,
          key: bodyField('id'),
          aws: noQueue,
          onEvent: () => undefined,
        },
        () => [{ Put: { TableName: old, Item: { id: 'ledger' } } }],
      );
      await send(lifted as never, ['p-2']);
      expect(await store.read('post#p-2')).toMatchObject({ status: 'completed' });
      expect(wrote).toBeLessThanOrEqual(1);
    },
  );
});
