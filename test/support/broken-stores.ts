import { memoryStore } from '../../lib/pawl/index.ts';
import type { ClaimStore } from '../../lib/pawl/rules/store.ts';

const never = new Promise<never>(() => undefined);

function failing(name: string): ClaimStore {
  const fail = async () => {
    throw Object.assign(new Error(`${name}: refused`), { name });
  };
  return { read: fail, write: fail };
}

/** A store over a table that is not there, not allowed, overloaded, or does not answer; and one that is well. */
export const stores: Readonly<Record<string, () => ClaimStore>> = {
  healthy: () => memoryStore(),
  absent: () => failing('ResourceNotFoundException'),
  forbidden: () => failing('AccessDeniedException'),
  throttled: () => failing('ProvisionedThroughputExceededException'),
  full: () => failing('ItemCollectionSizeLimitExceededException'),
  hanging: () => ({ read: () => never, write: () => never }),
  throwing: () => ({
    read() {
      throw new TypeError('not a promise');
    },
    write() {
      throw new TypeError('not a promise');
    },
  }),
};

/** A store whose table is taken away after so many writes. */
export function takenAway(writes: number): ClaimStore {
  const well = memoryStore();
  const gone = failing('ResourceNotFoundException');
  let left = writes;
  return {
    read: (id) => (left > 0 ? well : gone).read(id),
    write: (write) => (left-- > 0 ? well : gone).write(write),
  };
}
