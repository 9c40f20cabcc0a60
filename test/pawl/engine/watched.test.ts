import type { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { memoryStore, once, renewedLease } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage, sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { eachTransaction } from '../../../lib/pawl/transactions/index.ts';
import { doors as httpDoors } from '../../support/http-doors.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** What a handler finds in the list of open claims while it runs, behind each door. */
function setUp(watched: boolean | undefined) {
  const store = memoryStore();
  const seen: string[][] = [];
  const look = async () => {
    const { claims } = await store.listOpen({ limit: 10 });
    seen.push(claims.map(({ id, status }) => `${id} ${status}`));
  };
  const wiring = { operation: 'pay', store, onAbandoned: 'park' } as const;
  return { store, seen, look, options: { ...wiring, ...(watched !== undefined && { watched }) } };
}

type Door = (world: ReturnType<typeof setUp>) => Promise<unknown>;
const event = () => sqsEvent(sqsRecord({ id: 'p-1' }));

const queueDoors: Readonly<Record<string, Door>> = {
  eachMessage: ({ options, look }) =>
    eachMessage<{ id: string }>({ ...options, key: bodyField('id'), aws: noQueue }, look)(event(), context()),
  sqsOnce: ({ options, look }) =>
    middy(async (_: SQSEvent) => void (await look()), { timeoutEarlyInMillis: 0 }).use(
      sqsOnce({ ...options, key: bodyField('id'), aws: noQueue }),
    )(event() as never, context() as never) as Promise<unknown>,
  sendOnce({ options: { onAbandoned: _, ...options }, look }) {
    const send = async () => {
      await look();
      return { MessageId: 'm-1' };
    };
    const sqsClient = { send } as unknown as SQSClient;
    return sendOnce({ ...options, queueUrl: 'https://queue', aws: sdk({ sqs: sqsClient }) })({ key: 'p-1', body: {} });
  },
};

const callerDoors: Readonly<Record<string, Door>> = {
  once: ({ options, look }) => once({ ...options, key: (id: string) => id }, look).outcome('p-1'),
  ...Object.fromEntries(
    Object.entries(httpDoors).map(([name, wrap]) => [
      name,
      ({ options, look }: ReturnType<typeof setUp>) =>
        wrap({ ...options, caller: 'anyone' }, async () => {
          await look();
          return { statusCode: 201, body: '' };
        })(apiGatewayV2({ headers: { 'idempotency-key': '"p-1"' }, body: '{}' })),
    ]),
  ),
};

describe.each(Object.entries({ ...queueDoors, ...callerDoors }))('behind %s', (name, call) => {
  const byDefault = Object.hasOwn(callerDoors, name);

  it(`a claim in flight is ${byDefault ? '' : 'not '}in the list of open claims, unless the author says otherwise`, async () => {
    for (const watched of [undefined, true, false]) {
      const world = setUp(watched);
      await call(world);
      const id = name === 'sendOnce' ? 'send:pay#p-1' : 'pay#p-1';
      expect(world.seen).toEqual([(watched ?? byDefault) ? [`${id} in-flight`] : []]);
      expect((await world.store.listOpen({ limit: 10 })).claims).toEqual([]);
      expect(world.store.records()).toMatchObject([{ status: 'completed', open: undefined }]);
    }
  });
});

it('behind eachTransaction, no claim is in flight, and watched is refused', () => {
  const { store } = memoryTransactions(memoryStore());
  const options = { operation: 'pay', store, key: bodyField('id'), watched: true };
  expect(() => eachTransaction(options as never, () => [])).toThrow('watched: eachTransaction does not take it');
});

it('is true or false, and nothing else', () => {
  const options = { ...setUp(undefined).options, key: (id: string) => id, watched: 'yes' };
  expect(() => once(options as never, () => 1)).toThrow('watched: expected true or false');
});

it('a watched claim stays in the list while its lease is renewed', async () => {
  const { store, options } = setUp(undefined);
  const host = virtualHost();
  let end = () => {};
  const pay = once(
    { ...options, host, lease: renewedLease(9000), key: (id: string) => id },
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  ).outcome;
  const paid = pay('p-1');
  await host.advance(20_000);
  const { claims } = await store.listOpen({ limit: 10 });
  expect(claims).toMatchObject([{ id: 'pay#p-1', status: 'in-flight' }]);
  expect(claims[0]?.leaseUntil).toBeGreaterThan(host.now());
  end();
  await paid;
  expect((await store.listOpen({ limit: 10 })).claims).toEqual([]);
});
