import type { ClaimStore } from 'pawl/internal';
import { expectFunction, expectOptions, type NamesOf } from 'pawl/kernel';
import { concurrencyLaws, elsewhereLaws } from './claim-concurrency.ts';
import { conditionLaws } from './claim-conditions.ts';
import { contentLaws } from './claim-contents.ts';
import { noteLaws } from './claim-notes.ts';
import { openLaws } from './claim-open.ts';
import { ownWriteLaws } from './claim-own-writes.ts';
import { type ClaimStage, type LosingResponses, sentTwice } from './claim-stage.ts';
import { workerLaws } from './claim-workers.ts';
import { type Law, type LawTest, registerLaws } from './law.ts';

/**
 * The options of `claimStoreLaws`.
 *
 * @example
 * import { memoryStore } from 'pawl';
 * import { test } from 'vitest';
 *
 * const options: ClaimStoreLawsOptions = { test, name: 'in memory', open: () => memoryStore(), races: 20, runs: 10 };
 */
export interface ClaimStoreLawsOptions {
  /** `test` of Vitest, of Jest or of `node:test`, or `it` of Mocha. */
  readonly test: LawTest;
  /**
   * Opens the store. Called once for each law. All ids are new, so every law may get the same store, over a table with other records in it.
   */
  readonly open: () => ClaimStore | Promise<ClaimStore>;
  /**
   * Stands before the name of each test.
   * @default nothing
   */
  readonly name?: string;
  /**
   * Opens the same records as another process does: by a connection of its own, without what the first store keeps in memory.
   * @default nothing: the laws about several processes are skipped
   */
  readonly openElsewhere?: (store: ClaimStore) => ClaimStore | Promise<ClaimStore>;
  /**
   * Opens the same records by a way on which the response of every applied write is lost once, and the database's client sends the write again by
   * itself.
   * @default nothing: only the laws about a caller that sends again run
   */
  readonly openLosingResponses?: (
    store: ClaimStore,
  ) => LosingResponses<ClaimStore> | Promise<LosingResponses<ClaimStore>>;
  /**
   * Whether the store lists what is open: `listOpen`, an optional capability.
   * @default false: the laws about it are skipped
   */
  readonly listsOpenClaims?: boolean;
  /**
   * Whether the store keeps notes and lists places of its index: an optional capability, for statements.
   * @default false: the laws about it are skipped
   */
  readonly keepsNotes?: boolean;
  /**
   * How long that list may lag behind the records, in milliseconds. A law waits for so long before it fails.
   * @default 10000
   */
  readonly listLagMs?: number;
  /**
   * Whether the store's own client may send a write again while a law runs, so that a write is refused because of itself.
   * @default false
   */
  readonly mayMeetItself?: boolean;
  /**
   * How many races of two workers are run for one claim.
   * @default 100
   */
  readonly races?: number;
  /**
   * How many random writes and histories are tried.
   * @default 50
   */
  readonly runs?: number;
}

const known = {
  test: true,
  open: true,
  name: true,
  openElsewhere: true,
  openLosingResponses: true,
  listsOpenClaims: true,
  keepsNotes: true,
  listLagMs: true,
  mayMeetItself: true,
  races: true,
  runs: true,
} as const satisfies NamesOf<ClaimStoreLawsOptions>;

/**
 * Registers the specification of a claim store as tests: a store is right if all of them pass. Each failure says what the store did, what was
 * expected, and what goes wrong in production where a store does that.
 *
 * The laws need no server of their own, and no test framework but that of `test`. They leave their records behind.
 *
 * @throws OptionError when an option is unknown
 * @example
 * import { memoryStore } from 'pawl';
 * import { test } from 'vitest'; // or from 'node:test'
 *
 * claimStoreLaws({ test, open: () => memoryStore() });
 */
export function claimStoreLaws(options: ClaimStoreLawsOptions): void {
  expectOptions(options, { door: 'claimStoreLaws', known, docs: 'docs/guides/stores.md' });
  expectFunction('test', "a function that registers a test, such as Vitest's", options.test, 'wrong-handler');
  expectFunction('open', 'a function that opens the store', options.open, 'wrong-handler');
  const {
    test,
    name,
    open,
    openElsewhere,
    openLosingResponses,
    races = 100,
    runs = 50,
    mayMeetItself = false,
    listLagMs = 10_000,
  } = options;
  registerLaws({ test, name }, lawsFor(options), async () => {
    const store = await open();
    const losing = await openLosingResponses?.(store);
    const elsewhere = (await openElsewhere?.(store)) ?? store;
    return {
      store,
      elsewhere,
      lossy: { 'its caller': sentTwice(store, mayMeetItself), 'its client': losing },
      races,
      runs,
      mayMeetItself,
      listLagMs,
    };
  });
}

const oneProcess = 'openElsewhere is not given';
const noList = 'listsOpenClaims is not given';
const noNotes = 'keepsNotes is not given';
const noLosses = 'openLosingResponses is not given';

function lawsFor({
  openElsewhere,
  openLosingResponses,
  listsOpenClaims,
  keepsNotes,
}: ClaimStoreLawsOptions): readonly Law<ClaimStage>[] {
  return [
    ...contentLaws,
    ...conditionLaws,
    ...concurrencyLaws,
    ...skippedIf(openElsewhere === undefined ? oneProcess : undefined, elsewhereLaws),
    ...workerLaws,
    ...ownWriteLaws('its caller'),
    ...skippedIf(listsOpenClaims === true ? undefined : noList, openLaws),
    ...skippedIf(keepsNotes === true ? undefined : noNotes, noteLaws),
    ...ownWriteLaws('its client', openLosingResponses === undefined ? noLosses : undefined),
  ];
}

function skippedIf(skipped: string | undefined, laws: readonly Law<ClaimStage>[]): readonly Law<ClaimStage>[] {
  return laws.map((law) => ({ ...law, skipped }));
}
