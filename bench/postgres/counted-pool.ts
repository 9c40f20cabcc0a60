import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';

/** What was asked of PostgreSQL. */
export interface Asked {
  readonly statements: number;
  /** Requests that a connection has waited for. One without parameters may hold several statements. */
  readonly roundTrips: number;
}

/** A pool that counts. `asked` returns what there was since it was last called. @param farMs how long a request is on its way, in milliseconds */
export function countedPool(connectionString: string, farMs = 0): { readonly pool: Pool; asked(): Asked } {
  let statements = 0;
  let roundTrips = 0;

  const counting = (client: PoolClient): PoolClient =>
    new Proxy(client, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (name !== 'query' || typeof member !== 'function') return member;
        return (...args: readonly unknown[]) => {
          roundTrips++;
          statements += String(args[0])
            .split(';')
            .filter((text) => text.trim() !== '').length;
          const ask = () => Reflect.apply(member, target, args);
          return farMs === 0 ? ask() : sleep(farMs).then(ask);
        };
      },
    });

  const pool = new Proxy(new Pool({ connectionString, max: 10 }), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === 'connect') return async () => counting(await target.connect());
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return {
    pool,
    asked() {
      const counted = { statements, roundTrips };
      statements = 0;
      roundTrips = 0;
      return counted;
    },
  };
}
