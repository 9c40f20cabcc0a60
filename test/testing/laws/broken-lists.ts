import type { ClaimRecord, ClaimStore } from '../../../lib/pawl/index.ts';
import { listingStore, rightListing } from './map-store.ts';

const { isListed, page } = rightListing;
const without = (status: string, more: (record: ClaimRecord) => boolean = () => true) =>
  listingStore({ isListed: (one) => isListed(one) && !(one.status === status && more(one)) });

/** Stores whose list of open claims looks right and is not. */
export const brokenLists: Readonly<Record<string, () => ClaimStore>> = {
  'lists nothing that is parked': () => without('parked'),
  'lists nothing that is in flight': () => without('in-flight'),
  'lists no step in doubt': () => without('released', ({ unknownAt }) => unknownAt === undefined),
  'lists whatever is in flight': () => listingStore({ isListed: (one) => isListed(one) || one.status === 'in-flight' }),
  'lists what waits for its statement': () => listingStore({ isListed: ({ open }) => open !== undefined }),
  'lists what was open once': () => {
    const once = new Set<string>();
    return listingStore({
      isListed({ id, open }) {
        if (open !== undefined) once.add(id);
        return once.has(id);
      },
    });
  },
  'shows the whole record': () => listingStore({ shown: (record) => record }),
  'takes an underscore for any character': () =>
    listingStore({
      fits: ({ id }, prefix) => [...prefix].every((one, index) => one === '_' || [...id][index] === one),
    }),
  'does not tell capital letters from small ones': () =>
    listingStore({ fits: ({ id }, prefix) => id.toLowerCase().startsWith(prefix.toLowerCase()) }),
  'ends its keys at 255 characters': () =>
    listingStore({ shown: (record) => ({ ...rightListing.shown(record), id: record.id.slice(0, 255) }) }),
  'counts from the start by numbers': () =>
    listingStore({
      behind: (records, cursor) => records.slice(Number(cursor)),
      page(records, { limit, cursor = 'behind 0' }) {
        const from = Number(cursor.slice('behind '.length));
        return {
          claims: records.slice(0, limit),
          cursor: records.length > limit ? `behind ${from + limit}` : undefined,
        };
      },
    }),
  'lists a page of ten, whatever was asked for': () =>
    listingStore({ page: (records, query) => page(records, { ...query, limit: 10 }) }),
  'leaves out the last claim of a page': () =>
    listingStore({
      page(records, query) {
        const found = page(records, query);
        return found.cursor === undefined ? found : { ...found, claims: found.claims.slice(0, -1) };
      },
    }),
  'takes any query': () =>
    listingStore({
      check: ({ operation, keyPrefix = '' }) => (operation === undefined ? '' : `${operation}#${keyPrefix}`),
    }),
  'has no list': () => ({ ...listingStore(), listOpen: undefined }) as never,
};
