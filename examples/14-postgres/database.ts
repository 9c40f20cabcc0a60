import { PGlite } from '@electric-sql/pglite';
import { type PostgresPool, postgresMigration } from 'pawl/postgres';

/** PostgreSQL in this process. In your function, `new Pool()` of pg takes the place of `pool`. */
export const db = await PGlite.create();
await db.exec(postgresMigration().sql);
await db.exec('CREATE TABLE ledger (entry text PRIMARY KEY, payment text NOT NULL, cents int NOT NULL)');

/** It has one connection, which one worker uses after the other. */
let free: Promise<void> = Promise.resolve();
export const pool: PostgresPool = {
  async connect() {
    const before = free;
    const { promise, resolve } = Promise.withResolvers<void>();
    free = promise;
    await before;
    return {
      // Without values, a text may hold several statements.
      query: async (text, values) =>
        (values ? db.query<object>(text, values) : ((await db.exec(text)).at(-1) ?? { rows: [] })) as never,
      release: () => resolve(),
    };
  },
};
