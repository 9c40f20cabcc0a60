import { DeleteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { PoolClient } from 'pg';
import { expect, inject, onTestFinished } from 'vitest';
import type { Claim, ClaimEvent, ClaimStore } from '../../../../lib/pawl/index.ts';
import {
  dynamoOutbox,
  type Outbox,
  type OutboxMessage,
  type OutboxOptions,
  outboxRelay,
  postgresOutbox,
  queues,
} from '../../../../lib/pawl/outbox/index.ts';
import * as inPostgres from '../../../../lib/pawl/postgres/index.ts';
import { bodyField, type SqsEvent, type SqsHandler } from '../../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { commit, eachTransaction } from '../../../../lib/pawl/transactions/index.ts';
import type { StreamRecord } from '../../../../lib/rehearsal/services/streams/stream-client.ts';
import { context } from '../../../support/lambda.ts';
import { applicationTables } from '../../../support/postgres-adapters.ts';
import { createDatabase } from '../../../support/postgres-database.ts';
import { localClient } from '../../../support/tables.ts';
import { type Order, setUp } from '../../scenarios/support.ts';
import { consume, deliver, type QueueName, setUpOutbox, startDestinations, tailOf } from './support.ts';

/*
 * The outbox over each of its databases, as the tests see it that hold for all of them.
 */

type Options = Partial<OutboxOptions>;

/** What a message is before its commit. */
type Message = object;

/** What a handler commits: entries of the application's, and messages. */
interface Plan {
  readonly entries?: readonly string[];
  readonly messages: readonly Message[];
}

/** An outbox with the commits of its database. */
interface Opened {
  readonly outbox: Outbox;
  message(message: OutboxMessage): Message;
  /** Commits in a handler. */
  commit(claim: Claim, plan: Plan): Promise<void>;
  /** Commits in a transaction of the author's own. */
  commitOwn(messages: readonly Message[]): Promise<{ sendNow(remainingMs: number): Promise<void> }>;
}

interface Lying {
  readonly id: string;
  readonly n: number;
  readonly key: string;
  /** The name of the error. */
  readonly parked: string | undefined;
}

export interface World extends Opened, Pick<Awaited<ReturnType<typeof setUp>>, 'consumer' | 'events' | 'typesOf'> {
  readonly sqs: Awaited<ReturnType<typeof startDestinations>>['sqs'];
  readonly receipts: Awaited<ReturnType<typeof startDestinations>>['receipts'];
  readonly changes: Awaited<ReturnType<typeof startDestinations>>['changes'];
  readonly points: Awaited<ReturnType<typeof startDestinations>>['points'];
  readonly bus: Awaited<ReturnType<typeof startDestinations>>['bus'];
  readonly provider: Awaited<ReturnType<typeof startDestinations>>['provider'];
  /** Where the claims are. */
  readonly store: ClaimStore;
  /** The options of its outbox, without those of the test. */
  readonly shared: OutboxOptions;
  open(options?: Options): Opened;
  /** `eachTransaction` over it. */
  transactions(plan: (order: Order) => Plan): SqsHandler;
  waiting(): Promise<readonly Lying[]>;
  /** How many rows its table has, counters among them. */
  rows(): Promise<number>;
  entry(id: string): Promise<unknown>;
  /** Has the relay send what was left. */
  relayAll(outbox?: Outbox): Promise<unknown>;
  /** The counters of groups end, as they do when their groups are idle. */
  endCounters(): Promise<void>;
  sent(name: QueueName): Promise<ReturnType<typeof JSON.parse>[]>;
  /** How the commands are told where it is. */
  readonly place: readonly string[];
  /** The worker of it, for a process of its own, and where that finds it. */
  readonly worker: { readonly file: string; readonly env: Readonly<Record<string, string>> };
  /** What the relay is invoked with. */
  relayEvent(): Promise<object>;
  /** What a running relay is invoked with, one after the other: for what is new since the last call. */
  relayEvents(): Promise<readonly object[]>;
  /** The bodies of all messages that were ever committed, in the order of their commits. */
  committed(): Promise<readonly ReturnType<typeof JSON.parse>[]>;
  /** What a consumer with `sentKey()` runs its handler for. */
  consume(queue: World['receipts']): Promise<readonly unknown[]>;
  /** Hands over what is in a queue, batch by batch, until nothing is left. */
  deliver(queue: World['receipts'], take: (event: SqsEvent) => Promise<unknown>): Promise<void>;
}

export interface Storage {
  readonly database: 'DynamoDB' | 'PostgreSQL';
  /** @param keeps whether it is kept what was committed */
  setUp(options?: Options, keeps?: boolean): Promise<World>;
}

const dynamo: Storage = {
  database: 'DynamoDB',
  async setUp(options = {}, keeps = false) {
    const world = await setUpOutbox(options, keeps ? 'NEW_IMAGE' : 'KEYS_ONLY');
    const { client, outboxTable, store, events, put, stream, relay } = world;
    const documents = DynamoDBDocumentClient.from(client);
    const tail = tailOf(client, inject('dynamoEndpoint'), outboxTable);
    const onEvent = (event: ClaimEvent) => void events.push(event);
    const writesOf = ({ entries = [], messages }: Plan) =>
      [...entries.map(put), ...messages] as Parameters<typeof commit>[1];
    const open = (own: Options = {}): Opened => {
      const outbox = dynamoOutbox({ ...world.shared, ...own });
      return {
        outbox,
        message: outbox.message,
        commit: (claim, plan) => commit(claim, writesOf(plan)),
        async commitOwn(messages) {
          const prepared = await outbox.prepare(messages as Parameters<typeof outbox.prepare>[0]);
          await documents.send(new TransactWriteCommand({ TransactItems: [...prepared.writes] }));
          return prepared;
        },
      };
    };
    return {
      ...world,
      ...open(options),
      open,
      transactions: (plan) =>
        eachTransaction<Order>({ operation: 'book', store, key: bodyField('orderId'), onEvent }, ({ body }) =>
          writesOf(plan(body)),
        ),
      waiting: async () =>
        (await world.waiting()).map(({ parked, ...one }) => ({ ...one, parked: (parked as Parked)?.name.S })),
      rows: async () =>
        (await client.send(new ScanCommand({ TableName: outboxTable, ConsistentRead: true }))).Count ?? 0,
      async relayAll(outbox) {
        const through = outbox === undefined ? relay : outboxRelay({ outbox });
        expect(await through({ Records: await stream() }, context())).toEqual({ batchItemFailures: [] });
      },
      async endCounters() {
        const { Items = [] } = await client.send(new ScanCommand({ TableName: outboxTable, ConsistentRead: true }));
        for (const { id = { S: '' }, n = { N: '' } } of Items.filter((one) => one['n']?.N === '0'))
          await client.send(new DeleteItemCommand({ TableName: outboxTable, Key: { id, n } }));
      },
      place: ['--table', outboxTable],
      worker: {
        file: '../outbox/worker.ts',
        env: {
          ENDPOINT: inject('dynamoEndpoint'),
          CLAIMS: world.tableName,
          LEDGER: world.ledger,
          OUTBOX: outboxTable,
        },
      },
      relayEvent: async () => ({ Records: await stream() }),
      async relayEvents() {
        const isNew = (record: StreamRecord) => record.eventName === 'INSERT';
        return inBatches((await tail()).filter(isNew)).map((Records) => ({ Records }));
      },
      committed: async () =>
        (await stream())
          .flatMap(({ dynamodb }) => JSON.parse(JSON.stringify(dynamodb?.['NewImage'] ?? {})))
          .filter(({ uid }) => uid !== undefined)
          .toSorted((a, b) => Number(a.n.N) - Number(b.n.N))
          .map(({ body }) => JSON.parse(body.S)),
      consume: (queue) => consume({ client, shared: world.shared, sqs: world.sqs }, queue),
      deliver: (queue, take) => deliver(world.sqs.client, queue, take),
    };
  },
};

/** As the event source of `OutboxRelay` hands them over. */
function inBatches<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const size = 100;
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}

type Parked = { readonly name: { readonly S: string } } | undefined;

/** Keeps every message that is committed, also when it has left. */
const history = `
CREATE TABLE committed (n bigint, record json);
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO committed VALUES (NEW.n, NEW.record); RETURN NULL;
END $$;
CREATE TRIGGER keep AFTER INSERT ON pawl_outbox FOR EACH ROW WHEN (NEW.n > 0) EXECUTE FUNCTION keep();
`;

const postgres: Storage = {
  database: 'PostgreSQL',
  async setUp(options = {}, keeps = false) {
    const scenario = await setUp();
    const destinations = await startDestinations();
    const database = await createDatabase(inject('postgresUrl'));
    onTestFinished(() => database[Symbol.asyncDispose]());
    const { pool, url } = database;
    await pool.query(applicationTables);
    if (keeps) await pool.query(history);
    const store = inPostgres.postgresStore({ pool });
    const aws = sdk({ sqs: destinations.sqs.client });
    const onEvent = (event: ClaimEvent) => void scenario.events.push(event);
    const shared = { aws, destinations: [queues({ aws })], onEvent };
    const write = async (tx: PoolClient, { entries = [], messages }: Plan) => {
      for (const id of entries) await tx.query('INSERT INTO entries (payment, cents) VALUES ($1, 0)', [id]);
      return messages;
    };
    const open = (own: Options = {}): Opened => {
      const outbox = postgresOutbox({ pool, ...shared, ...own });
      return {
        outbox,
        message: outbox.message,
        commit: (claim, plan) => inPostgres.commit(claim, (tx: PoolClient) => write(tx, plan)),
        async commitOwn(messages) {
          const tx = await pool.connect();
          try {
            await tx.query('BEGIN');
            const inserted = await outbox.insert(tx, messages as Parameters<typeof outbox.insert>[1]);
            await tx.query('COMMIT');
            return inserted;
          } finally {
            // Closed: the end of the pool waits for it, also where a statement failed.
            tx.release(true);
          }
        },
      };
    };
    return {
      ...scenario,
      ...destinations,
      ...open(options),
      store,
      shared,
      open,
      transactions: (plan) =>
        inPostgres.eachTransaction<Order, PoolClient>(
          { operation: 'book', store, aws, key: bodyField('orderId'), onEvent },
          ({ body }, tx) => write(tx, plan(body)),
        ),
      async waiting() {
        const { rows } = await pool.query(
          `SELECT id, n::int, record->>'key' AS key, parked->>'name' AS parked FROM pawl_outbox WHERE n > 0 ORDER BY n`,
        );
        return rows.map(({ parked, ...one }) => ({ ...one, parked: parked ?? undefined }));
      },
      rows: async () => (await pool.query('SELECT FROM pawl_outbox')).rowCount ?? 0,
      entry: async (id) => {
        const { rows } = await pool.query('SELECT payment AS id FROM entries WHERE payment = $1', [id]);
        return rows[0];
      },
      relayAll: (outbox = open().outbox) => outboxRelay({ outbox, olderThanMs: 0, onReport: () => undefined })(),
      async endCounters() {
        await pool.query('UPDATE pawl_outbox SET expires_at = 1 WHERE n = 0');
        while ((await inPostgres.deleteExpired({ pool, table: 'pawl_outbox' })) > 0);
      },
      sent: async (name) => (await destinations.sqs.messages(name)).map(({ body }) => JSON.parse(body)),
      place: ['--database', url],
      worker: { file: '../outbox/postgres-worker.ts', env: { DATABASE_URL: url } },
      relayEvent: async () => ({}),
      relayEvents: async () => [{}],
      async committed() {
        const { rows } = await pool.query(`SELECT record->>'body' AS body FROM committed ORDER BY n`);
        return rows.map(({ body }) => JSON.parse(body));
      },
      deliver: (queue, take) => deliver(destinations.sqs.client, queue, take),
      consume(queue) {
        const client = localClient(inject('dynamoEndpoint'));
        onTestFinished(() => client.destroy());
        return consume(
          { client, shared: { aws: sdk({ dynamodb: client, sqs: destinations.sqs.client }) }, sqs: destinations.sqs },
          queue,
        );
      },
    };
  },
};

/** Those that run on this machine. */
export const storages: readonly Storage[] = inject('postgresUrl') === '' ? [dynamo] : [dynamo, postgres];
