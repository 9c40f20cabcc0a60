import type { Claim } from './claims/claim.ts';
import { type OnceFunction, type OnceOptions, once as onceOn } from './claims/once.ts';
import { nodeHost } from './host.ts';

/**
 * Wraps any async function so that its effect happens once per key.
 *
 * A call of the returned function returns what `fn` returned, now or earlier. It throws whatever else became of it, so that a caller which only awaits it
 * never takes for done what is not: `RetryableError` with `retryAfterMs` while another worker runs it or its outcome is unknown, `InDoubtError` when it is
 * parked, `RejectedError` when it failed for good or its key was reused, `ResultNotKeptError` when it is done and its result was not kept. It throws what `fn`
 * threw, once that is recorded; `StoreUnavailableError` when no claim could be had; `InvalidMessageError` when the key is missing.
 *
 * `f.outcome(input)` returns all of that as a union, told apart by `outcome`.
 *
 * @throws OptionError at once when an option is missing or out of range, or when `fn` is no function, or a generator
 * @example
 * const refundOnce = once(
 *   { operation: 'refund', store, key: (payment: Payment) => payment.id, onAbandoned: 'park' },
 *   (payment, claim) => bank.refund(payment, { idempotencyKey: claim.effectKey }),
 * );
 * const { id } = await refundOnce(payment); // the refund, made now or earlier
 * const answer = await refundOnce.outcome(payment);
 * if (answer.outcome === 'in-flight') console.log(`call again in ${answer.retryAfterMs} ms`);
 */
export function once<Input, R, Kept extends boolean = true>(
  options: OnceOptions<Input, Kept>,
  fn: (input: Input, claim: Claim) => Promise<R> | R,
): OnceFunction<Input, R, Kept> {
  return onceOn(options, fn, nodeHost);
}

export type { Checkpoint } from './claims/checkpoints.ts';
export type { Claim, Doubt, Verdict } from './claims/claim.ts';
export type { AbandonedPolicy, ClaimRequest, ClaimRules, Decision, ParkedReason } from './claims/decide.ts';
export { decide } from './claims/decide.ts';
export { type ClaimEvent, logEvents } from './claims/events.ts';
export type { KeyValue } from './claims/identity.ts';
export type { Lease } from './claims/lease.ts';
export type { OnceCall, OnceFunction, OnceOptions, OnceOutcome } from './claims/once.ts';
export type { ListsOpenClaims, OpenClaim, OpenPage, OpenQuery } from './claims/open-claims.ts';
export type { ClaimOptions } from './claims/options.ts';
export type { Outcome } from './claims/outcome.ts';
export { type Reconcile, type ReconcileOptions, reconcile } from './claims/reconcile.ts';
export type {
  Attributes,
  ClaimRecord,
  ClaimStatus,
  Resolution,
  ResolutionVerdict,
  StepResolution,
} from './claims/record.ts';
export { renewedLease } from './claims/renewed-lease.ts';
export type { StepResolutions } from './claims/resolve.ts';
export { renew, settle } from './claims/settle.ts';
export { type StepOptions, type StepReconcile, type StepRun, step } from './claims/step.ts';
export { type ClaimStore, type ClaimWrite, unchanged, type WriteResult } from './claims/store.ts';
export {
  type Classification,
  InDoubtError,
  InvalidMessageError,
  LeaseError,
  OptionError,
  RejectedError,
  ResultNotKeptError,
  RetryableError,
  SetupError,
  StoreUnavailableError,
} from './kernel/errors.ts';
export type { Host } from './kernel/host.ts';
export type { Transition } from './kernel/record.ts';
export type { RecordedError } from './kernel/recorded-error.ts';
export { canonicalJson, canonicalValue, FingerprintError } from './payload/fingerprint.ts';
export type { FingerprintOption, FingerprintRule, PreviousRule } from './payload/fingerprint-rule.ts';
export { type BodyField, type BodyFields, compositeKey } from './payload/keys.ts';
export { failOpen } from './stores/fail-open.ts';
export { type MemoryStore, memoryStore } from './stores/memory.ts';
export { type RememberOptions, rememberCompleted } from './stores/remember-completed.ts';
