import type { Claim } from './core/claim.ts';
import { type OnceCall, type OnceOptions, type OnceOutcome, once as onceOn } from './core/once.ts';
import { type ParkedClaimsOptions, parkedClaims as parkedClaimsOn } from './core/resolve.ts';
import { nodeHost } from './host.ts';

/**
 * Wraps any async function so that its effect happens once per key.
 *
 * The returned function answers with what came of the call. It rejects with what `fn` threw, once that is recorded; with
 * `StoreUnavailableError` when no claim could be had; with `InvalidMessageError` when the key is missing.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * const refund = once(
 *   { operation: 'refund', store, key: (payment: Payment) => payment.id, onAbandoned: 'park' },
 *   async (payment, claim) => provider.refund(payment.id, { idempotencyKey: claim.effectKey }),
 * );
 * const answer = await refund(payment);
 * if (answer.outcome === 'in-flight') return tooEarly(answer.retryAfterMs);
 */
export function once<Input, R>(
  options: OnceOptions<Input>,
  fn: (input: Input, claim: Claim) => Promise<R> | R,
): (input: Input, call?: OnceCall) => Promise<OnceOutcome<R>> {
  return onceOn({ host: nodeHost, ...options }, fn);
}

/**
 * The claims of an operation that wait for somebody's decision.
 *
 * @example
 * const parked = parkedClaims({ operation: 'send-email', store });
 * await parked.resolve('order-17', 'applied', { by: 'maria', note: 'the mail is in the outbox' });
 */
export function parkedClaims(options: ParkedClaimsOptions): ReturnType<typeof parkedClaimsOn> {
  return parkedClaimsOn({ host: nodeHost, ...options });
}

export type { Checkpoint, StepResolution } from './core/checkpoints.ts';
export type { Claim, Doubt, Verdict } from './core/claim.ts';
export type { AbandonedPolicy, ClaimRequest, ClaimRules, Decision, ParkedReason } from './core/decide.ts';
export { decide } from './core/decide.ts';
export {
  type Classification,
  InDoubtError,
  InvalidMessageError,
  LeaseError,
  OptionError,
  RejectedError,
  RetryableError,
  StoreUnavailableError,
} from './core/errors.ts';
export { type ClaimEvent, logEvents } from './core/events.ts';
export { canonicalJson, canonicalValue, FingerprintError } from './core/fingerprint.ts';
export type { FingerprintOption, FingerprintRule, PreviousRule } from './core/fingerprint-rule.ts';
export type { Lease, Reconcile } from './core/held.ts';
export type { Host } from './core/host.ts';
export type { KeyValue } from './core/identity.ts';
export type { OnceCall, OnceOptions, OnceOutcome } from './core/once.ts';
export type { ClaimOptions } from './core/options.ts';
export type { Outcome } from './core/outcome.ts';
export { type ReconcileOptions, reconcile } from './core/reconcile.ts';
export type {
  Attributes,
  ClaimRecord,
  ClaimStatus,
  RecordedError,
  Resolution,
  ResolutionVerdict,
} from './core/record.ts';
export { renewedLease } from './core/renewed-lease.ts';
export type { ParkedClaimsOptions, Resolved, ResolvedBy, StepResolutions } from './core/resolve.ts';
export { renew, settle, type Transition } from './core/settle.ts';
export { type StepOptions, type StepReconcile, type StepRun, step } from './core/step.ts';
export { type ClaimStore, type ClaimWrite, unchanged, type WriteResult } from './core/store.ts';
export { failOpen } from './stores/fail-open.ts';
export { type MemoryStore, memoryStore } from './stores/memory.ts';
export { type RememberOptions, rememberCompleted } from './stores/remember-completed.ts';
