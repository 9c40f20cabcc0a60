import { expect } from '../core/check.ts';
import { createClaims } from '../core/claims.ts';
import { canonicalJson, fingerprintOf } from '../core/fingerprint.ts';
import type { Held } from '../core/held.ts';
import type { Host } from '../core/host.ts';
import { type Identity, identify } from '../core/identity.ts';
import { settingsOf } from '../core/options.ts';
import { recordedError } from '../core/record.ts';
import { nodeHost } from '../host.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent, SqsRecord } from './event.ts';
import { again, type Fate, fateOfInvalid, fateOfRefused } from './fate.ts';
import { createLimit } from './limit.ts';
import { type Message, parseMessage, receiveCountOf } from './message.ts';
import type { SqsOptions } from './options.ts';
import { type Delayed, sqsQueue } from './queue.ts';

/** A message that may ask for a claim. */
export interface Runnable<Body> {
  readonly record: SqsRecord;
  readonly message: Message<Body>;
  readonly identity: Identity;
  readonly fingerprint: string | undefined;
  readonly fate?: undefined;
}

/** A message on its way through a batch: with an identity, or with the reason why it can never run. */
export type Prepared<Body> =
  | Runnable<Body>
  | { readonly record: SqsRecord; readonly identity?: undefined; readonly fate: Fate };

/** Dead-letter sends under way at once. */
const callsAtOnce = 10;

export type Consumer<Body> = ReturnType<typeof createConsumer<Body>>;

/** What the two ways of consuming SQS have in common: from a record to its claim, and from fates to a batch response. */
export function createConsumer<Body>(options: SqsOptions<Body> & { readonly host?: Host }) {
  const { key, schema, deadLetters, fingerprint = { ignore: [] } } = options;
  const { concurrency = 10, onInFlight = 'defer', backoffSeconds = defaultBackoff } = options;
  expect(typeof key === 'function', 'key', 'a function of the message', key);
  expect(['defer', 'discard'].includes(onInFlight), 'onInFlight', "'defer' or 'discard'", onInFlight);
  expect(concurrency >= 1, 'concurrency', 'at least 1', concurrency);
  const settings = settingsOf({ host: nodeHost, recordResult: false, ...options });
  const { host, operation } = settings;
  const claims = createClaims(settings);
  const queue = sqsQueue(options.sqsClient);

  async function prepare(record: SqsRecord): Promise<Prepared<Body>> {
    try {
      const message = await parseMessage(record, schema);
      return {
        record,
        message,
        identity: identify(operation, key(message), host),
        fingerprint: fingerprintFor(message, record.body),
      };
    } catch (error) {
      return { record, fate: fateOfInvalid(error) };
    }
  }

  function fingerprintFor(message: Message<Body>, body: string): string | undefined {
    if (fingerprint === false) return undefined;
    const chosen = typeof fingerprint === 'function';
    return fingerprintOf(chosen ? fingerprint(message) : canonicalJson(body, fingerprint.ignore), host);
  }

  /**
   * Asks for the claim of a message: either it is held, or the fate of the message is known. A store that is down is an
   * answer here: nothing runs, and the message stays. Unless it may take over from a worker that died, the answer to a
   * message that was running then is that it is `suspect`, and how many workers it has outlived.
   */
  async function acquire(
    { identity, record, fingerprint }: Runnable<Body>,
    deadline: number,
    mayTakeOver: boolean,
  ): Promise<Held | Fate | { readonly suspect: number }> {
    const redelivered = receiveCountOf(record) > 1;
    const request = { identity, deadline, fingerprint, redelivered, unlessAbandoned: !mayTakeOver };
    try {
      const acquired = await claims.acquire(request);
      if (acquired.held !== undefined) return acquired.held;
      if (acquired.decision === 'taken-over') return { suspect: acquired.record.abandoned };
      // What was delivered before may be the holder's own message come again: acknowledged now, its effect would be lost.
      return fateOfRefused(acquired, redelivered ? 'defer' : onInFlight, settings.settleMs);
    } catch {
      return again;
    }
  }

  /** Carries out the fates of a batch, and answers Lambda: every message that is not done comes again. */
  async function conclude(fates: ReadonlyMap<Prepared<Body>, Fate>): Promise<SqsBatchResponse> {
    const { limited } = createLimit(callsAtOnce);
    const unfinished: Prepared<Body>[] = [];
    const delayed: Delayed[] = [];
    const carryOut = async ([prepared, fate]: readonly [Prepared<Body>, Fate]) => {
      if (fate.fate === 'done') return;
      if (fate.fate === 'dead-letter' && (await limited(() => deadLetter(prepared, fate)))) return;
      unfinished.push(prepared);
      const seconds = fate.fate === 'again' ? waitOf(prepared.record, fate) : undefined;
      const deferred = 'delayMs' in fate && seconds !== 0;
      if (seconds !== undefined) delayed.push({ ...prepared, seconds: Math.ceil(seconds), deferred });
    };
    // Whatever the author's back-off does, the batch is answered.
    await Promise.allSettled([...fates].map(carryOut));
    await setVisibility(delayed);
    return { batchItemFailures: unfinished.map(({ record }) => ({ itemIdentifier: record.messageId })) };
  }

  /** Seconds until a message is to come again, spread out: or all that wait for one lease would meet at its end. */
  function waitOf(record: SqsRecord, { delayMs, atLeastMs = 0 }: Fate & { fate: 'again' }): number | undefined {
    if (delayMs !== undefined) return delayMs && (delayMs + host.random() * (500 + delayMs / 10)) / 1000;
    const seconds = backoffSeconds(receiveCountOf(record));
    return seconds && Math.max(seconds * (0.75 + host.random() / 2), atLeastMs / 1000);
  }

  /** Sets how long messages stay invisible. What fails is not lost: it comes again when the visibility it has ends. */
  async function setVisibility(delayed: readonly Delayed[]): Promise<void> {
    for (let from = 0; from < delayed.length; from += 10) {
      const batch = delayed.slice(from, from + 10);
      const errors = await queue.setVisibility(batch).catch((error) => batch.map(() => error));
      for (const [index, { record, identity, seconds, deferred }] of batch.entries()) {
        const { messageId } = record;
        const error = errors[index];
        if (error) claims.emit(identity, 'queue-call-failed', { messageId, error: recordedError(error) });
        else if (deferred) claims.emit(identity, 'deferred', { messageId, seconds });
      }
    }
  }

  /** Answers whether the message is safe in the dead-letter queue. If not, it stays where it is. */
  async function deadLetter(
    { record, identity }: Prepared<Body>,
    { reason, error }: Fate & { fate: 'dead-letter' },
  ): Promise<boolean> {
    const { messageId } = record;
    const sent = deadLetters !== undefined;
    try {
      await deadLetters?.send(queue.sqs(), record, reason, `${error.name}: ${error.message}`);
      claims.emit(identity, sent ? 'dead-lettered' : 'undeliverable', { messageId, reason, error });
      return sent;
    } catch (failure) {
      claims.emit(identity, 'queue-call-failed', { messageId, error: recordedError(failure) });
      return false;
    }
  }

  return { settings, claims, concurrency, prepare, acquire, setVisibility, conclude };
}

function defaultBackoff(receiveCount: number): number {
  return Math.min(900, 10 * 3 ** (receiveCount - 1));
}

/** The messages of an invocation, and when it will be stopped. @throws TypeError when it is not a batch of SQS messages */
export function batchOf(event: SqsEvent, context: InvocationContext, host: Host) {
  if (!Array.isArray(event?.Records) || !context?.getRemainingTimeInMillis) {
    throw new TypeError('expected an event of SQS and a context of Lambda');
  }
  return { records: event.Records as SqsEvent['Records'], deadline: host.now() + context.getRemainingTimeInMillis() };
}

/** The order that must be kept: one list per message group of a FIFO queue, and one per message elsewhere. */
export function orderOf<T extends { readonly record: SqsRecord }>(batch: readonly T[]): Iterable<readonly T[]> {
  // On a standard queue a message group means fairness, not order.
  const chainOf = (one: T) =>
    one.record.eventSourceARN?.endsWith('.fifo') ? one.record.attributes.MessageGroupId : one;
  return Map.groupBy(batch, chainOf).values();
}
