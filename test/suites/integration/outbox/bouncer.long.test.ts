import { Pool, type PoolClient } from 'pg';
import { expect, inject, it } from 'vitest';
import { type Destination, outboxRelay, postgresOutbox } from '../../../../lib/pawl/outbox/index.ts';
import { eachTransaction, postgresStore } from '../../../../lib/pawl/postgres/index.ts';
import { bodyField } from '../../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { hasPgBouncer, startPgBouncer } from '../../../support/pgbouncer.ts';
import { applicationTables } from '../../../support/postgres-adapters.ts';
import { createDatabase } from '../../../support/postgres-database.ts';

const server = inject('postgresUrl');

it.skipIf(server === '' || !hasPgBouncer())(
  'an outbox works through PgBouncer in transaction mode: workers and relays that meet send each group in its order, and leave nothing',
  async () => {
    await using database = await createDatabase(server);
    await database.pool.query(applicationTables);
    await using bouncer = await startPgBouncer(database.url);
    const pool = new Pool({ connectionString: bouncer.url, max: 20 });
    const aws = sdk({});
    const arrived: string[] = [];
    const queue: Destination = {
      name: 'queue()',
      address: 'any',
      takes: () => true,
      problem: () => undefined,
      mostBytes: 1e6,
      takesPointers: true,
      bytesBeside: () => 0,
      send: async ({ body }) => void arrived.push(body),
    };
    const open = (atOnceMs: number) =>
      postgresOutbox({ pool, aws, destinations: [queue], atOnceMs, onEvent: () => undefined });
    const groups = [0, 1, 2, 3];
    const workers = [open(3000), open(0)].map(({ message }) =>
      eachTransaction<{ id: string; group: number }, PoolClient>(
        { operation: 'enter', store: postgresStore({ pool }), key: bodyField('id'), aws, onEvent: () => undefined },
        async ({ body: { id, group } }, tx) => {
          await tx.query('INSERT INTO entries (payment, cents) VALUES ($1, 1)', [id]);
          return message({ to: 'https://queue.fifo', key: id, body: id, group: `g${group}` });
        },
      ),
    );
    const relay = () => outboxRelay({ outbox: open(0), olderThanMs: 0, onReport: () => undefined })();
    await database.pool.query(`
      CREATE TABLE committed (id text, n bigint, body text);
      CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO committed VALUES (NEW.id, NEW.n, NEW.record->>'body'); RETURN NULL;
      END $$;
      CREATE TRIGGER keep AFTER INSERT ON pawl_outbox FOR EACH ROW WHEN (NEW.n > 0) EXECUTE FUNCTION keep()`);
    for (let round = 0; round < 5; round++) {
      const batches = workers.map((handler, worker) => {
        const records = groups.map((group) => sqsRecord({ id: `${round}/${worker}/${group}`, group }));
        return handler(sqsEvent(...records), context());
      });
      const [responses] = await Promise.all([Promise.all(batches), relay(), relay()]);
      expect(responses.flatMap(failuresOf)).toEqual([]);
    }
    // Later: what a relay has taken it holds for a while.
    await database.pool.query('UPDATE pawl_outbox SET held_until = 0');
    await relay();
    const { rows } = await database.pool.query('SELECT id, body FROM committed ORDER BY id, n');
    await pool.end();
    expect(rows).toHaveLength(5 * workers.length * groups.length);
    const first = [...new Set(arrived)];
    for (const lane of Map.groupBy(rows, ({ id }) => id).values()) {
      const committed = lane.map(({ body }) => body);
      expect(first.filter((body) => committed.includes(body))).toEqual(committed);
    }
    const { rows: left } = await database.pool.query('SELECT FROM pawl_outbox WHERE n > 0');
    expect(left).toEqual([]);
  },
);
