import type { PGlite } from '@electric-sql/pglite';
import type { PostgresPool } from '../../lib/pawl/postgres/index.ts';

/** PGlite has one connection, which whoever asks for it has alone until it is given back. */
export function poolOf(db: PGlite): PostgresPool {
  let last: Promise<void> = Promise.resolve();
  return {
    async connect() {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = promise;
      await before;
      return {
        query: (text, values) => db.query<object>(text, values),
        release: () => resolve(),
      };
    },
  };
}
