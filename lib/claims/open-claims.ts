import type { ClaimRecord } from './record.ts';

/**
 * What an operator sees of an open claim without reading its record: what the index of open claims holds.
 *
 * A claim is open while an operator may have to look at it: it is parked; or it is in doubt; or it is `watched` and in flight, because no
 * message would bring it back.
 */
export type OpenClaim = Pick<
  ClaimRecord,
  | 'id'
  | 'status'
  | 'fence'
  | 'attempts'
  | 'abandoned'
  | 'firstSeenAt'
  | 'leaseUntil'
  | 'unknownAt'
  | 'error'
  | 'attributes'
>;

/** Which open claims to list. */
export interface OpenQuery {
  /** @default the open claims of every operation */
  readonly operation?: string | undefined;
  /** How the key begins. Needs `operation`. */
  readonly keyPrefix?: string | undefined;
  /** At most how many claims a page holds: 1 to 1,000. */
  readonly limit: number;
  /** The `cursor` of the page before. @default the first page */
  readonly cursor?: string | undefined;
}

/** Some of the open claims, in no order that means anything. A page may hold fewer claims than its limit, and even none, before the last one. */
export interface OpenPage {
  readonly claims: readonly OpenClaim[];
  /** Of the page after this one; `undefined` on the last page. */
  readonly cursor: string | undefined;
  /** Whether the list can miss a claim that was parked before there was an index: `pawl claims --backfill` has not ended. */
  readonly incomplete: boolean;
}

/**
 * What a store can do besides: list what is open. An optional capability of a `ClaimStore`, for operators only. No rule depends on
 * it: the list may lag behind the records by a moment, so an act reads the record again.
 */
export interface ListsOpenClaims {
  listOpen(query: OpenQuery): Promise<OpenPage>;
}
