import type { Aws } from '../../../lib/pawl/aws/aws.ts';
import { sdk } from '../../../lib/pawl/aws/sdk.ts';
import { postgresOutbox } from '../../../lib/pawl/outbox/index.ts';
import { commit, commitStep, eachTransaction } from '../../../lib/pawl/postgres/index.ts';
import { deleteExpired } from '../../../lib/pawl/stores/postgres/retention.ts';
import type { PostgresClient, PostgresPool } from '../../../lib/pawl/stores/postgres/sql.ts';
import { postgresStore } from '../../../lib/pawl/stores/postgres/store.ts';
import type { Item } from '../dynamodb/table.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { countStatement } from '../postgres/statement.ts';
import type { Commits, OpenCommits, Plan } from './commits.ts';

// No batch response goes to a queue here, and nothing to DynamoDB.
const aws: Aws = { ...sdk({}), sqs: { call: async () => ({}) } };

/** An outbox in PostgreSQL, with the claims and the data. @param idleMs after which a counter ends, in place of a day and its grace of an hour */
export function inPostgres(poolOf: (sandbox: Sandbox) => PostgresPool, idleMs: number): OpenCommits {
  return (sandbox, options): Commits => {
    const pool = poolOf(sandbox);
    const { host } = sandbox;
    const outbox = postgresOutbox({ pool, aws, ...options });
    const store = { ...postgresStore({ pool, host }), aws };
    const statements = async (tx: PostgresClient, { key, messages }: Plan) => {
      await tx.query(countStatement, [`app#${key}`]);
      return messages.map(outbox.message);
    };
    return {
      outbox,
      store,
      handler: (of, plan) => eachTransaction({ ...of, store }, (_, tx: PostgresClient) => statements(tx, plan)),
      commit: (claim, plan) => commit(claim, (tx) => statements(tx, plan)),
      commitStep: (claim, plan) => commitStep(claim, 'post', (tx) => statements(tx, plan)),
      async commitBeside({ messages }, remainingMs) {
        const connection = await pool.connect();
        await connection.query('BEGIN');
        const { sendNow } = await outbox.insert(connection, messages.map(outbox.message));
        await connection.query('COMMIT');
        connection.release();
        await sendNow(remainingMs);
      },
      async endCounters() {
        const later = { ...host, now: () => host.now() + 25 * 3_600_000 - idleMs };
        return deleteExpired({ pool, table: 'pawl_outbox', host: later });
      },
    };
  };
}

/** Clocks of relays differ by so much, in milliseconds. */
const skewMs = 1000;

/** What is wrong with a relay's taking of a row: another one has the lane. */
export function problemOfHold(
  items: ReadonlyMap<string, Item>,
  before: Item | undefined,
  after: Item,
  now: number,
): string | undefined {
  const held = after['held_until']?.N;
  if (held === undefined || held === before?.['held_until']?.N) return undefined;
  const isHeld = (row: Item | undefined) => Number(row?.['held_until']?.N ?? 0) > now + skewMs;
  const others = [...items.values()].filter(({ id, n }) => id?.S === after['id']?.S && n?.N !== after['n']?.N);
  return isHeld(before) || others.some(isHeld) ? `two relays have ${after['id']?.S}` : undefined;
}
