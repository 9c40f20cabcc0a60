import type { Claim } from '../engine/claim.ts';
import { type ClaimInternals, internalsOf } from '../engine/claim-internals.ts';
import { changeClaim, type Engine } from '../engine/engine.ts';
import { explainedError, InDoubtError } from '../kernel/errors.ts';
import type { Transition } from '../kernel/record.ts';
import { expectOptions, ofObserve } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { stepsInDoubt } from '../rules/checkpoints.ts';
import type { Outcome } from '../rules/outcome.ts';
import type { ClaimRecord, Resolution } from '../rules/record.ts';
import { completion } from '../rules/result.ts';
import { settle } from '../rules/settle.ts';
import type { CommitWrite } from './deferred-write.ts';
import { WriteCarrier } from './write-carrier.ts';

/**
 * The options of `commit`.
 *
 * @example
 * const options: CommitOptions = { result: { entry: 'entry-17' } };
 */
export interface CommitOptions {
  /**
   * What duplicates get, where results are recorded. What the handler returns is not recorded, once it has committed.
   * @default nothing
   */
  readonly result?: unknown;
}

const known = { result: true } as const satisfies NamesOf<CommitOptions>;

/**
 * Applies writes of the application's and completes the claim, in one transaction: either all of it happened, or nothing. It
 * is the effect of its handler, as `claim.effect` is, and there is one.
 *
 * @param claim as the handler was given it. Its consumer's store is a `transactionalStore`
 * @param writes up to 99, as `TransactWriteCommand` of `@aws-sdk/lib-dynamodb` takes them; and messages of an outbox (`pawl/outbox`)
 * @throws CommitRefusedError when a condition among the writes failed; LeaseError when the time is over or the claim is another
 *   worker's; InDoubtError, or what the step threw, when a step of the handler is in doubt; RetryableError when DynamoDB could not be
 *   reached. After each of them, nothing of this was applied, or the claim turns out to be complete when the message comes again
 * @example
 * const Key = { id: payment.customer };
 * const withdraw = {
 *   Update: {
 *     TableName: 'accounts',
 *     Key,
 *     UpdateExpression: 'SET balance = balance - :n',
 *     ConditionExpression: 'balance >= :n',
 *     ExpressionAttributeValues: { ':n': payment.amountCents },
 *   },
 * };
 * await commit(claim, [withdraw, { Put: { TableName: 'ledger', Item: { id: payment.id } } }]);
 */
export function commit(claim: Claim, writes: readonly CommitWrite[], options: CommitOptions = {}): Promise<void> {
  expectOptions(options, { door: 'commit', known, refused: ofObserve, docs: 'docs/guides/transactions.md' });
  const { result } = options;
  const internals = internalsOf(claim, 'commit');
  const { engine, grant } = internals;
  const { host, store, maxResultBytes, recordResult } = engine.settings;
  const completing: Completing = {
    engine,
    claimId: grant.record.claimId,
    resolvedBefore: idOf(grant.record.resolution),
    outcome: completion(result, maxResultBytes, recordResult),
  };
  const carrier = new WriteCarrier(store, writes);

  let until = 0;
  const committed = claim.effect(() => {
    expectRemembered(internals);
    expectNoDoubt(internals);
    until = host.now() + claim.remainingMs();
    const transition = (found: ClaimRecord | undefined) => completed(completing, found);
    return carrier.apply(() => changeClaim(engine, grant, transition, { until, write: carrier.write }));
  });
  return carrier.isFollowed ? internals.work.follow(committed.then(() => carrier.follow(until))) : committed;
}

/** The completion of one claim. */
interface Completing {
  readonly engine: Engine;
  readonly claimId: string;
  /** The id of the resolution that the claim had when it was granted. */
  readonly resolvedBefore: string | undefined;
  readonly outcome: Outcome;
}

function completed(
  { engine, claimId, resolvedBefore, outcome }: Completing,
  found: ClaimRecord | undefined,
): Transition<ClaimRecord> {
  if (found?.claimId !== claimId) return 'stale';
  // Only this commit completes the claim without a resolution: its answer was lost. A resolution that is older than the grant says nothing.
  if (found.status === 'completed' && idOf(found.resolution) === resolvedBefore) return 'applied';
  // Parked or resolved meanwhile: the operator who resolved it did not know of these writes.
  if (found.status !== 'in-flight') return 'stale';
  return settle(claimId, found, outcome, engine.settings, engine.settings.host.now());
}

/** The writes of a commit are in tables that were not restored with the claims. @throws InDoubtError when they may be applied already */
export function expectRemembered(behind: Pick<ClaimInternals, 'grant' | 'work'>): void {
  if (behind.grant.record.forgottenUntil !== undefined) throw leftForgotten(behind);
}

/** Leaves a commit in doubt that the claims table may have forgotten. @returns the error to throw */
export function leftForgotten({ work }: Pick<ClaimInternals, 'work'>): InDoubtError {
  const said =
    'nothing was committed: the claims table was restored, and may have forgotten that it was committed before';
  const error = explainedError(InDoubtError, said, 'not-committed');
  // Also where the handler catches it: the claim would complete without the commit, or with a second one behind it.
  work.leaveInDoubt(error);
  return error;
}

/** The completion would drop the step's checkpoint, and with it all that is known of its doubt. @throws what the step left, or InDoubtError */
function expectNoDoubt({
  engine,
  grant,
  work,
  steps,
}: Pick<ClaimInternals, 'engine' | 'grant' | 'work' | 'steps'>): void {
  const [left] = work.inDoubt;
  if (left !== undefined) throw left.error;
  // A handler that calls no steps was granted the claim with their doubt as its own, and its policy has decided about that.
  if (engine.settings.stepless) return;
  const forgotten = stepsInDoubt(grant.record).find(({ name }) => !steps.names.includes(name));
  if (forgotten !== undefined) {
    throw explainedError(
      InDoubtError,
      `nothing was committed: step ${forgotten.name} is in doubt, and was not called`,
      'step-in-doubt',
    );
  }
}

/** What tells one resolution from another; the proof of a last holder has no id. */
function idOf(resolution: Resolution | undefined): string | undefined {
  return resolution && (resolution.id ?? `${resolution.at} ${resolution.by}`);
}
