import type { ClaimEvent } from '../../lib/pawl/engine/events.ts';
import type { HttpEvent } from '../../lib/pawl/http/event.ts';
import type { Resolution } from '../../lib/pawl/rules/record.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent } from '../../lib/pawl/sqs/event.ts';
import type { Item } from './dynamodb/table.ts';
import type { Sandbox } from './lambda/sandbox.ts';
import type { QueuedMessage } from './sqs/queue.ts';

/** One message's work, as a handler sees it. */
export interface Job {
  readonly messageId: string;
  readonly key: string;
  readonly payload: string;
  readonly effectKey: string;
}

/** What a handler says about its effect, by how it ends. */
export type Ending = 'done' | 'unknown' | 'retryable' | 'rejected' | 'untouched';

/** One time that a handler ran for a key. */
export interface Run {
  readonly job: Job;
  readonly sandbox: Sandbox;
  readonly invocation: string;
  /** May be said more than once: the last word counts. */
  end(ending: Ending): void;
  readonly ending: Ending | undefined;
  /** Its last word came when its time was over. */
  readonly endedLate: boolean;
}

/** What a function is invoked with: a batch of messages, which is empty where it is a request of HTTP. */
export interface LambdaEvent extends SqsEvent {
  readonly http?: HttpEvent & { readonly body: string };
}

export type Handler = (event: LambdaEvent, context: InvocationContext) => Promise<unknown>;

/** What came of an invocation, as the event source sees it. */
export type Outcome =
  | { readonly outcome: 'answered'; readonly response: unknown }
  | { readonly outcome: 'failed'; readonly error: unknown }
  | { readonly outcome: 'killed' };

export interface Invocation {
  readonly name: string;
  readonly sandbox: Sandbox;
  readonly event: LambdaEvent;
  /** In milliseconds since the start. */
  readonly deadline: number;
  /** It has stood still for a while. */
  paused: boolean;
  /** How far its clock was set, in milliseconds: what was granted by the clock before may seem to end so much earlier. */
  clockMovedMs: number;
  ended: boolean;
}

export interface Lambda {
  /** How many invocations are under way. */
  readonly running: number;
  invoke(event: LambdaEvent, done: (outcome: Outcome, invocation: Invocation) => void): void;
  /** What this sandbox is working on. */
  invocationOf(sandbox: Sandbox): Invocation | undefined;
  /** Kills the process that a handler runs in, as a poisonous message does. */
  kill(sandbox: Sandbox, why: string): void;
}

/** What a handler asks a provider for. */
export interface EffectRequest {
  readonly effectKey: string;
  /** Of the message: what the effect is about. */
  readonly key: string;
  readonly payload: string;
}

export interface Provider {
  /** Applies an effect, or not, and says so, or not. */
  apply(sandbox: Sandbox, request: EffectRequest): Promise<string>;
  /** Whether an effect was applied, as far as the look-up has come. Answers nothing when it cannot say. */
  lookUp(sandbox: Sandbox, effectKey: string): Promise<boolean | undefined>;
  /** When each effect of a key was applied, in milliseconds since the start. */
  effectsOf(key: string, payload?: string): number;
  /** Requests for this key that may still be applied. */
  pending(key: string): number;
}

/** What a message is about. Two with the same intent ask for the same effect. */
export interface Intent {
  /** Names it among all. */
  readonly name: string;
  /** `undefined` when it can never run. */
  readonly key: string | undefined;
  readonly payload: string;
}

export interface Traffic {
  intentOf(messageId: string): Intent | undefined;
  intentOfBody(body: string): Intent | undefined;
  intents(): Iterable<Intent>;
  isRefused(key: string): boolean;
  isPoison(key: string): boolean;
  /** Puts a message from the dead-letter queue back; it has another id from then on. */
  redrive(message: QueuedMessage): void;
  /** Whether all has been sent. */
  isOver(): boolean;
}

/** An answer of the table, as it arrives. */
export type Heard = { readonly value: unknown } | { readonly error: unknown };

/**
 * What must never happen: the numbers and the words of the protocol.
 *
 *  0. (Not of the protocol.) The library asks AWS for nothing invalid, leaves no rejection unhandled, and runs what may have
 *     killed a worker alone.
 *  1. At most one applied effect per key: always under `park`, always with a provider that honours the effect key, under
 *     `reconcile` as long as no worker acts after its lease.
 *  2. `completed` implies that the effect is confirmed.
 *  3. No effect starts before its claim is acknowledged by the store.
 *  4. The fence never decreases, and a stale claim id never changes a record.
 *  5. `completed` never goes back within its retention.
 *  6. A message is acknowledged only when confirmed, or durably dead-lettered.
 *  7. No message is lost.
 *  8. FIFO order holds per group, and nothing of a group runs after its failed predecessor.
 *  9. The same key with another fingerprint never runs.
 * 10. `batchItemFailures` is exactly the unfinished messages.
 * 11. A parked claim changes only by an operator or by proof from its last holder; each change is recorded.
 * 12. The effect key is the same on every attempt.
 * 13. Nothing is started by a worker that could know that its lease is over, or too short. It acts after its lease only if it
 *     stood still, if its clock was wrong, or if its renewals could not be written.
 * 14. After the faults stop, every message reaches done, dead-letter or parked in bounded time; no invocation hangs for nothing.
 */
export interface Violation {
  readonly invariant: number;
  readonly text: string;
  /** In milliseconds since the start. */
  readonly at: number;
}

/** Sees everything, and is asked by nobody. */
export interface Oracle {
  readonly violations: readonly Violation[];
  problem(invariant: number, text: string): void;
  wrote(writer: Sandbox, before: Item | undefined, after: Item): void;
  invoked?(invocation: Invocation): void;
  /** An invocation has ended, or was killed. */
  concluded?(invocation: Invocation, outcome: Outcome): void;
  /** A request leaves for the table. */
  sending?(sandbox: Sandbox, input: object): void;
  heard(sandbox: Sandbox, input: object, answer: Heard): void;
  /** Something goes wrong on this sandbox's way to the table. */
  storeFails(sandbox: Sandbox): void;
  /** The table refuses this sandbox because it is asked for more than it can do. */
  throttles?(sandbox: Sandbox): void;
  event(sandbox: Sandbox, event: ClaimEvent): void;
  runStarted(sandbox: Sandbox, job: Job, fence?: number): Run;
  isRunning(key: string): boolean;
  /** The effect that a handler has marked begins. */
  effectStarted(sandbox: Sandbox, job: Job): void;
  effectSent(sandbox: Sandbox, request: EffectRequest): void;
  effectApplied(request: EffectRequest, times: number): void;
  /** A copy of a message with this body has arrived in the dead-letter queue, unless that had it already. */
  deadLettered(sandbox: Sandbox, body: string, copy: QueuedMessage | undefined): void;
  answered(invocation: Invocation, response: SqsBatchResponse): void;
  deleted(message: QueuedMessage): void;
  /** Whether there is, or was, a copy of this message in the dead-letter queue. */
  hasCopy(messageId: string): boolean;
  clockWentWrong(): void;
  /** An operator decided; unless it was `applied`, the effect may be applied once more. */
  allowsAnother(key: string, verdict: Resolution['verdict']): void;
  everythingEnded(ended: boolean): void;
  atTheEnd(): void;
}
