import { expect } from '../kernel/check.ts';
import { pageAt } from '../kernel/error-code.ts';
import { OptionError } from '../kernel/errors.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { listsOpenClaims } from '../rules/open-claims.ts';
import { type OpenClaimView, type OpenState, openClaimView, openStates } from './claim-view.ts';
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
   * Only claims whose doubt is at least so old, in milliseconds: the last attempt that may have applied the effect has ended so long ago. Until a request
   * that its worker gave up can no longer reach the provider, `'not-applied'` is too early.
   * @default claims without a doubt, and doubts of every age
   */
  readonly doubtOlderThanMs?: number | undefined;
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
  /** The ids of entries with a number that is none: another program, or a hand, wrote their records. pawl leaves them alone. */
  readonly foreign?: readonly string[];
}

const known = {
  operation: true,
  keyPrefix: true,
  state: true,
  reason: true,
  olderThanMs: true,
  doubtOlderThanMs: true,
  limit: true,
  cursor: true,
} as const satisfies NamesOf<OpenClaimsQuery>;

/** @throws OptionError; the store's error */
export async function* openClaims(desk: Desk, query: OpenClaimsQuery): AsyncGenerator<OpenClaimsPage, void, undefined> {
  expectOptions(query, { door: 'openClaims', known, docs });
  const { operation, keyPrefix, state, olderThanMs = 0, doubtOlderThanMs, limit = 100 } = query;
  expect(keyPrefix === undefined || operation !== undefined, 'keyPrefix', 'to be given with operation', keyPrefix);
  expect(state === undefined || openStates.includes(state), 'state', openStates.join(', '), state);
  expect(Number.isSafeInteger(limit) && limit >= 1 && limit <= 1000, 'limit', 'a whole number, 1 to 1,000', limit);
  expect(Number.isFinite(olderThanMs) && olderThanMs >= 0, 'olderThanMs', 'milliseconds, 0 or more', olderThanMs);
  expect(
    doubtOlderThanMs === undefined || (Number.isFinite(doubtOlderThanMs) && doubtOlderThanMs >= 0),
    'doubtOlderThanMs',
    'milliseconds, 0 or more',
    doubtOlderThanMs,
  );
  const { store } = desk;
  if (!listsOpenClaims(store)) {
    throw new OptionError(
      `store: expected one that lists open claims, such as dynamoStore; it has no listOpen. See ${pageAt(docs)}.`,
    );
  }
  let { cursor } = query;
  do {
    const page = await store.listOpen({ operation, keyPrefix, limit, cursor });
    cursor = page.cursor;
    const now = desk.host.now();
    const isOld = (claim: OpenClaimView) =>
      claim.firstSeenAt <= now - olderThanMs &&
      (doubtOlderThanMs === undefined || (doubtSince(claim, now) ?? Infinity) <= now - doubtOlderThanMs);
    const claims = page.claims.map(openClaimView).filter((claim) => fits(claim, query) && isOld(claim));
    yield { claims, cursor, ...(page.foreign && { foreign: page.foreign }) };
  } while (cursor !== undefined);
}

/** Since when nothing more can have been applied by the last attempt; `undefined` if nothing is in doubt, or a worker holds the claim. */
function doubtSince({ inDoubtSince, status, leaseUntil }: OpenClaimView, now: number): number | undefined {
  if (inDoubtSince !== undefined) return inDoubtSince;
  return status === 'in-flight' && leaseUntil <= now ? leaseUntil : undefined;
}

function fits(claim: OpenClaimView, { state, reason }: OpenClaimsQuery): boolean {
  return (state === undefined || claim.state === state) && (reason === undefined || claim.reason === reason);
}
