import type { Item } from './item.ts';

/**
 * How far `backfillOpenClaims` came: an item beside the claims. No claim can have its id: an operation has a name before the `#`.
 */
export const backfillId = '#open-claims';

/** Whether a backfill has ended once. */
export function hasEnded(item: Item | undefined): boolean {
  return item?.['endedAt'] !== undefined;
}
