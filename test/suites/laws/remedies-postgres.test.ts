import { Pool } from 'pg';
import { afterAll, describe, inject } from 'vitest';
import { postgresMigration, postgresStore } from '../../../lib/pawl/postgres/index.ts';
import { remedyLaws } from './remedies.ts';

const connectionString = inject('postgresUrl');
const pool = new Pool({ connectionString, max: 10 });
afterAll(() => pool.end());
let tables = 0;

describe.skipIf(connectionString === '')('on a server', () => {
  remedyLaws('postgresStore', async () => {
    const table = `remedies_${process.pid}_${++tables}`;
    for (const statement of postgresMigration({ table }).sql.split(/;$/m)) await pool.query(statement);
    return postgresStore({ pool, table });
  });
});
