import { stepsInDoubt } from '../claims/checkpoints.ts';
import type { Claim } from '../claims/claim.ts';
import { internalsOf } from '../claims/claim-internals.ts';
import { changeClaim } from '../claims/engine.ts';
import type { ClaimRecord, Resolution } from '../claims/record.ts';
import { completion } from '../claims/result.ts';
import { settle } from '../claims/settle.ts';
import type { ClaimStore } from '../claims/store.ts';
import { expect } from '../kernel/check.ts';
import { InDoubtError, LeaseError, RetryableError } from '../kernel/errors.ts';
import type { Transition } from '../kernel/record.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { CommitRefusedError } from './refused.ts';
import { type AppWrite, mostWrites, type TransactionalStore } from './store.ts';

export interface CommitOptions {
  /** What duplicates are answered with, where results are recorded. What the handler returns is not, once it has committed. */
  readonly result?: unknown;
}

const known = { result: true } as const satisfies NamesOf<CommitOptions>;

/**
 * Applies writes of the application's and completes the claim, in one transaction: either all of it happened, or nothing. It
 * is the effect of its handler, as `claim.effect` is, and there is one.
 *
 * @param claim as the handler was given it. Its consumer's store is a `transactionalStore`
 * @param writes up to 99, as `TransactWriteCommand` of `@aws-sdk/lib-dynamodb` takes them
 * @throws CommitRefusedError when a condition among the writes failed; LeaseError when the time is over or the claim is somebody
 *   else's; InDoubtError, or what the step threw, when a step of the handler is in doubt; RetryableError when DynamoDB could not be reached. After each of them nothing of this was applied, or the claim
 *   is known to be complete when the message comes again
 * @example
 * await commit(claim, [
 *   { Update: { TableName, Key: { id: body.from }, UpdateExpression: 'SET balance = balance - :n', ConditionExpression: 'balance >= :n', … } },
 *   { Update: { TableName, Key: { id: body.to }, UpdateExpression: 'SET balance = balance + :n', … } },
 * ]);
 */
export function commit(claim: Claim, writes: readonly AppWrite[], options: CommitOptions = {}): Promise<void> {
  expectOptions(options, { door: 'commit', known, docs: 'docs/transactions.md' });
  const { result } = options;
  const { engine, grant, work, steps } = internalsOf(claim);
  const { settings } = engine;
  const { claimId } = grant.record;
  const resolvedBefore = idOf(grant.record.resolution);
  const outcome = completion(result, settings.maxResultBytes, settings.recordResult);
  const carried = carrying(settings.store, writes);

  function completed(found: ClaimRecord | undefined): Transition<ClaimRecord> {
    if (found?.claimId !== claimId) return 'stale';
    // Only this commit completes the claim without a resolution: its answer was lost. One that is older than the grant says nothing.
    if (found.status === 'completed' && idOf(found.resolution) === resolvedBefore) return 'applied';
    // Parked or resolved meanwhile: who resolved it did not know of these writes.
    if (found.status !== 'in-flight') return 'stale';
    return settle(claimId, found, outcome, settings, settings.host.now());
  }

  /** The completion would drop the step's checkpoint, and with it all that is known of its doubt. @throws what the step left, or InDoubtError */
  function expectNoDoubt(): void {
    const [left] = work.inDoubt;
    if (left !== undefined) throw left.error;
    const forgotten = stepsInDoubt(grant.record).find(({ name }) => !steps.names.includes(name));
    if (forgotten)
      throw new InDoubtError(`nothing was committed: step ${forgotten.name} is in doubt, and was not called`);
  }

  return claim.effect(() => {
    expectNoDoubt();
    return carried.apply(() =>
      changeClaim(engine, grant, completed, { until: settings.host.now() + claim.remainingMs(), write: carried.write }),
    );
  });
}

/** What tells one resolution from another; earlier versions gave them no id. */
function idOf(resolution: Resolution | undefined): string | undefined {
  return resolution && (resolution.id ?? `${resolution.at} ${resolution.by}`);
}

/**
 * Before anything of a handler runs: told after the remote call, it would leave its effect without its record.
 *
 * @throws OptionError when the store cannot commit
 * @internal
 */
export function expectTransactional(store: ClaimStore): asserts store is TransactionalStore {
  const commits = 'commit' in store && typeof store.commit === 'function';
  expect(commits, 'store', 'transactionalStore({ tableName }), which can commit', 'a store that cannot');
}

/**
 * A write of a claim that carries writes of the application's.
 *
 * @throws OptionError when the store cannot do that, or there are none or too many
 * @internal
 */
export function carrying(store: ClaimStore, writes: readonly AppWrite[]) {
  expectTransactional(store);
  const fits = Array.isArray(writes) && writes.length >= 1 && writes.length <= mostWrites;
  expect(fits, 'writes', `a list of 1 to ${mostWrites} of them`, Array.isArray(writes) ? writes.length : typeof writes);
  let refused: CommitRefusedError | undefined;

  const write: ClaimStore['write'] = async (one) => {
    const committed = await store.commit(one, writes);
    if (!('refused' in committed)) return committed;
    refused = new CommitRefusedError(committed.refused);
    // Ends the trying: of nothing, an owner makes nothing.
    return { applied: false, found: undefined };
  };

  /** @throws CommitRefusedError; LeaseError when the claim is somebody else's; RetryableError when the store fails */
  async function apply(change: () => Promise<'applied' | 'stale'>): Promise<void> {
    let changed: 'applied' | 'stale';
    try {
      changed = await change();
    } catch (cause) {
      // It may have been applied. If so the claim is complete, and to release it fails; if not, to release it ends the transaction's chance.
      throw new RetryableError(`nothing is known to be committed: ${recordedError(cause).message}`, { cause });
    }
    // Applied at a later try: that an earlier one was refused, and says so only now, does not undo it.
    if (changed === 'applied') return;
    if (refused) throw refused;
    throw new LeaseError('the claim is somebody else’s: nothing was committed');
  }

  return { write, apply };
}
