import { expect } from '../kernel/check.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { ClaimRecord } from '../rules/record.ts';
import { type ClaimStore, type ClaimWrite, unchanged } from '../rules/store.ts';

/**
 * The options of `rememberCompleted`.
 *
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 *
 * const store = rememberCompleted(dynamoStore({ tableName: process.env.CLAIMS_TABLE }), { keys: 10_000 });
 */
export interface RememberOptions {
  /**
   * How many completed claims are remembered, the last ones written or found. Each is its record, with its result if that is
   * recorded.
   * @default 1000
   */
  readonly keys?: number;
}

const known = { keys: true } as const satisfies NamesOf<RememberOptions>;

/**
 * A claim store that remembers, in this process, which claims are completed, so that a duplicate costs no request.
 * It can only ever say "done", which within its retention never goes back; whatever else there is to know is asked of the store.
 * If an operator deletes a record by hand so that it runs again, this process remembers it until it ends.
 *
 * @throws OptionError unless `keys` is a whole number, 1 or more
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 *
 * const store = rememberCompleted(dynamoStore({ tableName: process.env.CLAIMS_TABLE }));
 */
export function rememberCompleted<Store extends ClaimStore>(store: Store, options: RememberOptions = {}): Store {
  expectOptions(options, { door: 'rememberCompleted', known, docs: 'docs/guides/policies.md' });
  expect(typeof store?.write === 'function', 'rememberCompleted', 'a claim store', store, 'wrong-store');
  const { keys = 1000 } = options;
  expect(Number.isSafeInteger(keys) && keys > 0, 'rememberCompleted.keys', 'a whole number, 1 or more', keys);
  const completed = new Map<string, ClaimRecord>();

  function remember(found: ClaimRecord | undefined): void {
    if (found?.status !== 'completed') return;
    completed.delete(found.id);
    completed.set(found.id, found);
    for (const [oldest] of completed) {
      if (completed.size <= keys) break;
      completed.delete(oldest);
    }
  }

  return {
    // What else the store can do, to commit among it, it still can.
    ...boundMembersOf(store),
    async read(id: string, waitsMs?: number) {
      const known = completed.get(id);
      if (known !== undefined) return known;
      const found = await store.read(id, waitsMs);
      remember(found);
      return found;
    },
    async write(write: ClaimWrite) {
      const { next, seen } = write;
      const known = completed.get(next.id);
      if (known !== undefined && !unchanged(seen, known)) return { applied: false, found: known };
      // Whoever goes on from the record itself, after its retention, ends what is remembered of it.
      completed.delete(next.id);
      const result = await store.write(write);
      remember(result.applied ? next : result.found);
      return result;
    },
  };
}

/** Everything that a store has, also if its methods are those of a class: these are on its prototype, where a spread does not see them. */
function boundMembersOf<Store extends object>(store: Store): Store {
  const members: Partial<Record<PropertyKey, unknown>> = {};
  for (
    let level: object | null = store;
    level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level)
  ) {
    for (const name of Reflect.ownKeys(level)) {
      if (name === 'constructor' || Object.hasOwn(members, name)) continue;
      const member: unknown = Reflect.get(store, name);
      members[name] = typeof member === 'function' ? member.bind(store) : member;
    }
  }
  return members as Store;
}
