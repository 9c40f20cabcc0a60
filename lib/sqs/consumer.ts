import { createClaims, type Held } from '../core/claims.ts';
import type { Host } from '../core/host.ts';
import { type Identity, identify } from '../core/identity.ts';
import { expect, expectNumber, settingsOf } from '../core/options.ts';
import { recordedError } from '../core/record.ts';
import { nodeHost } from '../host.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent, SqsRecord } from './event.ts';
import { again, type Fate, fateOfInvalid, fateOfRefused } from './fate.ts';
import { createLimit } from './limit.ts';
import { type Message, parseMessage, receiveCountOf } from './message.ts';
import type { SqsOptions } from './options.ts';
import { sqsQueue } from './queue.ts';

/** A message that may ask for a claim. */
export interface Runnable<Body> {
  readonly record: SqsRecord;
  readonly message: Message<Body>;
  readonly identity: Identity;
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
  const { key, schema, concurrency = 10, onInFlight = 'defer' } = options;
  expect(typeof key === 'function', 'key', "a function of the message, e.g. bodyField('orderId')", key);
  expect(['defer', 'discard'].includes(onInFlight), 'onInFlight', "'defer' or 'discard'", onInFlight);
  expectNumber('concurrency', concurrency, 1, 10_000);
  const settings = settingsOf({ host: nodeHost, recordResult: false, ...options });
  const { host } = settings;
  const claims = createClaims(settings);
  const queue = sqsQueue(options.sqsClient);

  async function prepare(record: SqsRecord): Promise<Prepared<Body>> {
    try {
      const message = await parseMessage(record, schema);
      return { record, message, identity: identify(settings.operation, key(message), host) };
    } catch (error) {
      return { record, fate: fateOfInvalid(error) };
    }
  }

  /**
   * Asks for the claim of a message: either it is held, or the fate of the message is known. A store that is down is an
   * answer here: nothing runs, and the message stays.
   */
  async function acquire(prepared: Runnable<Body>, deadline: number): Promise<Held | Fate> {
    const { identity, record } = prepared;
    try {
      const acquired = await claims.acquire({ identity, deadline, redelivered: receiveCountOf(record) > 1 });
      if (acquired.held !== undefined) return acquired.held;
      if (acquired.decision === 'in-flight' && onInFlight === 'discard') {
        claims.emit(identity, { type: 'discarded', messageId: record.messageId });
      }
      return fateOfRefused(acquired, onInFlight);
    } catch {
      return again;
    }
  }

  /** Carries out the fates of a batch, and answers Lambda: every message that is not done comes again. */
  async function conclude(fates: ReadonlyMap<Prepared<Body>, Fate>): Promise<SqsBatchResponse> {
    const limit = createLimit(callsAtOnce);
    const deadLettered = new Set<Prepared<Body>>();
    const sends = [...fates].map(async ([prepared, fate]) => {
      if (fate.fate !== 'dead-letter') return;
      if (await limit(() => deadLetter(prepared, fate))) deadLettered.add(prepared);
    });
    await Promise.all(sends);
    const unfinished = [...fates].filter(([prepared, { fate }]) => fate !== 'done' && !deadLettered.has(prepared));
    await defer(unfinished);
    return { batchItemFailures: unfinished.map(([{ record }]) => ({ itemIdentifier: record.messageId })) };
  }

  /** Sends what has to wait back to its queue for so long, so that waiting costs one receive and not many. */
  async function defer(unfinished: readonly (readonly [Prepared<Body>, Fate])[]): Promise<void> {
    const delayed = unfinished.flatMap(([prepared, fate]) => {
      if (fate.fate !== 'again' || fate.delayMs === undefined) return [];
      // Spread out, or all that wait for one lease would meet at its end.
      const jitterMs = host.random() * (500 + fate.delayMs / 10);
      return [{ ...prepared, seconds: Math.ceil((fate.delayMs + jitterMs) / 1000) }];
    });
    for (let from = 0; from < delayed.length; from += 10) {
      const batch = delayed.slice(from, from + 10);
      const failed = await queue.setVisibility(batch);
      for (const one of batch) {
        const { messageId } = one.record;
        if (!failed.has(one)) claims.emit(idOf(one), { type: 'deferred', messageId, seconds: one.seconds });
        // Not lost: it comes again when the visibility timeout it has ends.
        else claims.emit(idOf(one), { type: 'queue-call-failed', messageId, error: recordedError(failed.get(one)) });
      }
    }
  }

  /** Answers whether the message is safe in the dead-letter queue. If not, it stays where it is. */
  async function deadLetter(
    prepared: Prepared<Body>,
    { reason, error }: Fate & { fate: 'dead-letter' },
  ): Promise<boolean> {
    const { record } = prepared;
    const { messageId } = record;
    const to = options.deadLetterQueueUrl;
    try {
      if (to !== undefined) await queue.deadLetter(to, record, reason, `${error.name}: ${error.message}`);
      const type = to === undefined ? 'undeliverable' : 'dead-lettered';
      claims.emit(idOf(prepared), { type, messageId, reason, error });
      return to !== undefined;
    } catch (failure) {
      claims.emit(idOf(prepared), { type: 'queue-call-failed', messageId, error: recordedError(failure) });
      return false;
    }
  }

  return { settings, claims, concurrency, prepare, acquire, conclude };
}

/** A message without a usable key has no record; its events carry an empty id. */
function idOf(prepared: { readonly identity?: Identity | undefined }): { readonly id: string } {
  return prepared.identity ?? { id: '' };
}

/** When this invocation will be stopped, in epoch milliseconds. @throws TypeError when it is no Lambda invocation */
export function deadlineOf(context: InvocationContext | undefined, host: Host): number {
  if (typeof context?.getRemainingTimeInMillis !== 'function') {
    throw new TypeError('expected a Lambda context: its getRemainingTimeInMillis() says how long a claim may last');
  }
  return host.now() + context.getRemainingTimeInMillis();
}

/** @throws TypeError when the event is not a batch of SQS messages; Lambda then keeps the messages on their queue */
export function recordsOf(event: SqsEvent): readonly SqsRecord[] {
  if (!Array.isArray(event?.Records)) {
    throw new TypeError('the event is not a batch of SQS messages: expected { Records: [...] }');
  }
  return event.Records;
}

/** The order that must be kept: one list per message group of a FIFO queue, and one per message elsewhere. */
export function orderOf<T extends { readonly record: SqsRecord }>(batch: readonly T[]): readonly (readonly T[])[] {
  const chains = new Map<unknown, T[]>();
  for (const item of batch) {
    // On a standard queue a message group means fairness, not order.
    const fifo = item.record.eventSourceARN?.endsWith('.fifo');
    const group = fifo ? item.record.attributes.MessageGroupId : undefined;
    const chain = chains.get(group ?? item);
    if (chain) chain.push(item);
    else chains.set(group ?? item, [item]);
  }
  return [...chains.values()];
}
