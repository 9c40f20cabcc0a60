import { propertyOf } from '../../lib/pawl/kernel/unknown.ts';
import type { ClaimStore, ClaimWrite } from '../../lib/pawl/rules/store.ts';
import type { AppWrite, CommitResult, TransactionalStore } from '../../lib/pawl/transactions/index.ts';

const idOf = (fields: object | undefined) => String(propertyOf(fields, 'id'));

/** Application items by id, beside claims in memory. It knows two kinds of writes: a `Put` of what is new, and an `Update` that adds to `amount`, never below 0. */
export function memoryTransactions(claims: ClaimStore) {
  const items = new Map<string, Record<string, unknown>>();

  function refusalOf({ Put, Update }: AppWrite): string | undefined {
    if (Put) return items.has(idOf(Put.Item)) ? 'it is there' : undefined;
    return amountAfter(Update) < 0 ? 'too little' : undefined;
  }

  function amountAfter(update: AppWrite['Update']): number {
    const before = Number(items.get(idOf(update?.Key))?.['amount'] ?? 0);
    return before + Number(propertyOf(update?.ExpressionAttributeValues, ':n'));
  }

  async function commit(write: ClaimWrite, writes: readonly AppWrite[]): Promise<CommitResult> {
    const refused = writes.flatMap((one, index) => {
      const message = refusalOf(one);
      return message ? [{ index, code: 'ConditionalCheckFailed', message }] : [];
    });
    const found = await claims.read(write.next.id);
    const isCurrent = JSON.stringify(found) === JSON.stringify(write.seen && { ...write.seen });
    if (refused.length > 0 && isCurrent) return { applied: false, refused };
    const written = await claims.write(write);
    if (!written.applied) return written;
    for (const { Put, Update } of writes) {
      if (Put) items.set(idOf(Put.Item), { ...Put.Item });
      else items.set(idOf(Update?.Key), { amount: amountAfter(Update) });
    }
    return written;
  }

  return {
    items,
    store: {
      read: (id: string) => claims.read(id),
      write: (one: ClaimWrite) => claims.write(one),
      commit,
    } satisfies TransactionalStore,
  };
}
