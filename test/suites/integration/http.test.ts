import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { type HttpOptions, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { type Claim, step } from '../../../lib/pawl/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { CommitRefusedError, commit, inPhases, transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { startHttpApi } from '../../support/http-api.ts';
import type { apiGatewayV2 } from '../../support/http-events.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

type Event = ReturnType<typeof apiGatewayV2>;
type Api = Awaited<ReturnType<typeof startHttpApi>>;

let client: DynamoDBClient;
let tableName: string;
const apis: Api[] = [];
beforeAll(() => {
  client = localClient(inject('dynamoEndpoint'));
});
beforeEach(async () => {
  tableName = await claimsTable(client);
});
afterEach(() => Promise.all(apis.splice(0).map(({ stop }) => stop())));
afterAll(() => client.destroy());

/** A payments API whose provider counts. */
async function payments(
  handler: (event: Event, claim: Claim) => unknown,
  options: Partial<Omit<HttpOptions<Event>, 'required'>> = {},
) {
  let ran = 0;
  const api = await startHttpApi(
    onceOverHttp<Event, { getRemainingTimeInMillis(): number }, unknown>(
      {
        operation: 'refund',
        store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
        // What an authorizer would have found out.
        caller: ({ headers }) => headers['authorization'],
        onAbandoned: 'retry',
        onEvent: () => undefined,
        ...options,
      },
      (event, _, claim) => {
        ran++;
        return handler(event, claim);
      },
    ),
  );
  apis.push(api);
  const signedIn = (who: string) => (sent: string | undefined, body: unknown) =>
    api.send(sent, body, { headers: { authorization: who } });
  return { ran: () => ran, thrown: api.thrown, as: signedIn, send: signedIn('alice') };
}

const key = '"8e03978e-40d5-43dd-bc93-6894a57f9324"';
const refund = { payment: 'p-1', amount: 12.5 };
const created = ({ body }: Event) => ({
  statusCode: 201,
  headers: { 'content-type': 'application/json', location: '/refunds/r-1' },
  body: JSON.stringify({ id: 'r-1', of: JSON.parse(body ?? '') }),
});

it('answers 400 to a request without the header, and to one that is no string of a structured field', async () => {
  const { send, ran } = await payments(created);
  for (const [sent, reason] of [
    [undefined, 'missing-key'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', 'invalid-key'],
  ] as const) {
    const response = await send(sent, refund);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ type: 'about:blank', status: 400, title: 'Bad Request', reason });
  }
  expect(ran()).toBe(0);
});

it('takes the header as the draft writes it, and replays the response, saying so', async () => {
  const { send, ran } = await payments(created);
  const first = await send(key, refund);
  expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null]);
  const second = await send(key, { amount: 12.5, payment: 'p-1' });
  expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  expect(second.headers.get('location')).toBe('/refunds/r-1');
  expect(await second.text()).toBe(await first.text());
  expect(ran()).toBe(1);
});

it('answers 422 to another body with the same key', async () => {
  const { send, ran } = await payments(created);
  await send(key, refund);
  const response = await send(key, { ...refund, amount: 99 });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ reason: 'key-reused' });
  expect(ran()).toBe(1);
});

it('runs one of 20 requests at once: all others are told 409 and when to ask again, or get its response', async () => {
  const work = Promise.withResolvers<void>();
  const { send, ran } = await payments(async (event) => {
    await work.promise;
    return created(event);
  });
  let refused = 0;
  const requests = Array.from({ length: 20 }, async () => {
    const response = await send(key, refund);
    if (response.status === 409) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await response.json()).toMatchObject({ reason: 'in-flight' });
      refused++;
      if (refused === 19) work.resolve();
    }
    return response.status;
  });
  expect((await Promise.all(requests)).sort()).toEqual([201, ...Array(19).fill(409)]);
  expect((await send(key, refund)).headers.get('idempotency-replayed')).toBe('true');
  expect(ran()).toBe(1);
});

it('keeps two callers with the same key apart', async () => {
  const { as, ran } = await payments((event) => ({ statusCode: 201, body: event.headers['authorization'] }));
  for (const who of ['alice', 'bob', 'alice', 'bob']) {
    expect(await (await as(who)(key, refund)).text()).toBe(who);
  }
  expect(ran()).toBe(2);
});

it('replays a response over the limit without its body, and says that it is not there', async () => {
  const { send, ran } = await payments((event) => ({ ...created(event), body: 'x'.repeat(20_000) }));
  expect(await (await send(key, refund)).text()).toHaveLength(20_000);
  const second = await send(key, refund);
  expect([second.status, second.headers.get('location'), await second.text()]).toEqual([201, '/refunds/r-1', '']);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(second.headers.get('idempotency-body-omitted')).toBe('true');
  expect(second.headers.get('content-type')).toBeNull();
  expect(ran()).toBe(1);
});

it.each(['throws', 'answers 500'])('does not run again a handler that %s after its effect', async (how) => {
  let effects = 0;
  const { send, ran, thrown } = await payments(async (_, claim) => {
    await claim.effect(() => ++effects);
    if (how === 'throws') throw new Error('the metrics are down');
    return { statusCode: 500 };
  });
  expect((await send(key, refund)).status).toBe(how === 'throws' ? 502 : 500);
  expect(thrown).toHaveLength(how === 'throws' ? 1 : 0);
  const second = await send(key, refund);
  expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([204, 'true']);
  expect(second.headers.get('idempotency-body-omitted')).toBe('true');
  expect([effects, ran()]).toEqual([1, 1]);
});

it('lets what the effect threw decide, whatever response the handler made of it', async () => {
  const { send, ran } = await payments(
    async (_, claim) => {
      await claim.effect(() => Promise.reject(new Error('socket hang up'))).catch(() => undefined);
      return { statusCode: 402 };
    },
    { onAbandoned: 'park' },
  );
  expect((await send(key, refund)).status).toBe(402);
  const second = await send(key, refund);
  expect([second.status, ((await second.json()) as { reason: string }).reason]).toEqual([409, 'parked']);
  expect(ran()).toBe(1);
});

it('runs nothing while the table is gone, and says when to ask again', async () => {
  const nowhere = localClient('http://127.0.0.1:1', { maxAttempts: 1 });
  const { send, ran } = await payments(created, { store: dynamoStore({ tableName, aws: sdk({ dynamodb: nowhere }) }) });
  const response = await send(key, refund);
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(ran()).toBe(0);
  nowhere.destroy();
});

it('counts a callback once that comes twice at the same instant, and keeps its amount beside the key for ever', async () => {
  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
  const credited: string[] = [];
  const callback = await payments(
    ({ body }) => {
      credited.push(JSON.parse(body ?? '').transaction);
      return { statusCode: 200 };
    },
    {
      store,
      operation: 'payment-callback',
      caller: 'anyone',
      key: ({ body }) => (body as { transaction: string }).transaction,
      attributes: ({ body }) => ({ amount: (body as { amount: string }).amount }),
      retentionSeconds: 'forever',
    },
  );
  const transactions = Array.from({ length: 10 }, (_, n) => ({ transaction: `t-${n}`, amount: `${n}.10` }));
  await Promise.all([...transactions, ...transactions].map((body) => callback.send(undefined, body)));
  expect(credited.sort()).toEqual(transactions.map(({ transaction }) => transaction));
  const kept = await store.read('payment-callback#t-7');
  expect(kept).toMatchObject({ status: 'completed', attributes: { amount: '7.10' } });
  expect(kept).not.toHaveProperty('expiresAt');
});

describe('with writes of the application in one table', () => {
  async function bank(handler: (event: Event, claim: Claim) => unknown) {
    const TableName = await claimsTable(client);
    const documents = DynamoDBDocumentClient.from(client);
    await documents.send(new PutCommand({ TableName, Item: { id: 'alice', balance: 10 } }));
    const api = await payments(handler, {
      store: transactionalStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) })),
      onAbandoned: 'retry',
      fingerprint: false,
    });
    const debit = (n: number) => [
      {
        Update: {
          TableName,
          Key: { id: 'alice' },
          UpdateExpression: 'SET balance = balance - :n',
          ConditionExpression: 'balance >= :n',
          ExpressionAttributeValues: { ':n': n },
        },
      },
    ];
    const balance = async () =>
      (await documents.send(new GetCommand({ TableName, Key: { id: 'alice' }, ConsistentRead: true }))).Item?.[
        'balance'
      ];
    return { ...api, debit, balance };
  }

  it('commits once, and replays the response that was made after the commit', async () => {
    const api = await bank(async (event, claim) => {
      await commit(claim, api.debit(4));
      return created(event);
    });
    const first = await api.send(key, refund);
    const second = await api.send(key, refund);
    expect([first.status, second.status, second.headers.get('location')]).toEqual([201, 201, '/refunds/r-1']);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await second.text()).toBe(await first.text());
    expect([api.ran(), await api.balance()]).toEqual([1, 6]);
  });

  it('answers what the handler made of a refused commit, and runs the next request', async () => {
    let amount = 11;
    const api = await bank(async (event, claim) => {
      try {
        await commit(claim, api.debit(amount));
      } catch (error) {
        if (error instanceof CommitRefusedError) return { statusCode: 402 };
        throw error;
      }
      return created(event);
    });
    expect((await api.send(key, refund)).status).toBe(402);
    amount = 10;
    expect((await api.send(key, refund)).status).toBe(201);
    expect([api.ran(), await api.balance()]).toEqual([2, 0]);
  });

  it('goes on after a failed attempt with what its steps and phases have done', async () => {
    const called: string[] = [];
    let fails = true;
    const api = await bank(async (event, claim) => {
      await step(claim, 'look', ({ effectKey }) => called.push(effectKey), { onAbandoned: 'park' });
      if (fails) throw new Error('the network is down');
      await phases(event, claim);
      return created(event);
    });
    const phases = inPhases<Event, string>({
      prepare: () => api.debit(1),
      execute: (_, { effectKey }) => {
        called.push(effectKey);
        return effectKey;
      },
      record: () => api.debit(2),
      onAbandoned: 'park',
    });
    expect((await api.send(key, refund)).status).toBe(502);
    fails = false;
    expect((await api.send(key, refund)).status).toBe(201);
    expect((await api.send(key, refund)).headers.get('idempotency-replayed')).toBe('true');
    expect(called).toHaveLength(2);
    expect([api.ran(), await api.balance()]).toEqual([2, 7]);
  });
});

it('accepts a key that was recorded by the rule that was in force before, for as long as it says', async () => {
  const before = await payments(() => ({ statusCode: 503 }));
  await before.send(key, refund);
  const retry = async (until: string) => {
    const previous = { ignore: [], until };
    const { send } = await payments(() => ({ statusCode: 503 }), { fingerprint: { ignore: ['amount'], previous } });
    return (await send(key, refund)).status;
  };
  expect(await retry('2020-01-01T00:00:00Z')).toBe(422);
  expect(await retry('2999-01-01T00:00:00Z')).toBe(503);
});
