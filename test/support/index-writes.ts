import type { Host } from '../../lib/pawl/kernel/host.ts';
import { openClaimOf } from '../../lib/pawl/rules/open-claims.ts';
import type { ClaimRecord } from '../../lib/pawl/rules/record.ts';
import type { ClaimStore } from '../../lib/pawl/rules/store.ts';
import { openIndex } from '../../lib/pawl/stores/dynamodb/open-index.ts';

/** How many writes DynamoDB makes in each shard of the index of open claims, by the second: `shard second`. */
export interface IndexWrites {
  readonly store: ClaimStore;
  /** Writes of the index, by shard and second. */
  readonly perSecond: ReadonlyMap<string, number>;
  readonly total: () => number;
  /** Writes of the table itself. */
  readonly writes: () => number;
}

/**
 * Counts as DynamoDB does: an item that comes into an index or leaves it is one write; one whose key changes is two; one of which anything else
 * in the index changes is one.
 */
export function countIndexWrites(inner: ClaimStore, host: Pick<Host, 'now'>): IndexWrites {
  const perSecond = new Map<string, number>();
  let writes = 0;

  function count({ open }: ClaimRecord): void {
    const place = `${open} ${Math.floor(host.now() / 1000)}`;
    perSecond.set(place, (perSecond.get(place) ?? 0) + 1);
  }

  return {
    perSecond,
    writes: () => writes,
    total: () => [...perSecond.values()].reduce((sum, one) => sum + one, 0),
    store: {
      read: (id) => inner.read(id),
      async write(write) {
        const { next, seen } = write;
        const result = await inner.write(write);
        writes++;
        if (!result.applied) return result;
        const isIn = next.open !== undefined;
        const wasIn = seen?.open !== undefined;
        const isMoved = wasIn && isIn && keyOf(seen) !== keyOf(next);
        if (wasIn && (!isIn || isMoved)) count(seen);
        if (isIn && (!wasIn || isMoved || shown(seen) !== shown(next))) count(next);
        return result;
      },
    },
  };
}

const keyOf = (record: ClaimRecord) => `${record[openIndex.partitionKey]} ${record[openIndex.sortKey]}`;
const shown = (record: ClaimRecord) => JSON.stringify(openClaimOf(record));
