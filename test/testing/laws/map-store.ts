import type {
  ClaimRecord,
  ClaimStore,
  ClaimWrite,
  ListsOpenClaims,
  OpenPage,
  OpenQuery,
} from '../../../lib/pawl/index.ts';
import { openShard } from '../../../lib/pawl/rules/open.ts';
import { checkedPrefix, openClaimOf } from '../../../lib/pawl/rules/open-claims.ts';

/** The conditions of a write, each by itself: what stands there is the record that was seen. */
export const conditions = {
  'there is a record exactly if one was seen': ({ seen }, found) => (seen === undefined) === (found === undefined),
  'its claim id is the one that was seen': ({ seen }, found) => !found || !seen || found.claimId === seen.claimId,
  'its revision is the one that was seen': ({ seen }, found) => !found || !seen || found.rev === seen.rev,
} satisfies Record<string, Condition>;

export type Condition = (write: ClaimWrite, found: ClaimRecord | undefined) => boolean;

/** A store over a `Map`, with these conditions. */
export function mapStore(held: readonly Condition[]): ClaimStore {
  const records = new Map<string, ClaimRecord>();
  return {
    read: async (id) => records.get(id),
    async write(write) {
      const found = records.get(write.next.id);
      if (!held.every((condition) => condition(write, found))) return { applied: false, found };
      records.set(write.next.id, write.next);
      return { applied: true };
    },
  };
}

export const rightStore = (): ClaimStore => mapStore(Object.values(conditions));

/** How a store over a `Map` lists what is open. Each part can be another. */
export interface Listing {
  readonly isListed: (record: ClaimRecord) => boolean;
  readonly fits: (record: ClaimRecord, prefix: string) => boolean;
  readonly shown: typeof openClaimOf;
  /** The records behind the cursor, in the order of the list. */
  readonly behind: (records: readonly ClaimRecord[], cursor: string) => readonly ClaimRecord[];
  readonly page: (records: readonly ClaimRecord[], query: OpenQuery) => Pick<OpenPage, 'claims' | 'cursor'>;
  readonly check: (query: OpenQuery) => string;
}

const byId = (one: ClaimRecord, other: ClaimRecord) => (one.id < other.id ? -1 : 1);

export const rightListing: Listing = {
  isListed: ({ id, open }) => open === openShard(id),
  fits: ({ id }, prefix) => id.startsWith(prefix),
  shown: openClaimOf,
  behind: (records, cursor) => records.filter(({ id }) => id > cursor),
  page(records, { limit }) {
    const claims = records.slice(0, limit);
    return { claims, cursor: records.length > limit ? `behind ${claims.at(-1)?.id}` : undefined };
  },
  check: checkedPrefix,
};

/** A store over a `Map` that lists what is open. */
export function listingStore(changes: Partial<Listing> = {}): ClaimStore & ListsOpenClaims {
  const { isListed, fits, shown, behind, page, check } = { ...rightListing, ...changes };
  const store = rightStore();
  const records = new Map<string, ClaimRecord>();
  return {
    read: (id) => store.read(id),
    async write(write) {
      const result = await store.write(write);
      if (result.applied) records.set(write.next.id, write.next);
      return result;
    },
    async listOpen(query) {
      const prefix = check(query);
      const { cursor } = query;
      if (cursor !== undefined && !cursor.startsWith('behind ')) throw new Error('no cursor of this store');
      const all = [...records.values()].filter((one) => isListed(one) && fits(one, prefix)).sort(byId);
      const left = cursor === undefined ? all : behind(all, cursor.slice('behind '.length));
      const found = page(left, query);
      return { ...found, claims: found.claims.map((claim) => shown(claim as ClaimRecord)) };
    },
  };
}
