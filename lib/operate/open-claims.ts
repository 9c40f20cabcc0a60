import type { OpenClaimView, OpenState } from './claim-view.ts';

/** Which open claims to list. All conditions have to hold. */
export interface OpenClaimsQuery {
  /** @default every operation */
  readonly operation?: string | undefined;
  /** How the key begins. Needs `operation`. */
  readonly keyPrefix?: string | undefined;
  /** @default every state */
  readonly state?: OpenState | undefined;
  /** The name of its error: `abandoned`, `outcome-unknown`, … */
  readonly reason?: string | undefined;
  /** Only claims that were first seen at least so long ago, in milliseconds. */
  readonly olderThanMs?: number | undefined;
  /**
   * At most how many claims pawl reads for a page: 1 to 1,000.
   * @default 100
   */
  readonly limit?: number | undefined;
  /** The `cursor` of an earlier page: go on after it. */
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
