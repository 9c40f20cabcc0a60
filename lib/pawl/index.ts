import type { Claim } from './engine/claim.ts';
import { type OnceFunction, type OnceOptions, once as onceOn } from './engine/once.ts';
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

export type { Claim } from './engine/claim.ts';
export { type ClaimEvent, logEvents } from './engine/events.ts';
export type { Lease } from './engine/lease.ts';
export type { OnceCall, OnceFunction, OnceOptions, OnceOutcome } from './engine/once.ts';
export type { ClaimOptions } from './engine/options.ts';
export type { Policy } from './engine/policy.ts';
export { type Doubt, type Reconcile, type ReconcileOptions, reconcile } from './engine/reconcile.ts';
export { renewedLease } from './engine/renewed-lease.ts';
export { type StepOptions, type StepRun, step } from './engine/step.ts';
export { hashed } from './hashed.ts';
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
export type { KeyHash } from './kernel/key-hash.ts';
export type { Transition } from './kernel/record.ts';
export type { RecordedError } from './kernel/recorded-error.ts';
export { canonicalJson, canonicalValue, FingerprintError } from './payload/fingerprint.ts';
export type { FingerprintOption, FingerprintRule, PreviousRule } from './payload/fingerprint-rule.ts';
export { type BodyField, type BodyFields, compositeKey } from './payload/keys.ts';
export type { Checkpoint } from './rules/checkpoints.ts';
export type { AbandonedPolicy, ClaimRequest, ClaimRules, Decision, ParkedReason } from './rules/decide.ts';
export { decide } from './rules/decide.ts';
export type { KeyValue } from './rules/identity.ts';
export type { ListsOpenClaims, OpenClaim, OpenPage, OpenQuery } from './rules/open-claims.ts';
export type { Outcome } from './rules/outcome.ts';
export type {
  Attributes,
  ClaimRecord,
  ClaimStatus,
  Resolution,
  ResolutionVerdict,
  StepResolution,
} from './rules/record.ts';
export type { StepResolutions } from './rules/resolve.ts';
export { renew, settle } from './rules/settle.ts';
export { type ClaimStore, type ClaimWrite, unchanged, type WriteResult } from './rules/store.ts';
export type { Verdict } from './rules/verdict.ts';
export { failOpen } from './stores/fail-open.ts';
export { type MemoryStore, memoryStore } from './stores/memory.ts';
export { type RememberOptions, rememberCompleted } from './stores/remember-completed.ts';
