import { PGlite } from '@electric-sql/pglite';
import { afterAll } from 'vitest';
import { poolOf } from '../../support/pglite-pool.ts';
import { lawsOverPostgres } from './over-postgres.ts';

let db: PGlite;
async function open() {
  db = await PGlite.create();
  const pool = poolOf(db);
  return { pool, elsewhere: pool };
}
afterAll(() => db.close());

// One connection: no race, no deadlock. The laws beside this file run on a server.
lawsOverPostgres('PGlite', open, 1);
