import { expect, expectFunction } from '../kernel/check.ts';
import { errorKind } from '../kernel/error-kind.ts';
import { callListener } from '../kernel/listener.ts';
import { isLeftAlone } from '../rules/record.ts';
import type { ClaimStore } from '../rules/store.ts';

/**
 * A claim store that lets everything run while it cannot be reached, as if pawl were not there. For effects that do no
 * harm twice: without it, nothing runs while the store is down, and the messages stay on their queue.
 *
 * @param onFailure is called with the error of every request that failed and that this store let pass
 * @throws OptionError for a `transactionalStore`
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 *
 * const claims = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 * const store = failOpen(claims, (error) => console.error('claims store down, running unclaimed', error));
 */
export function failOpen(
  store: ClaimStore & { readonly commit?: never },
  onFailure: (error: unknown) => void,
): ClaimStore {
  expect(typeof store?.write === 'function', 'failOpen', 'a claim store and a listener', store, 'wrong-store');
  // Its effect is in the very request that fails: there would be nothing left to let through.
  expect(
    !('commit' in store),
    'failOpen',
    'a store that only keeps claims',
    'a transactionalStore, which commits effects with them',
    'wrong-store',
  );
  expectFunction(
    'failOpen',
    'a function that is called with each error, as the second argument',
    onFailure,
    'wrong-handler',
  );

  /** A table without a name is no outage, nor is a record that is left alone. It never ends, and without claims for as long every duplicate would run. */
  function expectOutage(error: unknown): void {
    if (errorKind(error) === 'option' || isLeftAlone(error)) throw error;
  }

  return {
    setupError: store.setupError,
    aws: store.aws,
    // Its list fails as it does: an empty one would say that nothing is open.
    listed: store,
    async read(id, waitsMs) {
      try {
        return await store.read(id, waitsMs);
      } catch (error) {
        expectOutage(error);
        // A listener that fails must not close what is to stay open.
        callListener(onFailure, error);
        return undefined;
      }
    },
    async write(write) {
      try {
        return await store.write(write);
      } catch (error) {
        expectOutage(error);
        callListener(onFailure, error);
        return { applied: true };
      }
    },
  };
}
