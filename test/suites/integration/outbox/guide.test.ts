import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { Pool } from 'pg';
import { beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { nodeHost } from '../../../../lib/pawl/host.ts';
import {
  type DynamoOutbox,
  type DynamoOutboxOptions,
  dynamoOutbox,
  outboxRelay,
  type PostgresOutboxOptions,
  postgresOutbox,
  queues,
} from '../../../../lib/pawl/outbox/index.ts';
import type { SqsHandler } from '../../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { exampleOf, type Names } from '../../../docs/run-example.ts';
import { startClouds } from '../../../support/clouds.ts';
import { context, sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { createDatabase } from '../../../support/postgres-database.ts';
import { claimsTable, localClient, outboxTable } from '../../../support/tables.ts';

const guide = 'docs/guides/outbox.md';
const guideInPostgres = 'docs/guides/outbox-postgres.md';

let world: Awaited<ReturnType<typeof setUp>>;
beforeEach(async () => {
  world = await setUp();
});

/** What a reader of the guide has: tables, queues, and clients that find them. */
async function setUp() {
  const clouds = await startClouds();
  const client = localClient(inject('dynamoEndpoint'));
  onTestFinished(async () => {
    client.destroy();
    await clouds.stop();
  });
  const env = {
    CLAIMS_TABLE: await claimsTable(client),
    LEDGER_TABLE: await claimsTable(client, `ledger-${crypto.randomUUID()}`),
    OUTBOX_TABLE: await outboxTable(client),
    RECEIPTS_QUEUE_URL: clouds.queues.orders.url,
    EVENT_BUS_ARN: 'arn:aws:events:us-east-1:000000000000:event-bus/shop',
    PAYLOADS_BUCKET: clouds.bucket,
  };
  const aws = sdk({ dynamodb: client, sqs: clouds.queues.functionClient });
  const local = queues({ aws });
  /** The options of an example, with the clients of this test. */
  const here = (options: DynamoOutboxOptions, more: Partial<DynamoOutboxOptions> = {}): DynamoOutbox =>
    dynamoOutbox({ destinations: [local], onEvent: () => undefined, ...options, ...more, aws });
  const names = (more: Partial<DynamoOutboxOptions> = {}): Names => ({
    process: { env },
    dynamoOutbox: (options: DynamoOutboxOptions) => here(options, more),
    dynamoStore: ({ tableName }: { readonly tableName: string }) => dynamoStore({ tableName, aws }),
    sdk: () => aws,
  });
  return { clouds, client, env, names, here, aws };
}

async function handlerOf(text: string, names: Names, page = guide) {
  const run = await exampleOf(page, text);
  const { handler } = await run(names);
  return handler as SqsHandler;
}

it('commits the receipt with the entry, and mails it once, though the worker dies and two relays send it', async () => {
  const { clouds, names, here, env } = world;
  const post = await handlerOf('eachTransaction<Payment>(', names({ atOnceMs: 0 }));
  await post(sqsEvent(sqsRecord({ id: 'p-1', customer: 'maria', cents: 500 })), context());
  const { store } = here({ tableName: env.OUTBOX_TABLE, aws: world.aws });
  const { messages } = await store.list();
  expect(messages).toMatchObject([{ key: 'receipt/p-1' }]);
  const relay = await handlerOf('outboxRelay({ outbox: dynamoOutbox', { ...names(), outboxRelay });
  const event = {
    Records: messages.map(({ id, n }) => ({
      eventName: 'INSERT',
      dynamodb: { Keys: { id: { S: id }, n: { N: String(n) } } },
    })),
  };
  await Promise.all([relay(event as never, context()), relay(event as never, context())]);
  expect((await store.list()).messages).toEqual([]);
  const mails: unknown[] = [];
  const mailer = {
    send: async (receipt: unknown, { idempotencyKey }: { idempotencyKey: string }) =>
      void mails.push([receipt, idempotencyKey]),
  };
  const mail = await handlerOf('key: sentKey()', { ...names(), mailer });
  const { failed } = await clouds.queues.deliver((delivered) => mail(delivered, context()));
  expect(failed).toEqual([]);
  expect(mails).toEqual([[{ payment: 'p-1', cents: 500 }, 'mail-receipt#receipt/p-1']]);
});

it('has the options that it prints', async () => {
  const { names } = world;
  const run = await exampleOf(guide, 'destinations: [queues({ aws }), topics(), eventBuses()]');
  await expect(run({ ...names(), paymentId: 'p-1' })).resolves.toBeDefined();
  const large = await exampleOf(guide, 'largeBodies({');
  await expect(large(names())).resolves.toBeDefined();
});

it('sends what a transaction of its reader’s own has committed', async () => {
  const { clouds, here, env, client } = world;
  const documents = DynamoDBDocumentClient.from(client);
  const run = await exampleOf(guide, 'outbox.prepare([');
  const outbox = here({ tableName: env.OUTBOX_TABLE, aws: world.aws });
  class TransactWrite extends TransactWriteCommand {
    constructor({ TransactItems = [] }: { readonly TransactItems?: readonly object[] }) {
      const [, ...writes] = TransactItems;
      super({
        TransactItems: [{ Put: { TableName: env.LEDGER_TABLE, Item: { id: 'customer-17' } } }, ...writes] as never,
      });
    }
  }
  await run({
    outbox,
    documents,
    to: env.RECEIPTS_QUEUE_URL,
    Item: { id: 'customer-17' },
    TransactWriteCommand: TransactWrite,
  });
  expect((await clouds.queues.messages(clouds.queues.orders)).map(({ body }) => body)).toEqual(['{"customer":17}']);
  expect((await outbox.store.list()).messages).toEqual([]);
});

describe.skipIf(inject('postgresUrl') === '')('in PostgreSQL', () => {
  async function setUpPostgres() {
    const { clouds, aws } = world;
    const database = await createDatabase(inject('postgresUrl'));
    const pools: Pool[] = [];
    onTestFinished(async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await database[Symbol.asyncDispose]();
    });
    await database.pool.query('CREATE TABLE entries (payment text, cents int); CREATE TABLE customers (id int)');
    function PoolHere(options: object): Pool {
      const pool = new Pool({ ...options, connectionString: database.url });
      pools.push(pool);
      return pool;
    }
    const open = (more: Partial<PostgresOutboxOptions>) => (options: PostgresOutboxOptions) =>
      postgresOutbox({ onEvent: () => undefined, ...options, ...more });
    const env = { RECEIPTS_QUEUE_URL: clouds.queues.orders.url };
    const names = { Pool: PoolHere, lean: () => aws, process: { env } };
    const sent = async () => (await clouds.queues.messages(clouds.queues.orders)).map(({ body }) => body);
    return { database, names, open, sent };
  }

  it('commits the receipt with the entry, and its relay sends it', async () => {
    const { database, names, open, sent } = await setUpPostgres();
    const enter = await handlerOf(
      "operation: 'enter-payment'",
      { ...names, postgresOutbox: open({ atOnceMs: 0 }) },
      guideInPostgres,
    );
    await enter(sqsEvent(sqsRecord({ id: 'p-1', customer: 'maria', cents: 500 })), context());
    const { rows } = await database.pool.query('SELECT payment FROM entries');
    expect(rows).toEqual([{ payment: 'p-1' }]);
    expect(await sent()).toEqual([]);
    // Later than its worker is at it.
    const host = { ...nodeHost, now: () => Date.now() + 11_000 };
    const relay = await handlerOf(
      'outboxRelay({ outbox: postgresOutbox',
      { ...names, postgresOutbox: open({ host }) },
      guideInPostgres,
    );
    expect(await relay({ source: 'aws.events' } as never, context())).toMatchObject({ sent: 1 });
    expect(await sent()).toEqual(['{"payment":"p-1","cents":500}']);
  });

  it('sends what a transaction of its reader’s own has committed', async () => {
    const { database, open, sent } = await setUpPostgres();
    const { pool } = database;
    const run = await exampleOf(guideInPostgres, 'outbox.insert(');
    await run({ pool, outbox: open({})({ pool, aws: world.aws }), to: world.env.RECEIPTS_QUEUE_URL });
    const { rows } = await pool.query('SELECT id FROM customers');
    expect(rows).toEqual([{ id: 17 }]);
    expect(await sent()).toEqual(['{"customer":17}']);
  });
});
