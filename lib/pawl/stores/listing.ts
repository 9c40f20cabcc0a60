import type { KeepsNotes } from '../rules/notes.ts';
import type { ListsOpenClaims } from '../rules/open-claims.ts';
import type { ClaimStore } from '../rules/store.ts';
import { listingIn } from './dynamodb/listing.ts';
import { sharedRequests } from './dynamodb/shared-requests.ts';
import { isPuttingWhole } from './dynamodb/single-requests.ts';
import { type InTable, isInTable } from './dynamodb/table.ts';

/**
 * A store, with what operators and jobs ask of it besides: its open claims, and its notes. A store in DynamoDB has neither by itself: each consumer
 * would carry the code. Nor are they permitted to make a claim: what `individualDynamoStore` puts whole, they change by a statement. `failOpen` lets the list through, and no notes: it would take one for written that is not.
 */
export function withListing<Store extends ClaimStore & InTable>(store: Store): Store & ListsOpenClaims & KeepsNotes;
export function withListing<Store extends ClaimStore>(store: Store): Store & Partial<ListsOpenClaims & KeepsNotes>;
export function withListing(store: ClaimStore): ClaimStore & Partial<ListsOpenClaims & KeepsNotes> {
  if (isInTable(store)) {
    const changing = isPuttingWhole(store) ? sharedRequests(store.table) : {};
    return { ...listingIn(store.table, store), ...store, ...changing };
  }
  const { listOpen } = store.listed === undefined ? {} : withListing(store.listed);
  return listOpen === undefined ? store : { ...store, listOpen };
}
