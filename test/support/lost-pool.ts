import type { Pool } from 'pg';

/** What becomes of a COMMIT on the way to the server, or of its answer. */
export type CommitLoss =
  /** The server has committed, and the connection dies. */
  | 'answer-lost'
  /** The connection dies before the server has the commit. */
  | 'never-sent'
  /** The client gives up, and the server gets the commit so much later, in milliseconds. */
  | { readonly lateMs: number };

/**
 * A pool of which these commits are lost, one after the other; the others are not.
 *
 * @returns how many were lost
 */
export function losingCommits<P extends Pool>(
  pool: P,
  losses: CommitLoss[],
): { readonly pool: P; readonly lost: () => number } {
  let lost = 0;
  const connectionLost = () => Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
  const lossy = new Proxy(pool, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      // One listener of the pool is enough for all of these.
      if (name === 'on') return undefined;
      if (name !== 'connect') return typeof value === 'function' ? value.bind(target) : value;
      return async () => {
        const client = await target.connect();
        let late: Promise<unknown> | undefined;
        return new Proxy(client, {
          get(connection, property) {
            const member: unknown = Reflect.get(connection, property);
            if (property === 'release') {
              // A connection on which a commit is still under way is not closed before it has come.
              return (destroy?: boolean) => void (late ?? Promise.resolve()).then(() => connection.release(destroy));
            }
            if (property !== 'query' || typeof member !== 'function') return member;
            return async (...args: readonly unknown[]) => {
              const loss = args[0] === 'COMMIT' ? losses.shift() : undefined;
              if (loss === undefined) return Reflect.apply(member, connection, args);
              lost++;
              if (loss === 'answer-lost') await Reflect.apply(member, connection, args);
              if (typeof loss === 'object') {
                late = new Promise((resolve) => setTimeout(resolve, loss.lateMs)).then(() =>
                  Reflect.apply(member, connection, args),
                );
              }
              throw connectionLost();
            };
          },
        });
      };
    },
  });
  return { pool: lossy, lost: () => lost };
}
