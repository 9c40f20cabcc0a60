import { listsOpenClaims } from '../claims/open-claims.ts';
import { expect } from '../kernel/check.ts';
import { OptionError } from '../kernel/errors.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { type OpenClaimView, type OpenState, openClaimView } from './claim-view.ts';
import type { Desk } from './desk.ts';
import { docs } from './words.ts';

/**
 * Which open claims to list. All conditions have to hold.
 *
 * @example
 * const query: OpenClaimsQuery = { operation: 'send-email', state: 'parked', olderThanMs: 3_600_000 };
 * for await (const { claims } of operate.openClaims(query)) console.log(claims.map(({ id }) => id));
 */
export interface OpenClaimsQuery {
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
  /**
   * Only the claims in this state.
   * @default every state
   */
  readonly state?: OpenState | undefined;
  /**
   * The name of its error: `abandoned`, `outcome-unknown` and so on.
   * @default every reason
   */
  readonly reason?: string | undefined;
  /**
   * Only claims that were first seen at least so long ago, in milliseconds.
   * @default 0
   */
  readonly olderThanMs?: number | undefined;
  /**
   * At most how many claims pawl reads for a page: 1 to 1,000.
   * @default 100
   */
  readonly limit?: number | undefined;
  /**
   * The `cursor` of an earlier page: go on after it.
   * @default the first page
   */
  readonly cursor?: string | undefined;
}

/** Some of the open claims. A page may hold no claim that fits before the last page is reached. */
export interface OpenClaimsPage {
  readonly claims: readonly OpenClaimView[];
  /** Go on after this page. `undefined` on the last page. */
  readonly cursor: string | undefined;
  /** The list can miss claims that were parked before the table had an index: run `pawl claims --backfill`. */
  readonly incomplete: boolean;
}

const known = {
  operation: true,
  keyPrefix: true,
  state: true,
  reason: true,
  olderThanMs: true,
  limit: true,
  cursor: true,
} as const satisfies NamesOf<OpenClaimsQuery>;

const states: readonly string[] = ['parked', 'in-doubt', 'in-flight'] satisfies OpenState[];

/** @throws OptionError; the store's error */
export async function* openClaims(desk: Desk, query: OpenClaimsQuery): AsyncGenerator<OpenClaimsPage, void, undefined> {
  expectOptions(query, { door: 'openClaims', known, docs });
  const { operation, keyPrefix, state, olderThanMs = 0, limit = 100 } = query;
  expect(keyPrefix === undefined || operation !== undefined, 'keyPrefix', 'to be given with operation', keyPrefix);
  expect(state === undefined || states.includes(state), 'state', states.join(', '), state);
  expect(Number.isSafeInteger(limit) && limit >= 1 && limit <= 1000, 'limit', 'a whole number, 1 to 1,000', limit);
  expect(Number.isFinite(olderThanMs) && olderThanMs >= 0, 'olderThanMs', 'milliseconds, 0 or more', olderThanMs);
  const { store } = desk;
  if (!listsOpenClaims(store)) {
    throw new OptionError(
      `store: expected one that lists open claims, such as dynamoStore; it has no listOpen. See ${docs}.`,
    );
  }
  let { cursor } = query;
  do {
    const page = await store.listOpen({ operation, keyPrefix, limit, cursor });
    cursor = page.cursor;
    const before = desk.host.now() - olderThanMs;
    const claims = page.claims.map(openClaimView).filter((claim) => fits(claim, query) && claim.firstSeenAt <= before);
    yield { claims, cursor, incomplete: page.incomplete };
  } while (cursor !== undefined);
}

function fits(claim: OpenClaimView, { state, reason }: OpenClaimsQuery): boolean {
  return (state === undefined || claim.state === state) && (reason === undefined || claim.reason === reason);
}
