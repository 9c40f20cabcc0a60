import type { PostgresPool } from '../../lib/pawl/postgres/index.ts';

/** A pool whose connection dies after every write that was applied, once: the server has it, and its caller does not know. */
export function losingResponses(pool: PostgresPool): { readonly pool: PostgresPool; readonly lost: () => number } {
  let lost = 0;
  const sent = new Set<string>();
  return {
    lost: () => lost,
    pool: {
      async connect() {
        const client = await pool.connect();
        return {
          async query(text, values) {
            const result = await client.query(text, values);
            const [first = {}] = result.rows;
            const wasApplied =
              /INSERT|UPDATE/.test(text) && result.rows.length > 0 && Reflect.get(first, 'applied') !== false;
            const request = JSON.stringify(values);
            if (!wasApplied || sent.has(request)) return result;
            sent.add(request);
            lost++;
            throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
          },
          release: (destroy) => client.release(destroy),
        };
      },
    },
  };
}
