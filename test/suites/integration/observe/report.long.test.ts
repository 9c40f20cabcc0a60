import { DeleteTableCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { type ClaimEvent, hashed } from '../../../../lib/pawl/index.ts';
import { operator } from '../../../../lib/pawl/operate/index.ts';
import { bodyField, eachMessage, type SqsOptions } from '../../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { runPawl } from '../../../support/pawl-command.ts';
import { claimsTable, localClient } from '../../../support/tables.ts';

interface Order {
  readonly orderId: string;
  readonly amount: number;
}

const endpoint = inject('dynamoEndpoint');
const client = localClient(endpoint);
afterAll(() => client.destroy());

const env = {
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};

const order = (orderId: string, amount = 1) => sqsRecord({ orderId, amount });
const again = (record: ReturnType<typeof order>) => ({
  ...record,
  attributes: { ...record.attributes, ApproximateReceiveCount: '2' },
});

function consumer(tableName: string, options: Partial<SqsOptions<Order>> = {}) {
  const events: ClaimEvent[] = [];
  const ran: string[] = [];
  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
  const handler = eachMessage<Order>(
    {
      operation: 'send-email',
      aws: noQueue,
      store,
      key: bodyField('orderId'),
      onAbandoned: 'park',
      mode: 'observe',
      observeWaitMs: 25_000,
      onEvent: (event) => events.push(event),
      ...options,
    },
    async ({ body }) => {
      ran.push(body.orderId);
      if (body.orderId.startsWith('bad')) throw new Error('no');
    },
  );
  const call = async (...records: ReturnType<typeof order>[]) =>
    failuresOf(await handler(sqsEvent(...records), context()));
  return { call, events, ran, store };
}

describe('pawl observed', () => {
  it('tells what happened twice, for certain and perhaps, and how; and switches on', async () => {
    const tableName = await claimsTable(client);
    const { call, events, store } = consumer(tableName);
    const [a, b, bad] = [order('a'), order('b'), order('bad-1')];
    await call(a, b, order('c'), bad);
    await call(again(a), order('a'), again(bad));
    const report = await operator({ store }).observed('send-email');
    expect(report).toMatchObject({
      keys: 4,
      deliveries: 7,
      certain: 2,
      perhaps: 1,
      again: { redelivered: 2, 'sent-twice': 1 },
      doubledKeys: 2,
      doubled: [
        { id: 'send-email#a', certain: 2 },
        { id: 'send-email#bad-1', perhaps: 1 },
      ],
      wrongKeys: 0,
      inDoubt: 1,
      writeUnits: { enforced: 11, observed: 31 },
      open: { parked: 0, others: 0 },
      advice: 'switch-on',
    });
    expect(events.filter(({ type }) => type === 'unseen')).toEqual([]);
    const { out, code } = await runPawl(['observed', 'send-email', '--table', tableName], env);
    expect(out).toMatch(/effects that happened again +2 certain, 1 perhaps, of 2 keys/);
    expect(out).toMatch(/Switch on with this key: each of 4 keys stood for one payload, in 7 deliveries/);
    expect(code).toBe(0);
  });

  it('names a wrong key with its fields, and does not advise to switch on', async () => {
    const tableName = await claimsTable(client);
    const { call } = consumer(tableName);
    await call(order('a', 1), order('b', 1));
    await call(order('a', 2));
    const { out, code } = await runPawl(['observed', 'send-email', '--table', tableName], env);
    expect(out).toMatch(/DIFFERENT PAYLOADS.*\nsend-email#a +1 other +in amount/);
    expect(out).toMatch(
      /Do not switch on with this key: 1 key of 2 stood for different payloads\. They differ in amount\./,
    );
    expect(code).toBe(1);
    const { lines } = await runPawl(['observed', 'send-email', '--table', tableName, '--json'], env);
    expect(lines()).toMatchObject([{ kind: 'observed', advice: 'correct-the-key', differing: { amount: 1 } }]);
  });

  it('says that a hidden key counts under both secrets while its secret is changed', async () => {
    const tableName = await claimsTable(client);
    for (const secret of ['a secret of before, long', 'a secret of after, longer']) {
      await consumer(tableName, { hideKeys: hashed(secret) }).call(order('a'));
    }
    const { out } = await runPawl(['observed', 'send-email', '--table', tableName], env);
    expect(out).toMatch(/hidden keys +2: while their secret is changed, each counts under both/);
  });

  it('counts a killed run as perhaps, once its time is over', async () => {
    const tableName = await claimsTable(client);
    const { store } = consumer(tableName);
    const killed = eachMessage<Order>(
      {
        operation: 'send-email',
        aws: noQueue,
        store,
        key: bodyField('orderId'),
        onAbandoned: 'park',
        mode: 'observe',
        onEvent: () => undefined,
      },
      () => new Promise(() => undefined),
    );
    const message = order('a');
    void killed(sqsEvent(message), context(50));
    await new Promise((resolve) => setTimeout(resolve, 1200));
    const { call, events } = consumer(tableName);
    await call(again(message));
    expect(events).toMatchObject([{ type: 'would-park' }]);
    expect(await operator({ store }).observed('send-email')).toMatchObject({
      certain: 0,
      perhaps: 1,
      again: { 'redelivered-after-crash': 1 },
    });
  });

  it('says how many claims are open before a share is lowered', async () => {
    const tableName = await claimsTable(client);
    const { call, store } = consumer(tableName, { mode: 'enforce', backoffSeconds: () => undefined });
    await call(order('bad-1'));
    expect((await operator({ store }).observed('send-email')).open).toEqual({ parked: 1, others: 0 });
    const { out, code } = await runPawl(['observed', 'send-email', '--table', tableName], env);
    expect(out).toMatch(/open claims +1 parked, 0 others: a lower share gives up their gate/);
    expect(out).toMatch(/Nothing was observed of send-email/);
    expect(code).toBe(1);
  });

  it('of a later version: says that it could not be read, and not that nothing was observed', async () => {
    const tableName = await claimsTable(client);
    const { call } = consumer(tableName);
    await call(order('a'), order('b'));
    const isLeft = async (orderId: string) =>
      client.send(
        new UpdateItemCommand({
          TableName: tableName,
          Key: { id: { S: `send-email#${orderId}` } },
          UpdateExpression: 'SET v = :later',
          ExpressionAttributeValues: { ':later': { N: '99' } },
        }),
      );
    await isLeft('a');
    const part = await runPawl(['observed', 'send-email', '--table', tableName], env);
    expect(part.out).toMatch(
      /each of 1 key stood for one payload, .*\. 1 key could not be read, and is no part of this/,
    );
    await isLeft('b');
    const { out, code } = await runPawl(['observed', 'send-email', '--table', tableName], env);
    expect(out).toMatch(/not read +2/);
    expect(out).toMatch(/Nothing of send-email could be read: a later version of pawl wrote 2 records/);
    expect(out).not.toMatch(/Nothing was observed/);
    expect(code).toBe(1);
  });

  it('is of one operation', async () => {
    const tableName = await claimsTable(client);
    await consumer(tableName).call(order('a'));
    await consumer(tableName, { operation: 'send' }).call(order('a'), order('b'));
    const { store } = consumer(tableName);
    expect(await operator({ store }).observed('send')).toMatchObject({ keys: 2 });
    const open: unknown[] = [];
    for await (const { claims } of operator({ store }).openClaims()) open.push(...claims);
    expect(open).toEqual([]);
  });
});

describe('a table that goes away', () => {
  it('changes no outcome: not there from the start, and deleted in mid-run', async () => {
    const batches = () => [[order('a'), order('bad-1'), order('a')], [order('bad-2'), order('c')], [order('a')]];
    const idsOf = (records: readonly ReturnType<typeof order>[], failed: readonly string[]) =>
      records.filter(({ messageId }) => failed.includes(messageId)).map(({ body }) => JSON.parse(body).orderId);
    const outcomes = async (tableName: string, before: (batch: number) => Promise<unknown>) => {
      const { call, ran, events } = consumer(tableName, { observeWaitMs: 25 });
      const failed: unknown[] = [];
      for (const [index, records] of batches().entries()) {
        await before(index);
        failed.push(idsOf(records, await call(...records)));
      }
      return { failed, ran, unseen: events.filter(({ type }) => type === 'unseen').length };
    };
    const nothing = async () => undefined;
    const expected = { failed: [['bad-1'], ['bad-2'], []], ran: ['a', 'bad-1', 'a', 'bad-2', 'c', 'a'] };
    expect(await outcomes(await claimsTable(client), nothing)).toMatchObject(expected);
    expect(await outcomes('no-such-table', nothing)).toEqual({ ...expected, unseen: 6 });
    const leaving = await claimsTable(client);
    const removed = await outcomes(leaving, async (batch) => {
      if (batch === 1) await client.send(new DeleteTableCommand({ TableName: leaving }));
    });
    expect(removed).toMatchObject(expected);
    expect(removed.unseen).toBeGreaterThanOrEqual(3);
  });
});
