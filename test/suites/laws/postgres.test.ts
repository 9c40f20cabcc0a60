import { Pool } from 'pg';
import { afterAll, describe, inject } from 'vitest';
import { outboxLaws, outboxTableOf } from './outbox-postgres.ts';
import { lawsOverPostgres } from './over-postgres.ts';

const connectionString = inject('postgresUrl');
const pools = [new Pool({ connectionString, max: 10 }), new Pool({ connectionString, max: 10 })] as const;
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

describe.skipIf(connectionString === '')('on a server', () => {
  lawsOverPostgres('PostgreSQL', async () => ({ pool: pools[0], elsewhere: pools[1] }), 2);
  outboxLaws('PostgreSQL', async () => outboxTableOf({ pool: pools[0], elsewhere: pools[1] }), 2);
});
