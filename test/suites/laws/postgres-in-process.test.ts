import { PGlite } from '@electric-sql/pglite';
import { afterAll, describe, inject } from 'vitest';
import { poolOf } from '../../support/pglite-pool.ts';
import { firstOf } from '../../support/whole.ts';
import { lawsOverPostgres } from './over-postgres.ts';

let db: PGlite | undefined;
async function open() {
  db = await PGlite.create();
  const pool = poolOf(db);
  return { pool, elsewhere: pool };
}
afterAll(() => db?.close());

// In `npm test` only where there is no server: its start alone is 6 seconds of a processor.
const here = firstOf(1, { first: inject('postgresUrl') === '' ? 1 : 0 });
describe.skipIf(here === 0)('in this process', () => {
  // One connection: no race, no deadlock. The laws beside this file run on a server.
  lawsOverPostgres('PGlite', open, 1);
});
