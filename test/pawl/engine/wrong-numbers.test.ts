import middy from '@middy/core';
import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type ClaimEvent, type ClaimRecord, memoryStore, once } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { fromItem, toItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { eachTransaction } from '../../../lib/pawl/transactions/index.ts';
import { doors as httpDoors } from '../../support/http-doors.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { record as aRecord } from '../../support/records.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

interface Payment {
  readonly id: string;
}

/** Nobody holds the claim: as it stands, its worker has died. */
const abandoned = aRecord({ id: 'pay#p-1', status: 'in-flight', leaseUntil: someDay - 60_000, fingerprint: undefined });

const counts = ['fence', 'attempts', 'abandoned', 'rev', 'unstarted', 'atomic'] as const;
const times = ['leaseUntil', 'firstSeenAt', 'unknownAt', 'restoredAt', 'forgottenUntil', 'expiresAt'] as const;
const mayBeMissing = ['unstarted', 'atomic', 'unknownAt', 'restoredAt', 'forgottenUntil', 'expiresAt'];

const wrongRecords: readonly (readonly [string, ClaimRecord])[] = [...counts, ...times].flatMap((name) => {
  const values: readonly unknown[] = [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    '17',
    '',
    null,
    {},
    ...((counts as readonly string[]).includes(name) ? [1.5, 2 ** 60] : []),
    ...(mayBeMissing.includes(name) ? [] : [undefined]),
  ];
  return values.map(
    (value) => [`${name}: ${typeof value} ${String(value)}`, { ...abandoned, [name]: value } as ClaimRecord] as const,
  );
});
const wrongSteps: readonly (readonly [string, ClaimRecord])[] = [
  '[{"name":"charge","state":"started"}]',
  '[{"name":"charge","state":"started","at":"today"}]',
  '[{"name":"charge","state":"started","at":-1}]',
  '[{"name":"charge","state":"started","at":1795253400000,"fence":0.5}]',
  '{"name":"charge"}',
  '[',
].map((checkpoints) => [`checkpoints: ${checkpoints}`, { ...abandoned, checkpoints }]);
/** Without it, no worker knows its own write. */
const wrongTokens: readonly (readonly [string, ClaimRecord])[] = [undefined, null, 17, {}].map((claimId) => [
  `claimId: ${String(claimId)}`,
  { ...abandoned, claimId } as unknown as ClaimRecord,
]);
const all = [...wrongRecords, ...wrongSteps, ...wrongTokens];

function setUp(found: ClaimRecord) {
  const host = virtualHost();
  const memory = memoryStore();
  const records = new Map([[found.id, found]]);
  const writes: unknown[] = [];
  const store = {
    ...memory,
    read: async (id: string) => records.get(id),
    write: async (write: unknown) => {
      // Nothing that is written with `seen: undefined` replaces it.
      const { seen } = write as { readonly seen: unknown };
      if (seen !== undefined) writes.push(write);
      return { applied: false as const, found: records.get(found.id) };
    },
  };
  const events: ClaimEvent[] = [];
  const ran: string[] = [];
  const shared = {
    operation: 'pay',
    store,
    host,
    onEvent: (event: ClaimEvent) => void events.push(event),
    onAbandoned: 'retry',
  } as const;
  const queue = { ...shared, key: bodyField('id'), aws: noQueue } as const;
  const event = (receiveCount: number) => sqsEvent(sqsRecord({ id: 'p-1' }, { messageId: 'm-1', receiveCount }));
  const lambda = () => context(20_000, host.now);
  async function within<R>(running: Promise<R>): Promise<R | unknown> {
    let isOver = false;
    const ended = running
      .catch((error: unknown) => error)
      .finally(() => {
        isOver = true;
      });
    for (let i = 0; i < 40 && !isOver; i++) await host.advance(500);
    if (!isOver) throw new Error('it never answered');
    return ended;
  }
  return { host, store, writes, events, ran, shared, queue, event, lambda, within };
}

type World = ReturnType<typeof setUp>;

const queueDoors: Readonly<Record<string, (world: World, receives: number) => Promise<unknown>>> = {
  eachMessage: ({ queue, event, lambda, ran }, receives) =>
    eachMessage<Payment>(queue, () => void ran.push('ran'))(event(receives), lambda()),
  sqsOnce: ({ queue, event, lambda, ran }, receives) =>
    middy(async (_: SQSEvent) => void ran.push('ran'), { timeoutEarlyInMillis: 0 }).use(sqsOnce<Payment>(queue))(
      event(receives) as never,
      lambda() as never,
    ) as Promise<unknown>,
  eachTransaction({ queue, store, event, lambda, ran }, receives) {
    const { onAbandoned: _, ...options } = queue;
    const { store: committing, items } = memoryTransactions(store);
    const handler = eachTransaction<Payment>({ ...options, store: committing, onInheritedDoubt: 'retry' }, () => [
      { Put: { TableName: 'ledger', Item: { id: 'entry' } } },
    ]);
    return handler(event(receives), lambda()).finally(() => ran.push(...items.keys()));
  },
};

const callerDoors: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  once: ({ shared, ran }) =>
    once<string, unknown>({ ...shared, key: (id) => id }, () => void ran.push('ran'))('p-1', {
      remainingMs: () => 20_000,
    }),
  ...Object.fromEntries(
    Object.entries(httpDoors).map(([name, wrap]) => [
      name,
      ({ shared, ran }: World) =>
        wrap({ ...shared, key: () => 'p-1', fingerprint: () => '', caller: 'anyone' }, async () => {
          ran.push('ran');
          return { statusCode: 201, body: '' };
        })(apiGatewayV2({ body: '{}' })),
    ]),
  ),
};

describe('a record with a number that is none', () => {
  for (const [door, deliver] of Object.entries(queueDoors)) {
    it(`runs nothing at ${door}, is reported, and is left alone; the message comes again`, async () => {
      for (const [what, found] of all) {
        for (const receives of [1, 2]) {
          const world = setUp(found);
          const response = await world.within(deliver(world, receives));
          expect([what, failuresOf(response), world.ran, world.writes]).toEqual([what, ['m-1'], [], []]);
          const reported = world.events.find(({ type }) => type === 'store-unavailable');
          expect([what, JSON.stringify(reported)]).toEqual([what, expect.stringContaining('is left alone')]);
        }
      }
    });
  }

  for (const [door, call] of Object.entries(callerDoors)) {
    it(`runs nothing at ${door}, is reported, and is left alone`, async () => {
      for (const [what, found] of all) {
        const world = setUp(found);
        const came = await world.within(call(world));
        const said = came instanceof Error ? came.message : JSON.stringify(came);
        expect([what, world.ran, world.writes]).toEqual([what, [], []]);
        expect([what, said]).toEqual([what, expect.stringMatching(/left alone|503/)]);
        expect(world.events.map(({ type }) => type)).toContain('store-unavailable');
      }
    });
  }

  it('is left alone by operators: read, resolved, planned for', async () => {
    for (const [what, found] of all) {
      const { store, host, writes } = setUp(found);
      const operate = operator({ store, host });
      const by = { by: 'maria', note: 'seen' };
      const acts: readonly (() => Promise<unknown>)[] = [
        () => operate.readClaim({ id: 'pay#p-1' }),
        () => operate.resolve({ id: 'pay#p-1' }, 'applied', by),
        () => resolverOf({ operation: 'pay', store }).read('p-1'),
        () => resolverOf({ operation: 'pay', store }).resolve('p-1', 'applied', by),
      ];
      for (const act of acts) {
        await expect(Promise.resolve().then(act), what).rejects.toThrow('is left alone');
      }
      expect(writes).toEqual([]);
    }
  });

  it('fails the run of a sweep, which settles the others, and is set apart in a list', async () => {
    for (const [what, found] of wrongRecords) {
      const memory = memoryStore();
      const good = aRecord({ ...abandoned, id: 'pay#good', open: '00', rev: 1 });
      await memory.write({ next: good, seen: undefined });
      await memory.write({ next: { ...found, open: '00' }, seen: undefined });
      const listed = await memory.listOpen({ limit: 10 });
      const isListed = listed.claims.some(({ id }) => id === 'pay#p-1');
      // What the index does not hold of a record is found out by who reads it.
      expect([what, isListed || listed.foreign?.includes('pay#p-1')]).toEqual([what, true]);
      const sweep = sweepOpenClaims({
        store: memory,
        host: virtualHost(),
        onEvent: () => undefined,
        operations: { pay: { onAbandoned: 'park' } },
      });
      await expect(sweep(), what).rejects.toThrow('is left alone');
      expect([what, (await memory.read('pay#good'))?.status]).toEqual([what, 'parked']);
      expect([what, (await memory.read('pay#p-1'))?.status]).toEqual([what, 'in-flight']);
    }
  });

  it('is found out where an item of DynamoDB is read', () => {
    const item = toItem({ ...abandoned });
    expect(fromItem(item)).toMatchObject({ id: 'pay#p-1' });
    const { abandoned: _, ...without } = item;
    for (const wrong of [
      without,
      { ...item, fence: { S: '3' } },
      { ...item, attempts: { N: '-1' } },
      { ...item, leaseUntil: { N: 'NaN' } },
    ]) {
      expect(() => fromItem(wrong as never)).toThrow('is no number that pawl writes there');
    }
  });
});
