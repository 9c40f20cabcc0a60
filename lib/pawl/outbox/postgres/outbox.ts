import { forgetNoted, noted } from '../../engine/made-inside.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { setupErrorOf } from '../../stores/postgres/errors.ts';
import { textOf } from '../../stores/postgres/row.ts';
import type { PostgresPool } from '../../stores/postgres/sql.ts';
import { openTable, quoted } from '../../stores/postgres/table.ts';
import {
  type DeferredRow,
  type FollowsCommit,
  madeBy,
  type Queryable,
  type RowMaker,
} from '../../transactions/deferred-write.ts';
import { followBy } from '../follow.ts';
import { sendableBy } from '../large-body.ts';
import { type Draft, draftOf, type OutboxMessage } from '../message.ts';
import type { Outbox } from '../outbox.ts';
import type { OutboxRecord } from '../record.ts';
import { type OutboxOptions, outboxOptionNames, outboxSettings } from '../settings.ts';
import { statementsOf } from './statements.ts';
import { contentOf, type OutboxTable, outboxStore } from './store.ts';

/**
 * The options of `postgresOutbox`.
 *
 * @example
 * import { lean } from 'pawl/dynamodb/lean';
 * import { Pool } from 'pg';
 *
 * const options: PostgresOutboxOptions = { pool: new Pool({ max: 2 }), aws: lean(), table: 'app.outbox' };
 */
export interface PostgresOutboxOptions extends OutboxOptions {
  /** A pool of connections to the primary of the database that has the data: `new Pool()` of `pg`. */
  readonly pool: PostgresPool;
  /**
   * The table that the migration has made: its name, with or without a schema.
   * @default 'pawl_outbox'
   */
  readonly table?: string;
}

const known = { ...outboxOptionNames, pool: true, table: true } as const satisfies NamesOf<PostgresOutboxOptions>;

/** An outbox in a table of PostgreSQL. */
export interface PostgresOutbox extends Outbox {
  /**
   * A message. Return it, or a list of them, from the function of `commit`, `commitStep` and `eachTransaction`, and from `prepare` and `record` of `inPhases`,
   * all of `pawl/postgres`: it exists if and only if the statements are committed. The function needs no `this`.
   *
   * @throws OptionError when an option of it is wrong; InvalidMessageError when its key is missing, or its body is no JSON or too large
   */
  readonly message: (message: OutboxMessage) => DeferredRow;
  /**
   * Writes messages in a transaction of your own, on its connection, as its last statements: from then on, other commits of the same message group wait for
   * its end. If you do not call `sendNow` after the transaction, the relay sends the messages.
   *
   * @throws SetupError where an operator has to act; what the driver throws
   */
  readonly insert: (connection: Queryable, messages: readonly DeferredRow[]) => Promise<InsertedMessages>;
}

/** Messages in a transaction of the author's own. */
export interface InsertedMessages {
  /**
   * Sends them, once the transaction is committed, for at most this time and at most `atOnceMs`. Never throws.
   *
   * @param remainingMs until the caller has to end
   */
  readonly sendNow: (remainingMs: number) => Promise<void>;
}

/**
 * An outbox in a table of PostgreSQL: messages that are committed with the data, and sent at once by the worker that has committed them. What it does not
 * send, a schedule does (`outboxRelay`).
 *
 * The role needs `SELECT`, `INSERT`, `UPDATE` and `DELETE` on the table, and the function whatever its destinations need.
 *
 * @throws OptionError at once when an option is wrong
 * @example
 * import { lean } from 'pawl/dynamodb/lean';
 * import { eachTransaction, postgresStore } from 'pawl/postgres';
 * import { bodyField } from 'pawl/sqs';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 2 });
 * const { message } = postgresOutbox({ pool, aws: lean() });
 * export const handler = eachTransaction(
 *   { operation: 'post-order', store: postgresStore({ pool }), aws: lean(), schema: Order, key: bodyField('id') },
 *   async ({ body }, tx) => {
 *     await tx.query('INSERT INTO ledger (id, cents) VALUES ($1, $2)', [body.id, body.amountCents]);
 *     return message({ to: process.env.RECEIPTS_QUEUE_URL, key: `receipt/${body.id}`, body: { order: body.id } });
 *   },
 * );
 */
export function postgresOutbox(options: PostgresOutboxOptions): PostgresOutbox {
  expectOptions(options, { door: 'postgresOutbox', known, docs: 'docs/guides/outbox-postgres.md' });
  const { pool, table = 'pawl_outbox' } = options;
  const settings = outboxSettings(options);
  const { host, largeBodies } = settings;
  const { ask } = openTable({ pool, table, host }, needs);
  const opened: OpenTable = { name: table, ask, statements: statementsOf(quoted(table)) };
  const outbox: Outbox = { store: outboxStore(opened, host), ...settings };
  const maker = makerOf(outbox, opened, { atOnceMs: settings.atOnceMs, sendable: sendableBy(settings) });
  return {
    ...outbox,
    message: (message) => noted({ [madeBy]: maker, draft: draftOf(outbox, message, largeBodies) } satisfies OutboxRow),
    async insert(connection, messages) {
      const { follow } = await maker.insert(connection, messages);
      forgetNoted(messages);
      return { sendNow: (remainingMs) => follow(host.now() + remainingMs, true) };
    },
  };
}

const needs = 'SELECT, INSERT, UPDATE and DELETE';

/** How long a counter is kept, in seconds. It ends by the retention, or a table would hold one for each customer for ever. */
const counterSeconds = 24 * 3600;

interface OpenTable extends OutboxTable {
  readonly name: string;
}

/** What `message` returns. */
interface OutboxRow extends DeferredRow {
  readonly draft: Draft;
}

interface Making {
  readonly atOnceMs: number;
  readonly sendable: ReturnType<typeof sendableBy>;
}

function makerOf(outbox: Outbox, { name, statements }: OpenTable, { atOnceMs, sendable }: Making): RowMaker {
  const { host } = outbox;

  async function insert(connection: Queryable, drafts: readonly Draft[]): Promise<FollowsCommit> {
    // Before the counters are locked: it may take a while.
    const contents = await Promise.all(drafts.map(sendable));
    const ordered = Map.groupBy(
      drafts.filter(({ isOrdered }) => isOrdered),
      ({ record }) => record.id,
    );
    const last = new Map<string, number>();
    const committedAt = host.now();
    const expiresAt = Math.ceil(committedAt / 1000) + counterSeconds;
    // In one order everywhere, so that two commits never wait for each other in a circle.
    for (const lane of [...ordered.keys()].sort()) {
      const more = ordered.get(lane)?.length ?? 0;
      const { rows } = await connection.query(statements.count, [textOf(lane), more, expiresAt]);
      last.set(lane, Number(Reflect.get(rows[0] ?? {}, 'counted')) - more);
    }
    const records = contents.map((content): OutboxRecord => {
      const n = (last.get(content.id) ?? 0) + 1;
      last.set(content.id, n);
      return { ...content, n, committedAt };
    });
    const columns = [
      records.map(({ id }) => textOf(id)),
      records.map(({ n }) => n),
      records.map(({ uid }) => uid),
      records.map((record) => JSON.stringify(contentOf(record))),
    ];
    const lanes = [...ordered.keys()];
    const { rows } = await connection.query(statements.write, [...columns, committedAt, lanes.map(textOf)]);
    const found = new Set(rows.map((row) => Reflect.get(row, 'id')));
    const waiting = new Set(lanes.filter((lane) => found.has(textOf(lane))));
    return { follow: followBy(outbox, { records, waiting, atOnceMs }) };
  }

  return {
    kind: 'postgres',
    async insert(connection, rows) {
      try {
        // They are of this very outbox: its own function has made them.
        return await insert(
          connection,
          (rows as readonly OutboxRow[]).map(({ draft }) => draft),
        );
      } catch (error) {
        throw setupErrorOf(error, name, needs);
      }
    },
  };
}
