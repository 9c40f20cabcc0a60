import type { RecordedError, ResultOmitted } from './record.ts';

/** What every event carries. There is never a payload or a result in one. */
interface About {
  readonly operation: string;
  /** The claim's record id: `operation#key`. Empty where a message has no usable key. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** One thing that happened to a claim. The words are the protocol's. */
export type ClaimEvent = About &
  (
    | { readonly type: 'granted'; readonly attempt: number; readonly fence: number }
    | { readonly type: 'taken-over'; readonly attempt: number; readonly fence: number; readonly abandoned: number }
    | { readonly type: 'replayed'; readonly status: 'completed' | 'rejected' }
    | { readonly type: 'in-flight'; readonly retryAfterMs: number }
    | { readonly type: 'completed'; readonly attempt: number; readonly fence: number }
    | { readonly type: 'released'; readonly error: RecordedError; readonly unknown: boolean }
    | { readonly type: 'rejected'; readonly error: RecordedError }
    | { readonly type: 'parked'; readonly error: RecordedError }
    /** A claim parked earlier was asked for again. */
    | { readonly type: 'still-parked'; readonly error: RecordedError | undefined }
    | { readonly type: 'key-reused' }
    /** Nothing was started: too little time was left. */
    | { readonly type: 'not-started'; readonly remainingMs: number }
    | { readonly type: 'result-not-recorded'; readonly reason: Exclude<ResultOmitted, 'by-choice'> }
    /** The handler failed after its effect: the claim is completed, and this is the only trace of the error. */
    | { readonly type: 'failed-after-effect'; readonly error: RecordedError }
    /** A late worker came with an outcome for a claim that had been taken over. Nothing was overwritten. */
    | { readonly type: 'stale-claim'; readonly outcome: string; readonly fence: number }
    /** The effect happened, and could not be recorded. A later delivery may be decided as if it were unknown. */
    | { readonly type: 'completion-lost'; readonly error: RecordedError }
    /** A release, rejection or parking could not be recorded: the claim stays in flight until its lease ends. */
    | { readonly type: 'outcome-lost'; readonly outcome: string; readonly error: RecordedError }
    | { readonly type: 'store-unavailable'; readonly error: RecordedError }
    /** An in-flight duplicate went back to its queue until the lease can have ended. */
    | { readonly type: 'deferred'; readonly messageId: string; readonly seconds: number }
    /** A duplicate was acknowledged while its first copy was still running, by the author's choice. */
    | { readonly type: 'discarded'; readonly messageId: string }
    /** The same key again in one batch: it shared the outcome of the first. */
    | { readonly type: 'repeated'; readonly messageId: string }
    /** The message can never run: it goes to the dead-letter queue, directly or by the queue's own redrive policy. */
    | { readonly type: 'undeliverable'; readonly messageId: string; readonly reason: string; readonly error: RecordedError }
    | { readonly type: 'dead-lettered'; readonly messageId: string; readonly reason: string }
    /** A call to SQS failed. No message is lost: it stays on its queue. */
    | { readonly type: 'queue-call-failed'; readonly call: string; readonly messageId: string; readonly error: RecordedError }
  );

/** What happened, without what every event carries: the form in which the core reports it. */
export type ClaimFact = ClaimEvent extends infer Event ? (Event extends About ? Omit<Event, keyof About> : never) : never;

/** What happens on every good day. All else is reported, even when nobody listens: money may be involved. */
const ordinary: ReadonlySet<string> = new Set<ClaimEvent['type']>([
  'granted',
  'completed',
  'replayed',
  'in-flight',
  'deferred',
  'discarded',
  'repeated',
]);

/** The listener of those who gave none: one line of JSON to `console.warn` for whatever is out of the ordinary. */
export function reportTheUnusual(event: ClaimEvent): void {
  if (!ordinary.has(event.type)) console.warn(eventLine(event));
}

/** A listener that writes every event as one line of JSON to the console, where CloudWatch Logs picks it up. */
export function logEvents(event: ClaimEvent): void {
  if (ordinary.has(event.type)) console.log(eventLine(event));
  else console.warn(eventLine(event));
}

function eventLine({ type, ...facts }: ClaimEvent): string {
  return JSON.stringify({ pawl: type, ...facts });
}
