import type { LockStore } from 'pawl/internal';
import { expectFunction, expectOptions, type NamesOf } from 'pawl/kernel';
import type { LosingResponses } from './claim-stage.ts';
import { type Law, type LawTest, registerLaws } from './law.ts';
import { lockConcurrencyLaws, lockElsewhereLaws } from './lock-concurrency.ts';
import { lockConditionLaws } from './lock-conditions.ts';
import { lockContentLaws } from './lock-contents.ts';
import { lockOwnWriteLaws } from './lock-own-writes.ts';
import { type LockStage, sentTwice } from './lock-stage.ts';
import { lockWorkerLaws } from './lock-workers.ts';

/**
 * The options of `lockStoreLaws`.
 *
 * @example
 * import { memoryLockStore } from 'pawl/locks';
 * import { test } from 'vitest';
 *
 * const options: LockStoreLawsOptions = { test, name: 'in memory', open: () => memoryLockStore() };
 */
export interface LockStoreLawsOptions {
  /** `test` of Vitest, of Jest or of `node:test`, or `it` of Mocha. */
  readonly test: LawTest;
  /**
   * Opens the store. Called once for each law. All ids are new, so every law may get the same store, over a table with other records in it.
   */
  readonly open: () => LockStore | Promise<LockStore>;
  /**
   * Stands before the name of each test.
   * @default nothing
   */
  readonly name?: string;
  /**
   * Opens the same records as another process does: by a connection of its own, without what the first store keeps in memory.
   * @default nothing: the laws about several processes are skipped
   */
  readonly openElsewhere?: (store: LockStore) => LockStore | Promise<LockStore>;
  /**
   * Opens the same records by a way on which the response of every applied write is lost once, and the database's client sends the write again by
   * itself.
   * @default nothing: only the laws about a caller that sends again run
   */
  readonly openLosingResponses?: (store: LockStore) => LosingResponses<LockStore> | Promise<LosingResponses<LockStore>>;
  /**
   * Whether the store's own client may send a write again while a law runs, so that a write is refused because of itself.
   * @default false
   */
  readonly mayMeetItself?: boolean;
}

const known = {
  test: true,
  open: true,
  name: true,
  openElsewhere: true,
  openLosingResponses: true,
  mayMeetItself: true,
} as const satisfies NamesOf<LockStoreLawsOptions>;

/**
 * Registers the specification of a lock store as tests: a store is right if all of them pass. Each failure says what the store did, what was
 * expected, and what goes wrong in production where a store does that.
 *
 * @throws OptionError when an option is unknown
 * @example
 * import { test } from 'node:test'; // or from 'vitest'
 * import { memoryLockStore } from 'pawl/locks';
 *
 * lockStoreLaws({ test, open: () => memoryLockStore() });
 */
export function lockStoreLaws(options: LockStoreLawsOptions): void {
  expectOptions(options, { door: 'lockStoreLaws', known, docs: 'docs/guides/stores.md' });
  expectFunction('test', "a function that registers a test, such as Vitest's", options.test, 'wrong-handler');
  expectFunction('open', 'a function that opens the store', options.open, 'wrong-handler');
  const { test, name, open, openElsewhere, openLosingResponses, mayMeetItself = false } = options;
  registerLaws({ test, name }, lawsFor(options), async () => {
    const store = await open();
    const losing = await openLosingResponses?.(store);
    const elsewhere = (await openElsewhere?.(store)) ?? store;
    return {
      store,
      elsewhere,
      lossy: { 'its caller': sentTwice(store, mayMeetItself), 'its client': losing },
      mayMeetItself,
    };
  });
}

function lawsFor({ openElsewhere, openLosingResponses }: LockStoreLawsOptions): readonly Law<LockStage>[] {
  const elsewhere = openElsewhere === undefined ? 'openElsewhere is not given' : undefined;
  const losing = openLosingResponses === undefined ? 'openLosingResponses is not given' : undefined;
  return [
    ...lockContentLaws,
    ...lockConditionLaws,
    ...lockConcurrencyLaws,
    ...lockElsewhereLaws.map((law) => ({ ...law, skipped: elsewhere })),
    ...lockWorkerLaws,
    ...lockOwnWriteLaws('its caller'),
    ...lockOwnWriteLaws('its client', losing),
  ];
}
