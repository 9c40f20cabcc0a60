import { expect } from '../kernel/check.ts';
import { OptionError } from '../kernel/errors.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { expectOperation, idPrefix } from './identity.ts';
import { type ClaimRecord, wrongNumber } from './record.ts';

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

/**
 * Which open claims to list.
 *
 * @example
 * const list = memoryStore();
 * const page = await list.listOpen({ operation: 'refund', limit: 100 });
 * const next = page.cursor && (await list.listOpen({ operation: 'refund', limit: 100, cursor: page.cursor }));
 */
export interface OpenQuery {
  /**
   * Only the claims of this operation.
   * @default every operation
   */
  readonly operation?: string | undefined;
  /**
   * How the key begins. Needs `operation`.
   * @default every key
   */
  readonly keyPrefix?: string | undefined;
  /** At most how many claims a page holds: 1 to 1,000. */
  readonly limit: number;
  /**
   * The `cursor` of the page before.
   * @default the first page
   */
  readonly cursor?: string | undefined;
}

/** Some of the open claims, in no order that means anything. A page may hold fewer claims than its limit, and even none, before the last one. */
export interface OpenPage {
  readonly claims: readonly OpenClaim[];
  /** Of the page after this one; `undefined` on the last page. */
  readonly cursor: string | undefined;
  /**
   * The ids of entries with a number that is none. They are left alone: what reads their records says so.
   * @default none
   */
  readonly foreign?: readonly string[];
}

/** Sets apart the entries of a list with a number that is none: nobody can say since when such a claim is open. */
export function withoutForeign(listed: readonly OpenClaim[]): Required<Pick<OpenPage, 'claims' | 'foreign'>> {
  const isForeign = (claim: OpenClaim) => wrongNumber(claim) !== undefined;
  return {
    claims: listed.filter((claim) => !isForeign(claim)),
    foreign: listed.filter(isForeign).map(({ id }) => id),
  };
}

/**
 * What a store can do besides: list what is open. An optional capability of a `ClaimStore`, for operators only. No rule depends on
 * it: the list may lag behind the records by a moment, so an act reads the record again.
 */
export interface ListsOpenClaims {
  /** Returns a page of what is open. */
  listOpen(query: OpenQuery): Promise<OpenPage>;
}

/** Whether a store can list what is open. */
export function listsOpenClaims(store: object): store is ListsOpenClaims {
  return typeof propertyOf(store, 'listOpen') === 'function';
}

const known = { operation: true, keyPrefix: true, limit: true, cursor: true } as const satisfies NamesOf<OpenQuery>;

/**
 * How the id of a claim begins that a query asks for: any text, if it asks for all.
 *
 * @throws OptionError when the query is none
 */
export function checkedPrefix(query: OpenQuery): string {
  expectOptions(query, { door: 'listOpen', known, docs: 'docs/reference/table.md' });
  const { operation, keyPrefix, limit } = query;
  expect(Number.isSafeInteger(limit) && limit >= 1 && limit <= 1000, 'limit', 'a whole number from 1 to 1000', limit);
  if (operation !== undefined) expectOperation(operation);
  if (operation === undefined) {
    expect(keyPrefix === undefined, 'operation', 'the operation that keyPrefix is about', operation);
    return '';
  }
  if (keyPrefix === undefined) return idPrefix(operation, '');
  expect(typeof keyPrefix === 'string', 'keyPrefix', 'a text', keyPrefix);
  return idPrefix(operation, keyPrefix);
}

/** @throws OptionError: a cursor is a text that a page of this store had */
export function badCursor(cursor: string): never {
  throw new OptionError(
    `cursor: expected the cursor of a page of this store; got ${JSON.stringify(cursor.slice(0, 40))}`,
  );
}

/** What an index of open claims holds of a record. */
export function openClaimOf(record: ClaimRecord): OpenClaim {
  const { id, status, fence, attempts, abandoned, firstSeenAt, leaseUntil, unknownAt, error, attributes } = record;
  return { id, status, fence, attempts, abandoned, firstSeenAt, leaseUntil, unknownAt, error, attributes };
}
