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
import type { WriteCarrier } from './carrier.ts';

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
 * Completes a claim by a write that carries the application's: either all of it happened, or nothing. It is the effect of its handler, and there is one.
 *
 * @param carrierOf is asked once the options are known to be in order
 */
export function commitClaim(
  claim: Claim,
  carrierOf: (behind: ClaimInternals) => WriteCarrier,
  options: CommitOptions,
): Promise<void> {
  expectOptions(options, { door: 'commit', known, refused: ofObserve, docs: 'docs/guides/transactions.md' });
  const { result } = options;
  const internals = internalsOf(claim, 'commit');
  const { engine, grant } = internals;
  const { host, maxResultBytes, recordResult } = engine.settings;
  const completing: Completing = {
    engine,
    claimId: grant.record.claimId,
    resolvedBefore: idOf(grant.record.resolution),
    outcome: completion(result, maxResultBytes, recordResult),
  };
  const carrier = carrierOf(internals);

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
