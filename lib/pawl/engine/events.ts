import { type EventType, ordinaryEvents } from '../kernel/event-types.ts';
import type { RecordedError } from '../kernel/recorded-error.ts';
import type { ClaimRecord, ClaimStatus, ResultOmitted } from '../rules/record.ts';

/** What every event carries. There is never a payload or a result in one. */
interface About {
  readonly operation: string;
  /** The claim's record id: `operation#key`. Empty where a message has no usable key. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What an event says of the claim as it stands. */
interface OfClaim {
  readonly attempts: number;
  readonly fence: number;
  readonly status: ClaimStatus;
  readonly error?: RecordedError | undefined;
}

/** Why a request of HTTP is refused before anything is claimed. */
export type RequestRefusal = 'missing-key' | 'invalid-key' | 'invalid-request' | 'no-caller';

/**
 * What happened to a lock, or to a work larger than a transaction: ids and counts, and no resource's name. `id` is that of the lock, and `operation` what the
 * locks are named after. `heldMs` is for how long the holder has had the resources, over all its attempts.
 */
export type LockFact =
  /** All of the resources are locked. `takenOver`: how many of them another holder had, whose lease had ended. `heldMs` is 0 for a holder that comes first. */
  | { readonly type: 'locked'; readonly resources: number; readonly takenOver: number; readonly heldMs: number }
  /** Other holders have some of the resources. `by`: the ids of their locks, ten at most; `id` is the first of them. */
  | {
      readonly type: 'lock-busy';
      readonly resources: number;
      readonly by: readonly string[];
      readonly retryAfterMs: number;
    }
  /** Another holder has taken the resources of a lock over, whose lease has ended. The work on them may be half done. `by`: the id of the other lock. */
  | {
      readonly type: 'lock-taken-over';
      readonly by: string;
      readonly resources: number;
      readonly heldMs: number;
      readonly overdueMs: number;
    }
  /** The work ended, and its resources wait for the holder's next attempt, for `keptMs`. */
  | { readonly type: 'lock-kept'; readonly resources: number; readonly heldMs: number; readonly keptMs: number }
  | { readonly type: 'unlocked'; readonly resources: number; readonly heldMs: number }
  /** A worker found that its lock is another attempt's, another holder's, or ended by an operator. */
  | { readonly type: 'lock-lost'; readonly resources: number; readonly heldMs: number }
  /** An attempt goes on with a work that an earlier one has begun, or leaves one that is not done. `id` is that of the work. */
  | {
      readonly type: 'work-resumed' | 'work-interrupted';
      readonly done: number;
      readonly total: number;
    };

/** What happened, without what every event carries: the form in which it is reported. */
export type ClaimFact =
  /** What was decided about a request. `still-parked`: a claim parked earlier was asked for again; `in-flight`: by a duplicate. */
  | (OfClaim & {
      readonly type: 'granted' | 'taken-over' | 'replayed' | 'in-flight' | 'still-parked';
    })
  /** The key was used before with another intent. `ruleChanged`: as found by another rule, so it may be the same one. */
  | (OfClaim & { readonly type: 'key-reused'; readonly ruleChanged: boolean })
  /** How an attempt ended. */
  | (OfClaim & { readonly type: 'completed' | 'released' | 'rejected' | 'parked' })
  /** A late worker came with an outcome for a claim that had been taken over. Nothing was overwritten. */
  | (OfClaim & { readonly type: 'stale-claim' })
  /** The effect happened, and could not be recorded. A later delivery may be decided as if it were unknown. */
  | (OfClaim & { readonly type: 'completion-lost'; readonly storeError: RecordedError })
  /** Another outcome could not be recorded: the claim stays in flight until its lease ends. */
  | (OfClaim & { readonly type: 'outcome-lost'; readonly storeError: RecordedError })
  /** Nothing was started: too little time was left. */
  | { readonly type: 'not-started'; readonly remainingMs: number }
  | { readonly type: 'result-not-recorded'; readonly reason: ResultOmitted }
  /** The handler failed after its effect: the claim is completed, and this is the only trace of the error. */
  | { readonly type: 'failed-after-effect'; readonly error: RecordedError }
  /** A step threw. Reported because a handler that does not wait for the step would never learn of it. */
  | { readonly type: 'step-failed'; readonly step: string; readonly error: RecordedError }
  | { readonly type: 'store-unavailable'; readonly error: RecordedError }
  /** The provider was asked about an effect in doubt. `settled`: late enough for "not applied" to be believed. */
  | { readonly type: 'reconciled'; readonly verdict: string; readonly settled: boolean }
  /**
   * The provider's statement was compared with the claims, up to a cut-off. `statement-findings`: `open` findings wait for an operator, `fresh` of them
   * found by this run. The event is about the operation, and has no claim.
   */
  | {
      readonly type: 'statement-clean' | 'statement-findings';
      readonly from: number;
      readonly cutOff: number;
      readonly lines: number;
      readonly open: number;
      readonly fresh: number;
    }
  /** A remedy has settled a finding. `id` is the claim of the remedy; `amount` is in the smallest unit of the currency. */
  | {
      readonly type: 'finding-settled';
      readonly finding: string;
      readonly how: 'remedy' | 'by-hand';
      readonly amount: number;
    }
  /** A limit has stopped a run of remedies, which has done `count` of them. The event is about the operation, and has no claim. */
  | { readonly type: 'remedy-limit'; readonly limit: string; readonly count: number; readonly amount: number }
  /** A message went back to its queue until what it waits for can have ended: another worker's lease, a provider's settling. */
  | { readonly type: 'deferred'; readonly messageId: string; readonly seconds: number }
  /**
   * Messages of a batch went back to their queue, `messages` of them: they are deferred, or tried again. `oldestMs` is how old the oldest of them will be when it
   * comes again, at the earliest; the event is about that one. An age of SQS itself leaves out what it has delivered three times.
   */
  | { readonly type: 'waiting'; readonly messageId: string; readonly messages: number; readonly oldestMs: number }
  /** The same key again in one batch: it shared the outcome of the first. */
  | { readonly type: 'repeated'; readonly messageId: string }
  /** The message can never run. It was sent to the dead-letter queue; or the queue's own redrive policy will move it. */
  | {
      readonly type: 'dead-lettered' | 'undeliverable';
      readonly messageId: string;
      readonly reason: string;
      readonly error: RecordedError;
    }
  /**
   * The author's own code threw, or returned what it must not, before a message had its claim. The message comes again after its back-off.
   * `error` has the name of what was thrown, and `stack` the places in the code: its text is left out, because it may quote the body.
   */
  | {
      readonly type: 'author-error';
      readonly messageId: string;
      readonly stage: 'envelope' | 'key' | 'schema' | 'fingerprint' | 'attributes' | 'backoffSeconds';
      readonly error: RecordedError;
      readonly stack: string;
    }
  /** A part of the message is kept elsewhere, in S3 say, and could not be read from there. Nothing has run, and the message comes again. */
  | { readonly type: 'payload-unavailable'; readonly messageId: string; readonly error: RecordedError }
  /** A batch handler returned a value that pawl does not understand: all messages that it was given failed. `came`: the type of that value. */
  | { readonly type: 'answer-not-understood'; readonly came: string; readonly messages: number }
  /**
   * A batch handler's response came so near to the end that it may be Middy's early one, while the handler still runs: its claims stay in flight,
   * and its messages come again.
   */
  | { readonly type: 'late-answer'; readonly remainingMs: number; readonly messages: number }
  /** A request of HTTP was refused before anything was claimed: its response is 400, or 403 where the caller is unknown. */
  | { readonly type: 'request-refused'; readonly reason: RequestRefusal; readonly error: RecordedError }
  /**
   * Under `mode: 'observe'`, what enforcement would have done with a delivery whose handler runs all the same. `would-defer`: another run is under way;
   * `would-park`: an earlier run, or this one, left the effect in doubt, and the policy is `'park'`.
   */
  | (OfClaim & { readonly type: 'would-replay' | 'would-defer' | 'would-park' })
  /**
   * Under `mode: 'observe'`: enforcement would not have run it; at a queue, the message would have gone to the dead-letter queue. Where the `reason` of a refusal is
   * `key-reused`, the key stands for another payload as well: it is wrong.
   */
  | {
      readonly type: 'would-refuse' | 'would-dead-letter';
      readonly reason: string;
      readonly error: RecordedError;
    }
  /** Under `mode: 'observe'`: a run is not known to be written down. The handler ran as it would have without pawl. */
  | { readonly type: 'unseen'; readonly error: RecordedError }
  /** A handler was run under `mode: 'observe'` for a key that enforcement has, or had: for it, there is no gate. */
  | (OfClaim & { readonly type: 'observed-beside' })
  /** A call to SQS failed. No message is lost: it stays on its queue. */
  | { readonly type: 'queue-call-failed'; readonly messageId: string; readonly error: RecordedError }
  | LockFact
  /** A message of an outbox. `sent`: its destination has it. `left`: the relay sends it, because an earlier one of its group comes first, or no time was left. */
  | { readonly type: 'message-sent' | 'message-left'; readonly to: string }
  /** A message of an outbox did not get to its destination, or did not leave the outbox. `not-sent`: it is tried again. `parked`: an operator decides. */
  | { readonly type: 'message-not-sent' | 'message-parked'; readonly to: string; readonly error: RecordedError };

/**
 * One thing that happened to a claim or its message. The words are the protocol's.
 *
 * @example
 * const onEvent = (event: ClaimEvent) => {
 *   if (event.type === 'parked') console.error(`${event.id} waits for a decision since attempt ${event.attempts}`);
 * };
 */
export type ClaimEvent = About & ClaimFact;

function isOrdinary(type: EventType): boolean {
  return ordinaryEvents.some((one) => one === type);
}

/** The listener of those who gave none: one line of JSON to `console.warn` for whatever is out of the ordinary. */
export function reportTheUnusual(event: ClaimEvent): void {
  if (!isOrdinary(event.type)) console.warn(eventLine(event));
}

/**
 * A listener that writes every event as one line of JSON to the console, where CloudWatch Logs picks it up.
 *
 * @example
 * const refundOnce = once(
 *   { operation: 'refund', store, key: (payment: Payment) => payment.id, onAbandoned: 'park', onEvent: logEvents },
 *   (payment) => bank.refund(payment, { idempotencyKey: payment.id }),
 * );
 */
export function logEvents(event: ClaimEvent): void {
  console[isOrdinary(event.type) ? 'log' : 'warn'](eventLine(event));
}

function eventLine({ type, ...facts }: ClaimEvent): string {
  return JSON.stringify({ pawl: type, ...facts });
}

/** What an event says of a claim, and of how it ended: nothing that was recorded as a result. */
export function factsOf(record: ClaimRecord, { status, error }: Pick<OfClaim, 'status' | 'error'> = record): OfClaim {
  return { attempts: record.attempts, fence: record.fence, status, error };
}
