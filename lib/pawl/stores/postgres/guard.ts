import { explainedError } from '../../kernel/errors.ts';
import { propertyOf } from '../../kernel/unknown.ts';
import type { PostgresClient } from './sql.ts';

/**
 * A connection as the author's statements have it, while their transaction lasts. What would end the transaction is refused: the claim would be completed
 * with a part of the statements, and the rest would be in none.
 */
export function guarded(connection: PostgresClient): { readonly client: PostgresClient; end(): void } {
  let isOver = false;

  /** What is wrong with a statement, if anything is. */
  function problemOf(text: unknown): Error | undefined {
    if (isOver) {
      const when = 'Await every statement in the function of the transaction, and use no transaction in a remote call';
      return refusal(`the transaction is over, and a statement came after it. ${when}`);
    }
    const ending = String(text)
      .replaceAll(noWords, ' ')
      .split(';')
      .map(endOf)
      .find((end) => end !== undefined);
    if (ending === undefined) return undefined;
    return refusal(`${ending} in a transaction of pawl, which begins and ends it. For a part of it, use SAVEPOINT`);
  }

  const client = new Proxy(connection, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name === 'release' || name === 'end') {
        return () => {
          throw refusal(`${name}() of a connection that pawl has taken from the pool, and gives back`);
        };
      }
      return (...args: readonly unknown[]) => {
        const [given] = args;
        const text = typeof given === 'string' ? given : propertyOf(given, 'text');
        const problem = name === 'query' ? problemOf(text) : undefined;
        return problem === undefined ? Reflect.apply(value, target, args) : Promise.reject(problem);
      };
    },
  });
  return {
    client,
    end() {
      isOver = true;
    },
  };
}

/** What has no words of a statement: comments, and what is in quotes of any kind. */
const noWords = /--.*|\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"|(\$(?:[a-z_]\w*)?\$)[\s\S]*?\1/gi;

const ends: readonly string[] = ['BEGIN', 'START', 'COMMIT', 'END', 'ABORT', 'ROLLBACK'];

/** The words by which a statement begins or ends a transaction; nothing where it does neither. A text may have several statements, as a file of them has. */
function endOf(statement: string): string | undefined {
  const [first = '', ...more] = statement.trim().toUpperCase().split(/\s+/, 4);
  if (first === 'PREPARE' && more[0] === 'TRANSACTION') return 'PREPARE TRANSACTION';
  return ends.includes(first) && !(first === 'ROLLBACK' && more.includes('TO')) ? first : undefined;
}

function refusal(said: string): Error {
  return explainedError(Error, said, 'transaction-over');
}
