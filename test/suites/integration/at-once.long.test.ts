import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { countRequests } from '../../../bench/cost/counting.ts';
import { claimOf, httpOnce, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { once, rememberCompleted } from '../../../lib/pawl/index.ts';
import { dynamoLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { eachTransaction, transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { httpApi } from '../../fixtures/aws-events.ts';
import { eventually } from '../../support/eventually.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/*
 * As Lambda Managed Instances call a function: 64 invocations at once in one process, on one set of globals. Every second key comes twice.
 */

const invocations = Array.from({ length: 64 }, (_, index) => index);
const keyOf = (index: number) => `o-${index % 48}`;
const keys = [...new Set(invocations.map(keyOf))].sort();
const inTurn = () => new Promise<void>((resolve) => setTimeout(resolve, 30));
const lambda = () => context() as Context;

let client: DynamoDBClient;
let counted: ReturnType<typeof countRequests>;
beforeAll(() => {
  client = localClient(inject('dynamoEndpoint'));
  counted = countRequests(client);
});
afterAll(() => client.destroy());

/** What every door is given here, and the keys whose effect has happened. */
async function atOnce() {
  const tableName = await claimsTable(client);
  const applied: string[] = [];
  const apply = async (key: string) => {
    await inTurn();
    applied.push(key);
  };
  const store = rememberCompleted(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }));
  const options = { operation: 'charge', store, onAbandoned: 'park', onEvent: () => undefined } as const;
  const ofQueue = { ...options, aws: noQueue, key: bodyField('orderId') } as const;
  return { tableName, applied, apply, options, ofQueue };
}

type Call = (key: string, index: number) => Promise<unknown>;
type Wired = Awaited<ReturnType<typeof atOnce>>;

const orderIdOf = ({ body }: { readonly body: string }): string => JSON.parse(body).orderId;
/** Middy 5 to 7 hand one `internal` to all requests, if there is one. */
const shared = { timeoutEarlyInMillis: 0, internal: { sender: 'shop' } };
const requestOf = (key: string): APIGatewayProxyEventV2 => ({
  ...httpApi,
  headers: { ...httpApi.headers, 'idempotency-key': `"${key}"` },
});

/** Each returns whether the caller was told that it is done. */
const doors: Record<string, (wired: Wired) => Call> = {
  eachMessage: ({ ofQueue, apply }) => {
    const handler = eachMessage<{ orderId: string }>(ofQueue, ({ body }) => apply(body.orderId));
    return async (orderId) => failuresOf(await handler(sqsEvent(sqsRecord({ orderId })), context())).length === 0;
  },
  sqsOnce: ({ ofQueue, apply }) => {
    const batch = async (event: SQSEvent, _: Context) =>
      Promise.allSettled(event.Records.map((record) => apply(orderIdOf(record))));
    const handler = middy(batch, shared).use(sqsOnce(ofQueue));
    return async (orderId) =>
      failuresOf(await handler(sqsEvent(sqsRecord({ orderId })) as SQSEvent, lambda())).length === 0;
  },
  eachTransaction: ({ tableName, ofQueue, applied }) => {
    const { onAbandoned: _, ...options } = ofQueue;
    const store = transactionalStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }));
    const handler = eachTransaction<{ orderId: string }>({ ...options, store }, ({ body: { orderId } }) => [
      {
        Update: {
          TableName: tableName,
          Key: { id: `count ${orderId}` },
          UpdateExpression: 'ADD n :one',
          ExpressionAttributeValues: { ':one': 1 },
        },
      },
    ]);
    return async (orderId) => {
      const isDone = failuresOf(await handler(sqsEvent(sqsRecord({ orderId })), context())).length === 0;
      if (isDone && !applied.includes(orderId)) applied.push(orderId);
      return isDone;
    };
  },
  once: ({ options, apply }) => {
    const charge = once({ ...options, key: (key: string) => key }, apply).outcome;
    return async (key) => (await charge(key, { remainingMs: () => 30_000 })).outcome === 'completed';
  },
  onceOverHttp: ({ options, apply }) => {
    const serve = onceOverHttp(
      { ...options, caller: 'anyone' },
      async (_: APIGatewayProxyEventV2, __: Context, claim) => {
        await apply(claim.key);
        return { statusCode: 201, body: claim.key };
      },
    );
    return async (key) => {
      const { statusCode, body } = await serve(requestOf(key), lambda());
      if (statusCode === 201) expect(body).toBe(key);
      return statusCode === 201;
    };
  },
  httpOnce: ({ options, apply }) => {
    const handler = middy(async (_: APIGatewayProxyEventV2, given: Context) => {
      const { key = '' } = claimOf(given) ?? {};
      await apply(key);
      return { statusCode: 201, body: key };
    }, shared).use(httpOnce<APIGatewayProxyEventV2>({ ...options, caller: 'anyone' }));
    return async (key) => {
      const { statusCode, body } = (await handler(requestOf(key), lambda())) as { statusCode: number; body: string };
      if (statusCode === 201) expect(body).toBe(key);
      return statusCode === 201;
    };
  },
};

describe.each(Object.entries(doors))('64 invocations at once of %s', (name, wire) => {
  it('apply the effect of each key once, each answers for itself, and they share their requests', async () => {
    const wired = await atOnce();
    const call = wire(wired);
    counted();
    const told = await Promise.all(invocations.map(async (index) => [keyOf(index), await call(keyOf(index), index)]));
    const { requests, statements } = counted();
    expect([...wired.applied].sort()).toEqual(keys);
    // Of two copies of a key, one is done and the other comes again, or finds it done.
    for (const key of keys)
      expect(
        told.some(([of, isDone]) => of === key && isDone === true),
        key,
      ).toBe(true);
    // A transaction carries one message's writes; everything else goes by group commit, 25 parts a request.
    if (name !== 'eachTransaction') expect(requests).toBeLessThan(statements / 4);

    // What has happened is remembered in this process, for all its invocations.
    counted();
    const again = await Promise.all(invocations.map((index) => call(keyOf(index), index)));
    expect(again).toEqual(invocations.map(() => true));
    expect([...wired.applied].sort()).toEqual(keys);
    if (name !== 'eachTransaction') expect(counted().requests).toBe(0);
  });
});

describe('64 invocations at once in one process', () => {
  it('are told apart by sqsOnce, when Middy gives up on some of their handlers early', async () => {
    const { ofQueue, apply, options } = await atOnce();
    const isSlow = (index: number) => index % 2 === 0;
    const batch = async (event: SQSEvent, _: Context) => {
      const [record] = event.Records;
      const key = record === undefined ? '' : orderIdOf(record);
      if (isSlow(Number(key.slice(2)))) await new Promise(() => undefined);
      await apply(key);
    };
    const handler = middy(batch, { timeoutEarlyInMillis: 5 }).use(sqsOnce(ofQueue));
    const responses = await Promise.all(
      invocations.map((index) => {
        const times = [30_000, isSlow(index) ? 400 : 30_000];
        const given = { getRemainingTimeInMillis: () => times.shift() ?? 30_000 } as Context;
        return handler(sqsEvent(sqsRecord({ orderId: `k-${index}` })) as SQSEvent, given);
      }),
    );
    expect(responses.map((response) => failuresOf(response).length > 0)).toEqual(invocations.map(isSlow));
    const found = await Promise.all(invocations.map((index) => options.store.read(`charge#k-${index}`)));
    expect(found.map((record) => record?.status)).toEqual(
      invocations.map((index) => (isSlow(index) ? 'in-flight' : 'completed')),
    );
  });

  it('have locks of their own: a lock of one is not around the work of another', async () => {
    const locks = resourceLocks({
      store: dynamoLockStore(dynamoStore({ tableName: await claimsTable(client), aws: sdk({ dynamodb: client }) })),
    });
    const unlock = { onSuccess: 'unlock', onFailure: 'unlock' } as const;
    // 64 requests at once to one DynamoDB Local may take longer than a lock gives them, where the machine is busy.
    const withLock = <T>(kind: string, index: number, work: () => Promise<T>) =>
      eventually('the lock store answers', () =>
        locks.withLock([[kind, index]], { holder: `h-${index}`, unlock }, work),
      );
    const worked = await Promise.all(
      invocations.map((index) =>
        withLock('customer', index, async () => {
          await inTurn();
          return (await withLock('debt', index, inTurn)).outcome;
        }),
      ),
    );
    expect(worked.map(({ result }) => result)).toEqual(invocations.map(() => 'done'));
  });
});
