import type { Transition } from '../kernel/record.ts';
import { lineOf, type RecordedError } from '../kernel/recorded-error.ts';
import { type ClaimRules, decide } from '../rules/decide.ts';
import type { ClaimRecord } from '../rules/record.ts';
import { renew, settle } from '../rules/settle.ts';
import type { ClaimWrite } from '../rules/store.ts';
import { executionIn, executionName } from './execution-name.ts';
import type { Execution } from './workflow.ts';

/**
 * The claim that waits for the end of an execution. Pure, like `decide`, whose records and rules it uses.
 *
 * Owns: what an end, a look and a new start make of the claim. Does not own: the claim of the message, which is done when the start is certain; or how the
 * claim is read, written and listed.
 *
 * 1. The execution holds the claim, and no worker: the claim id is the name of the execution. Every worker that hears of that execution speaks for it, and
 *    two that do so at once say the same.
 * 2. The claim is written before its execution is started, and moves on to the next name before that is started. So an end is never told of an
 *    execution that the claim has not heard of.
 * 3. Nothing is started under a name that an earlier attempt may have used for something else: the number in the name counts up, and never goes back.
 * 4. Only an end that is told of the last execution of the claim changes it. What is told again, or of an earlier one, changes nothing.
 * 5. The lease is short until the start is certain, and then lasts until the execution has to have ended. Once it is over, the execution is looked at:
 *    a start that never came about, an end that was never told, and an execution without an end are found there.
 * 6. The payload is not kept: a new start has the input of the one that failed, as its target describes that.
 */

/** What an execution that has failed means. */
interface EndRules {
  readonly afterFailed: 'start-again' | 'park';
  /** How many executions an intent may have in all. */
  readonly maxStarts: number;
  /** How long an execution may take, in milliseconds. */
  readonly endsWithinMs: number;
  /** How long its target remembers a name, in seconds. */
  readonly remembersSeconds: number;
}

/** Those of the claims themselves: of a claim that no worker holds, only its retention says anything. */
export type WaitingRules = ClaimRules & EndRules;

/** How long a start may take until the execution is looked at, in milliseconds. */
export const startMs = 60_000;
/** How long an execution that its target does not show is left alone, in milliseconds. Its message may come. */
const askAgainMs = 15 * 60_000;

/** What becomes of a claim. Where there is a `next`, nothing has been decided until that is written. */
export type After =
  | { readonly kind: 'completed' | 'parked'; readonly next: ClaimRecord }
  /** `next` stands under the next name, which is then started with the input of the execution `failed`. */
  | { readonly kind: 'start-again'; readonly next: ClaimRecord; readonly failed: string }
  /** The last execution of the claim may not have been started yet. It is the one after `failed`. */
  | { readonly kind: 'may-not-be-started'; readonly failed: string }
  /** It runs, and has time left. */
  | { readonly kind: 'goes-on'; readonly next: ClaimRecord }
  /** Its target does not show it, and its message may still start it. */
  | { readonly kind: 'not-shown'; readonly next: ClaimRecord }
  /** It was told before, or of another execution. */
  | { readonly kind: 'nothing' };

/** The end of an execution, as an event or its target tells it. */
export interface End {
  readonly name: string;
  readonly status: 'succeeded' | 'failed';
  readonly error: RecordedError | undefined;
}

/** The claim of an intent before its execution is started: found as it is, or as it will stand. */
export type BeforeStart =
  /** This execution is to be started: its start is not known to be certain. */
  | { readonly kind: 'start'; readonly record: ClaimRecord; readonly write?: ClaimWrite }
  /** The first execution was started, and what has become of it is told to the claim. */
  | { readonly kind: 'started' }
  | { readonly kind: 'parked'; readonly record: ClaimRecord }
  | { readonly kind: 'key-reused' };

/** What becomes of an intent's wish to start. @param hash of the intent */
export function beforeStart(
  found: ClaimRecord | undefined,
  request: Pick<ClaimRecord, 'id' | 'fingerprint' | 'attributes'> & { readonly hash: string },
  rules: ClaimRules,
  now: number,
): BeforeStart {
  const { hash, ...ofClaim } = request;
  // In flight, it is its execution's own.
  const claimId = found?.status === 'in-flight' ? found.claimId : executionName(hash, numberOf(found) + 1);
  const decided = decide(found, { ...ofClaim, claimId, leaseUntil: now + startMs }, rules, now);
  switch (decided.kind) {
    case 'granted': {
      const { record, write } = decided;
      if (write !== undefined) return { kind: 'start', record, write };
      if (executionIn(record.claimId)?.hash !== hash) return { kind: 'parked', record };
      return numberOf(record) > 1 ? { kind: 'started' } : { kind: 'start', record };
    }
    case 'replayed':
      return { kind: 'started' };
    case 'parked':
      return { kind: 'parked', record: decided.record };
    default:
      return { kind: 'key-reused' };
  }
}

/**
 * What the certain start of an execution makes of its claim: it waits for the end.
 *
 * @param execution what its target knows it by
 * @param startedAt epoch milliseconds
 */
export function waiting(
  name: string,
  execution: string,
  found: ClaimRecord | undefined,
  startedAt: number,
  rules: WaitingRules,
): Transition<ClaimRecord> {
  const next = renew(name, found, lookBy(startedAt + rules.endsWithinMs, startedAt, rules), rules);
  return typeof next === 'string' ? next : shownAs(execution, next);
}

/**
 * When an execution is looked at: once it has to have ended, and before its target can have forgotten an end that was never told. Without an answer to that
 * look, nothing tells whether it ran.
 */
function lookBy(endsBy: number, now: number, { remembersSeconds }: WaitingRules): number {
  return Math.min(endsBy, now + Math.max(2 * startMs, remembersSeconds * 500));
}

/** The claim with its execution, for people: they find it there. */
function shownAs(execution: string, record: ClaimRecord): ClaimRecord {
  return { ...record, attributes: { ...record.attributes, execution: execution.slice(0, 512) } };
}

/** What the end of an execution makes of its claim. @param now epoch milliseconds */
export function afterEnd(found: ClaimRecord | undefined, end: End, rules: WaitingRules, now: number): After {
  const nothing: After = { kind: 'nothing' };
  const ended = executionIn(end.name)?.number;
  if (found === undefined || ended === undefined) return nothing;
  const last = numberOf(found);
  if (ended === last - 1 && found.status === 'in-flight' && found.leaseUntil <= now + startMs) {
    return end.status === 'failed' ? { kind: 'may-not-be-started', failed: end.name } : nothing;
  }
  if (ended < last) return nothing;
  if (end.status === 'succeeded')
    return settledAs('completed', settle(found.claimId, found, { status: 'completed' }, rules, now));
  if (found.status !== 'in-flight') return nothing;
  const error = end.error ?? { name: 'ExecutionFailed', message: '' };
  if (rules.afterFailed === 'park' || ended >= rules.maxStarts)
    return park(found, 'ExecutionFailed', `${end.name}: ${lineOf(error)}`, rules, now);
  const released = settle(found.claimId, found, { status: 'released', error }, rules, now);
  if (typeof released === 'string') return nothing;
  return startAgain(found, released, end.name, rules, now);
}

/** What becomes of a claim whose next execution an operator starts. Only one that was released is started: its resolution says that it may run. */
export function afterRelease(found: ClaimRecord | undefined, rules: ClaimRules, now: number): After {
  return found?.status === 'released' ? startAgain(found, found, found.claimId, rules, now) : { kind: 'nothing' };
}

/** Starts an intent again whose last execution has failed. @param released the claim as it is to be granted anew */
function startAgain(found: ClaimRecord, released: ClaimRecord, failed: string, rules: ClaimRules, now: number): After {
  const { hash, number } = executionIn(failed) ?? { hash: '', number: 0 };
  const claimId = executionName(hash, number + 1);
  const decided = decide(released, { id: found.id, claimId, leaseUntil: now + startMs }, rules, now);
  if (decided.kind !== 'granted') return { kind: 'nothing' };
  const { execution: ofTheLast, ...attributes } = decided.record.attributes ?? {};
  return { kind: 'start-again', next: { ...decided.record, attributes }, failed };
}

/**
 * What a look at its execution makes of a claim whose lease is over.
 *
 * @param execution as its target describes it; `undefined` if it shows none
 */
export function afterLook(
  found: ClaimRecord,
  execution: Execution | undefined,
  rules: WaitingRules,
  now: number,
): After {
  const { claimId: name, firstSeenAt, leaseUntil } = found;
  const { endsWithinMs, remembersSeconds } = rules;
  if (execution === undefined) {
    if (now - leaseUntil >= remembersSeconds * 1000)
      return park(found, 'ExecutionUnknown', `${name}: its target may have forgotten it`, rules, now);
    const { hash, number } = executionIn(name) ?? { hash: '', number: 1 };
    if (number > 1) return { kind: 'may-not-be-started', failed: executionName(hash, number - 1) };
    if (now - firstSeenAt >= endsWithinMs)
      return park(
        found,
        'ExecutionUnknown',
        `${name}: it was never started, and its message did not come again`,
        rules,
        now,
      );
    return leftUntil('not-shown', now + askAgainMs, found, rules);
  }
  if (execution.status !== 'running')
    return afterEnd(found, { name, status: execution.status, error: execution.error }, rules, now);
  const endsBy = execution.startedAt + endsWithinMs;
  if (now < endsBy) return leftUntil('goes-on', lookBy(endsBy, now, rules), shownAs(execution.execution, found), rules);
  return park(found, 'ExecutionNotEnded', `${name}: it runs, and should have ended`, rules, now);
}

function leftUntil(kind: 'goes-on' | 'not-shown', leaseUntil: number, found: ClaimRecord, rules: ClaimRules): After {
  const next = renew(found.claimId, found, leaseUntil, rules);
  return typeof next === 'string' ? { kind: 'nothing' } : { kind, next };
}

function park(found: ClaimRecord, name: string, message: string, rules: ClaimRules, now: number): After {
  const error = { name, message };
  return settledAs('parked', settle(found.claimId, found, { status: 'parked', error }, rules, now));
}

function settledAs(kind: 'completed' | 'parked', next: Transition<ClaimRecord>): After {
  return typeof next === 'string' ? { kind: 'nothing' } : { kind, next };
}

/** The number of the last execution of a claim; 0 if it has had none that is known. */
function numberOf(found: Pick<ClaimRecord, 'claimId'> | undefined): number {
  return executionIn(found?.claimId ?? '')?.number ?? 0;
}
