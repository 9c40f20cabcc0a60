import { Pool, type PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { nodeHost } from '../../../../lib/pawl/host.ts';
import { type Claim, once, RejectedError } from '../../../../lib/pawl/index.ts';
import {
  type Destination,
  dynamoOutbox,
  type Outbox,
  outboxOperator,
  outboxSweep,
  type PostgresOutbox,
  type PostgresOutboxOptions,
  postgresOutbox,
} from '../../../../lib/pawl/outbox/index.ts';
import {
  commit,
  commitStep,
  eachTransaction,
  inPhases,
  type PostgresStore,
  postgresStore,
} from '../../../../lib/pawl/postgres/index.ts';
import { bodyField } from '../../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { commit as commitWrites, transactionalStore } from '../../../../lib/pawl/transactions/index.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { type CommitLoss, losingCommits } from '../../../support/lost-pool.ts';
import {
  type Adapter,
  applicationTables,
  type Payment,
  pg,
  withDrizzle,
  withKysely,
} from '../../../support/postgres-adapters.ts';
import { createDatabase, type Database } from '../../../support/postgres-database.ts';

/*
 * What only an outbox in PostgreSQL can do wrong. What holds for every outbox is in order.test.ts, failures.test.ts and operate.test.ts.
 */

const server = inject('postgresUrl');
const quiet = () => undefined;
const aws = sdk({});

describe.skipIf(server === '')('an outbox in PostgreSQL', () => {
  let database: Database;
  let payments = 0;
  beforeAll(async () => {
    database = await createDatabase(server);
    await database.pool.query(applicationTables);
  });
  afterAll(() => database[Symbol.asyncDispose]());
  // What a test has left is due for every relay.
  beforeEach(async () => void (await database.pool.query('DELETE FROM pawl_outbox')));

  /** A place of a test's own to send to, and what has arrived there. */
  function destination(gate: Promise<void> = Promise.resolve()) {
    const arrived: string[] = [];
    const to = `https://queue-${crypto.randomUUID()}`;
    const queue: Destination = {
      name: 'queue()',
      address: 'any',
      takes: () => true,
      problem: quiet,
      mostBytes: 1e6,
      takesPointers: true,
      bytesBeside: () => 0,
      async send({ key }) {
        await gate;
        arrived.push(key);
      },
    };
    return { arrived, queue, to };
  }

  function open(queue: Destination, options: Partial<PostgresOutboxOptions> = {}) {
    return postgresOutbox({ pool: database.pool, aws, destinations: [queue], onEvent: quiet, ...options });
  }

  /** Uses a connection, and gives it back whatever happens: the end of the pool waits for it. */
  async function connected<T>(use: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await database.pool.connect();
    try {
      return await use(client);
    } finally {
      client.release(true);
    }
  }

  const insertedInto = (outbox: PostgresOutbox, messages: Parameters<PostgresOutbox['insert']>[1], end = 'COMMIT') =>
    connected(async (client) => {
      await client.query('BEGIN');
      await outbox.insert(client, messages);
      await client.query(end);
    });

  async function newPayment(): Promise<Payment> {
    const id = `payment-${++payments}`;
    await database.pool.query('INSERT INTO accounts VALUES ($1, 1000)', [id]);
    return { id, account: id, cents: 300 };
  }

  async function entriesOf({ id }: Payment): Promise<number> {
    const { rowCount } = await database.pool.query('SELECT FROM entries WHERE payment = $1', [id]);
    return rowCount ?? 0;
  }

  async function waiting(to: string) {
    const { rows } = await database.pool.query(
      `SELECT n::int, record->>'key' AS key FROM pawl_outbox WHERE n > 0 AND record->>'to' = $1 ORDER BY n`,
      [to],
    );
    return rows;
  }

  const options = <Store extends object>(store: Store) => ({
    operation: 'pay',
    store,
    key: ({ id }: Payment) => id,
    onAbandoned: 'park' as const,
    onEvent: quiet,
  });

  const through = <Tx>(library: string, { store: storeOn, pay }: Adapter<Tx>) =>
    describe(`through ${library}`, () => {
      it('commits the message with the data, and sends it', async () => {
        const { arrived, queue, to } = destination();
        const { message } = open(queue);
        const payment = await newPayment();
        const payOnce = once(options(storeOn(database.pool)), (one: Payment, claim) =>
          commit(claim, async (tx: Tx) => {
            await pay(tx, one);
            return message({ to, key: one.id, body: {} });
          }),
        );
        await payOnce(payment);
        expect(await entriesOf(payment)).toBe(1);
        expect(arrived).toEqual([payment.id]);
        expect(await waiting(to)).toEqual([]);
      });

      it.each<[string, CommitLoss]>([
        ['whose answer is lost', 'answer-lost'],
        ['that is never sent', 'never-sent'],
        ['that arrives after the next try has begun', { lateMs: 300 }],
      ])('of a commit %s, one message exists, and it is sent', async (_, loss) => {
        const { arrived, queue, to } = destination();
        const { message } = open(queue);
        const payment = await newPayment();
        const { pool, lost } = losingCommits(database.pool, [loss]);
        const payOnce = once(options(storeOn(pool)), (one: Payment, claim) =>
          commit(claim, async (tx: Tx) => {
            await pay(tx, one);
            return [message({ to, key: one.id, body: {} })];
          }),
        );
        await payOnce(payment);
        expect(lost()).toBe(1);
        expect(await entriesOf(payment)).toBe(1);
        expect(arrived).toEqual([payment.id]);
        expect(await waiting(to)).toEqual([]);
      });
    });

  through('pg', pg);
  through('Drizzle', withDrizzle);
  through('Kysely', withKysely);

  it('takes messages at each door, and sends what a lost COMMIT of eachTransaction has committed', async () => {
    const { arrived, queue, to } = destination();
    const { message } = open(queue);
    const own = (key: string) => message({ to, key, body: {} });
    const again = { ...options(postgresStore({ pool: database.pool })), onAbandoned: 'retry' as const };
    const steps = once(again, async (_: Payment, claim) => {
      await commitStep(claim, 'first', () => own('step'));
      await commit(claim, () => [undefined, own('commit'), { rows: [] }]);
    });
    await steps(await newPayment());
    const phases = inPhases<Payment, number>({
      prepare: () => own('prepare'),
      execute: () => 1,
      record: () => [own('record')],
      onAbandoned: 'retry',
    });
    await once(again, phases)(await newPayment());
    const { pool, lost } = losingCommits(database.pool, ['answer-lost']);
    const handler = eachTransaction<Payment, PoolClient>(
      { operation: 'pay', store: postgresStore({ pool }), key: bodyField('id'), aws, onEvent: quiet },
      () => own('transaction'),
    );
    expect(failuresOf(await handler(sqsEvent(sqsRecord(await newPayment())), context()))).toEqual([]);
    expect(lost()).toBe(1);
    expect(arrived).toEqual(['step', 'commit', 'prepare', 'record', 'transaction']);
    expect(await waiting(to)).toEqual([]);
  });

  it('costs what the page says: a statement in the transaction, one for its group, and one that removes it', async () => {
    const { queue, to } = destination();
    let statements = 0;
    const pool = {
      async connect() {
        const client = await database.pool.connect();
        return {
          query(text: string, values?: unknown[]) {
            statements += 1;
            return client.query(text, values);
          },
          release: (destroy?: boolean) => client.release(destroy),
        };
      },
    };
    const { message } = open(queue, { pool });
    const own = (key: string, group?: string) =>
      message({ to: group === undefined ? to : `${to}.fifo`, key, body: {}, group });
    const cost = async (messages: () => readonly object[]) => {
      const payOnce = once(options(postgresStore({ pool })), (_: Payment, claim) => commit(claim, messages));
      const payment = await newPayment();
      statements = 0;
      await payOnce(payment);
      return statements;
    };
    const alone = await cost(() => []);
    expect(await cost(() => [own('a')])).toBe(alone + 2);
    expect(await cost(() => [own('a', 'maria')])).toBe(alone + 3);
    expect(await cost(() => [own('a', 'maria'), own('b', 'maria'), own('c')])).toBe(alone + 2 + 3);
    expect(await cost(() => [own('a', 'maria'), own('b', 'paul')])).toBe(alone + 3 + 2);
  });

  it('has no message of a transaction that was undone', async () => {
    const { arrived, queue, to } = destination();
    const { message } = open(queue);
    const payment = await newPayment();
    const own = message({ to, key: 'undone', body: {} });
    const payOnce = once(options(postgresStore({ pool: database.pool })), (_: Payment, claim) =>
      commit(claim, async (tx: PoolClient) => {
        await tx.query('SELECT FROM nowhere').catch(quiet);
        return own;
      }),
    );
    await expect(payOnce(payment)).rejects.toThrow();
    expect(arrived).toEqual([]);
    expect(await waiting(to)).toEqual([]);
  });

  it('refuses a commit whose function has made a message and not returned it, whatever runs beside it', async () => {
    const { arrived, queue, to } = destination();
    const outbox = open(queue);
    const own = (key: string) => outbox.message({ to, key, body: {} });
    const handler = eachTransaction<Payment, PoolClient>(
      { operation: 'pay', store: postgresStore({ pool: database.pool }), key: bodyField('id'), aws, onEvent: quiet },
      async ({ body }, tx) => {
        await pg.pay(tx, body);
        const receipt = own(body.id);
        if (body.cents === 100) return undefined;
        if (body.cents === 300) return receipt;
        // It is committed with this transaction, by hand.
        await outbox.insert(tx, [receipt]);
        return undefined;
      },
    );
    const all = await Promise.all([100, 200, 300].map(async (cents) => ({ ...(await newPayment()), cents })));
    expect(failuresOf(await handler(sqsEvent(...all.map((one) => sqsRecord(one))), context()))).toHaveLength(1);
    expect(await Promise.all(all.map(entriesOf))).toEqual([0, 1, 1]);
    const [, byHand, returned] = all.map(({ id }) => id);
    expect(arrived).toEqual([returned]);
    expect(await waiting(to)).toEqual([{ n: 1, key: byHand }]);
  });

  it('never has a message rejected because its table is missing, or the role may not write it: it comes again', async () => {
    const { queue, to } = destination();
    const said: unknown[] = [];
    for (const table of ['not_there', 'pawl_claims']) {
      const { message } = open(queue, { table });
      const payment = await newPayment();
      const handler = eachTransaction<Payment, PoolClient>(
        {
          operation: 'pay',
          store: postgresStore({ pool: database.pool }),
          key: bodyField('id'),
          aws,
          onRefused: (refused) => new RejectedError(refused.message),
          onEvent: (event) => void (event.type === 'released' && said.push(event.error)),
        },
        async ({ body }, tx) => {
          await pg.pay(tx, body);
          return message({ to, key: body.id, body: {} });
        },
      );
      expect(failuresOf(await handler(sqsEvent(sqsRecord(payment)), context()))).toHaveLength(1);
      expect(await entriesOf(payment)).toBe(0);
    }
    expect(said).toMatchObject([
      { message: expect.stringMatching(/not committed: the table 'not_there' is not there.*Apply the migration/) },
      { message: expect.stringMatching(/not committed: the table 'pawl_claims' is not there, or not as pawl needs/) },
    ]);
  });

  it('refuses a message of the other database, on either side', async () => {
    const { queue, to } = destination();
    const { message } = open(queue);
    const payOnce = once(options(postgresStore({ pool: database.pool })), (_: Payment, claim) =>
      commit(claim, () => dynamoOutbox({ tableName: 'outbox', aws }).message({ to, key: 'a', body: 1 })),
    );
    await expect(payOnce(await newPayment())).rejects.toThrow('a message of dynamoOutbox was returned');
    const store = transactionalStore(
      (await import('../../../../lib/pawl/stores/dynamodb/index.ts')).dynamoStore({ tableName: 'claims', aws }),
    );
    const claims: PostgresStore<PoolClient> = postgresStore({ pool: database.pool });
    const writes = once(options({ ...claims, commit: store.commit }), (_: Payment, claim: Claim) =>
      commitWrites(claim, [message({ to, key: 'a', body: 1 }) as never]),
    );
    await expect(writes(await newPayment())).rejects.toThrow(
      'a message of postgresOutbox, for commit of pawl/postgres',
    );
  });

  describe('of one group', () => {
    const group = 'maria';

    it('a commit that has waited for another one sees its message, and leaves its own to the relay', async () => {
      const { arrived, queue, to } = destination();
      const outbox = open(queue);
      const fifo = `${to}.fifo`;
      const own = (key: string) => [outbox.message({ to: fifo, key, body: {}, group })];
      await connected((first) =>
        connected(async (second) => {
          for (const client of [first, second]) await client.query('BEGIN');
          await outbox.insert(first, own('one'));
          const inserting = outbox.insert(second, own('two'));
          await untilWaiting(second);
          await first.query('COMMIT');
          const { sendNow } = await inserting;
          await second.query('COMMIT');
          await sendNow(10_000);
        }),
      );
      expect(arrived).toEqual([]);
      expect(await waiting(fifo)).toEqual([
        { n: 1, key: 'one' },
        { n: 2, key: 'two' },
      ]);
      await outboxSweep({ outbox, olderThanMs: 0, onReport: quiet })();
      expect(arrived).toEqual(['one', 'two']);
    });

    it('a transaction that is undone leaves no gap', async () => {
      const { queue, to } = destination();
      const outbox = open(queue, { atOnceMs: 0 });
      const fifo = `${to}.fifo`;
      for (const [key, end] of [
        ['one', 'COMMIT'],
        ['undone', 'ROLLBACK'],
        ['two', 'COMMIT'],
      ] as const) {
        await insertedInto(outbox, [outbox.message({ to: fifo, key, body: {}, group })], end);
      }
      expect(await waiting(fifo)).toEqual([
        { n: 1, key: 'one' },
        { n: 2, key: 'two' },
      ]);
    });

    it('commits of several groups, in opposite orders, never wait for each other in a circle', async () => {
      const { queue, to } = destination();
      const outbox = open(queue, { atOnceMs: 0 });
      const fifo = `${to}.fifo`;
      const groups = Array.from({ length: 20 }, (_, n) => `g${n}`);
      const own = (of: string) => outbox.message({ to: fifo, key: of, body: {}, group: of });
      const { rows: before } = await database.pool.query(
        'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
      );
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          insertedInto(outbox, (index % 2 === 0 ? groups : groups.toReversed()).map(own)),
        ),
      );
      expect(await waiting(fifo)).toHaveLength(8 * groups.length);
      await database.pool.query('SELECT pg_stat_force_next_flush()');
      const { rows: after } = await database.pool.query(
        'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
      );
      expect(after).toEqual(before);
    });

    /** Until a connection waits for a lock of another one. */
    async function untilWaiting(client: PoolClient): Promise<void> {
      const pid = Reflect.get(client, 'processID');
      for (;;) {
        const { rows } = await database.pool.query('SELECT cardinality(pg_blocking_pids($1)) > 0 AS waits', [pid]);
        if (rows[0]?.waits) return;
      }
    }
  });

  describe('with several relays', () => {
    it('sends each message by one of them, and holds no connection meanwhile', async () => {
      const gate = Promise.withResolvers<void>();
      const { arrived, queue, to } = destination(gate.promise);
      const outbox = open(queue);
      await insertedInto(
        outbox,
        Array.from({ length: 40 }, (_, key) => outbox.message({ to, key, body: {} })),
      );
      const own = new Pool({ connectionString: database.url, max: 4 });
      const relay = () =>
        outboxSweep({ outbox: open(queue, { pool: own }), olderThanMs: 0, concurrency: 20, onReport: quiet })();
      const running = [relay(), relay(), relay()];
      const looked = async () => {
        const { rows } = await database.pool.query(
          'SELECT count(*)::int AS held FROM pawl_outbox WHERE held_until > 0',
        );
        return rows[0]?.held;
      };
      while ((await looked()) < 40);
      const { rows: open_ } = await database.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
      );
      expect(open_).toEqual([]);
      gate.resolve();
      const reports = await Promise.all(running);
      await own.end();
      expect(reports.reduce((sum, { sent }) => sum + sent, 0)).toBe(40);
      expect(arrived.length).toBe(40);
      expect(new Set(arrived).size).toBe(40);
    });

    it('takes what another one holds once its time is over, and at once what an operator has retried', async () => {
      const { arrived, queue, to } = destination();
      const outbox = open(queue);
      await insertedInto(outbox, [outbox.message({ to, key: 'held', body: {} })]);
      const sweepAt = (ms: number) => {
        const later = open(queue, { host: { ...nodeHost, now: () => Date.now() + ms } });
        return outboxSweep({ outbox: later, olderThanMs: 0, onReport: quiet })();
      };
      // As a relay that dies behind it.
      const taken = await outbox.store.due(Date.now(), 10);
      expect(taken.messages).toHaveLength(1);
      expect(await sweepAt(0)).toMatchObject({ looked: 0 });
      const [id = ''] = taken.messages.map((one) => `${one.id}#1`);
      await outbox.store.park(
        { id: taken.messages[0]?.id ?? '', n: 1, uid: await uidOf(to) },
        { name: 'E', message: '' },
      );
      // It is parked, and each sweep counts it: nothing is sent, so nothing is held.
      for (let sweeps = 0; sweeps < 2; sweeps++) {
        expect(await sweepAt(0)).toMatchObject({ looked: 1, alreadyParked: 1 });
      }
      expect(await outboxOperator({ outbox }).retry(id)).toMatchObject({ outcome: 'retried' });
      await outbox.store.due(Date.now(), 10);
      expect(await sweepAt(0)).toMatchObject({ looked: 0 });
      expect(await sweepAt(31_000)).toMatchObject({ sent: 1 });
      expect(arrived).toEqual(['held']);
    });

    it('keeps back no more than it sends at once, where it dies', async () => {
      const { arrived, queue, to } = destination();
      const outbox = open(queue);
      const own = (n: number) => outbox.message({ to, key: n, body: {} });
      await insertedInto(
        outbox,
        Array.from({ length: 30 }, (_, n) => own(n)),
      );
      const dies: Outbox = {
        ...outbox,
        store: {
          ...outbox.store,
          async due(...asked) {
            await outbox.store.due(...asked);
            throw new Error('dead');
          },
        },
      };
      await expect(outboxSweep({ outbox: dies, concurrency: 4, olderThanMs: 0, onReport: quiet })()).rejects.toThrow(
        'dead',
      );
      expect(await outboxSweep({ outbox, olderThanMs: 0, onReport: quiet })()).toMatchObject({ looked: 26, sent: 26 });
      expect(arrived).toHaveLength(26);
    });

    it('takes a group once, by its first message: another one finds nothing of it to do', async () => {
      const { queue, to } = destination();
      const outbox = open(queue);
      const own = (n: number) => outbox.message({ to: `${to}.fifo`, key: n, body: {}, group: 'maria' });
      await insertedInto(outbox, [1, 2, 3].map(own));
      expect((await outbox.store.due(Date.now(), 10)).messages).toHaveLength(1);
      expect((await outbox.store.due(Date.now(), 10)).messages).toEqual([]);
    });

    async function uidOf(to: string): Promise<string> {
      const { rows } = await database.pool.query(`SELECT uid FROM pawl_outbox WHERE record->>'to' = $1`, [to]);
      return String(rows[0]?.uid);
    }
  });

  it('lists and sends more than a page holds, the lanes of a poisoned group behind the others', async () => {
    const { arrived, queue, to } = destination();
    const refusing: Destination = {
      ...queue,
      async send(message, signal) {
        if (message.key === 'g0/0')
          throw Object.assign(new Error('no'), { name: 'InvalidMessageContents', $metadata: { httpStatusCode: 400 } });
        await queue.send(message, signal);
      },
    };
    const outbox = open(refusing);
    const fifo = `${to}.fifo`;
    const all = Array.from({ length: 260 }, (_, index) => ({ group: `g${index % 2}`, n: Math.floor(index / 2) }));
    await insertedInto(
      outbox,
      all.map(({ group, n }) => outbox.message({ to: fifo, key: `${group}/${n}`, body: {}, group })),
    );
    const singles = Array.from({ length: 260 }, (_, n) => outbox.message({ to, key: `single/${n}`, body: {} }));
    await insertedInto(outbox, singles);
    const listed: string[] = [];
    for await (const { key } of outboxOperator({ outbox }).list({ to: fifo })) listed.push(key);
    expect(new Set(listed).size).toBe(260);
    const report = await outboxSweep({ outbox, olderThanMs: 0, onReport: quiet })();
    expect(report).toMatchObject({ sent: 130 + 260, parked: 1, reachedEnd: true });
    expect(arrived.filter((key) => key.startsWith('g1/'))).toEqual(Array.from({ length: 130 }, (_, n) => `g1/${n}`));
    expect(await waiting(fifo)).toHaveLength(130);
  });
});
