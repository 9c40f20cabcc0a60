import type { ClaimStore, ClaimWrite } from '../../lib/pawl/rules/store.ts';
import type { AppWrite, CommitResult, TransactionalStore } from '../../lib/pawl/transactions/index.ts';

/** Application items by id, beside claims in memory. It knows two kinds of writes: a `Put` of what is new, and an `Update` that adds to `amount`, never below 0. */
export function memoryTransactions(claims: ClaimStore) {
  const items = new Map<string, Record<string, unknown>>();

  function refusalOf({ Put, Update }: AppWrite): string | undefined {
    if (Put) return items.has(String(Put.Item?.['id'])) ? 'it is there' : undefined;
    return amountAfter(Update) < 0 ? 'too little' : undefined;
  }

  function amountAfter(update: AppWrite['Update']): number {
    const before = Number(items.get(String(update?.Key?.['id']))?.['amount'] ?? 0);
    return before + Number(update?.ExpressionAttributeValues?.[':n']);
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
      if (Put) items.set(String(Put.Item?.['id']), { ...Put.Item });
      else items.set(String(Update?.Key?.['id']), { amount: amountAfter(Update) });
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
