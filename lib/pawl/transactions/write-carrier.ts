import { expectRun, isPromise } from '../kernel/callable.ts';
import { expect } from '../kernel/check.ts';
import type { ClaimStore } from '../rules/store.ts';
import { WriteCarrier } from './carrier.ts';
import { CommitRefusedError } from './refused.ts';
import { type AppWrite, mostWrites, type TransactionalStore } from './store.ts';

/**
 * Refuses a store that cannot commit, before anything of a handler runs: a commit that fails after the remote call leaves its effect without
 * its record.
 *
 * @throws OptionError
 * @internal
 */
export function expectTransactional(store: ClaimStore): asserts store is TransactionalStore {
  const commits = 'commit' in store && typeof store.commit === 'function';
  expect(commits, 'store', 'transactionalStore({ tableName }), which can commit', 'a store that cannot', 'wrong-store');
}

/**
 * What a function of writes returned, before anything is committed.
 *
 * @throws RetryableError when it is a generator, OptionError when it is no list
 */
export function expectWrites(writes: readonly AppWrite[]): readonly AppWrite[] {
  const returned = expectRun(writes, 'the function of writes');
  expect(
    Array.isArray(returned),
    'writes',
    'a function that returns a list of writes; an empty one commits nothing',
    returned,
    'wrong-handler',
  );
  return returned;
}

/**
 * Carries writes to DynamoDB.
 *
 * @throws OptionError when the store cannot do that, or there are no writes, too many, or one that is none
 * @internal
 */
export function carrierOf(store: ClaimStore, writes: readonly AppWrite[]): WriteCarrier {
  expectTransactional(store);
  const fits = Array.isArray(writes) && writes.length >= 1 && writes.length <= mostWrites;
  expect(fits, 'writes', `a list of 1 to ${mostWrites} of them`, Array.isArray(writes) ? writes.length : writes);
  for (const [index, write] of writes.entries()) {
    const isWrite = typeof write === 'object' && write !== null && !isPromise(write);
    expect(
      isWrite,
      `writes[${index}]`,
      'a Put, Update, Delete or ConditionCheck',
      write === null ? 'null' : isPromise(write) ? write : typeof write,
    );
  }
  return new WriteCarrier(async (claimWrite) => {
    const committed = await store.commit(claimWrite, writes);
    return 'refused' in committed ? { applied: false, refusal: new CommitRefusedError(committed.refused) } : committed;
  });
}
