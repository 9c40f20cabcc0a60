import { randomUUID } from 'node:crypto';
import type { ClaimStore } from '../../lib/pawl/rules/store.ts';
import { record } from './records.ts';

/** A store of which every read and every write shares its request with another one: what goes in batches alone is a batch here. */
export function inCompany(store: ClaimStore): ClaimStore {
  const stranger = () => `stranger#${randomUUID()}`;
  return {
    listed: store,
    async read(id) {
      const [found] = await Promise.all([store.read(id), store.read(stranger())]);
      return found;
    },
    async write(write) {
      const [result] = await Promise.all([
        store.write(write),
        store.write({ next: record({ id: stranger() }), seen: undefined }),
      ]);
      return result;
    },
  };
}
