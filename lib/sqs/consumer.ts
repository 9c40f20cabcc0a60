import { type Acquired, createClaims } from '../core/claims.ts';
import type { Host } from '../core/host.ts';
import { type Identity, identify } from '../core/identity.ts';
import { type Settings, settingsOf } from '../core/options.ts';
import { recordedError } from '../core/record.ts';
import { nodeHost } from '../host.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent, SqsRecord } from './event.ts';
import { type Fate, fateOfInvalid, type Refused, refusedFate } from './fate.ts';
import { createLimit } from './limit.ts';
import { type Message, parseMessage, receiveCountOf } from './message.ts';
import { type SqsOptions, sqsSettingsOf } from './options.ts';
import { sqsQueue } from './queue.ts';

/** A message that may ask for a claim. */
export interface Runnable<Body> {
  readonly record: SqsRecord;
  readonly message: Message<Body>;
  readonly identity: Identity;
  readonly fate?: undefined;
}

/** A message on its way through a batch: with an identity, or with the reason why it can never run. */
export type Prepared<Body> = Runnable<Body> | { readonly record: SqsRecord; readonly fate: Fate };

/** Dead-letter sends under way at once. */
const callsAtOnce = 10;

export type Consumer<Body> = ReturnType<typeof createConsumer<Body>>;

/** What the two ways of consuming SQS have in common: from a record to its claim, and from fates to a batch response. */
export function createConsumer<Body>(options: SqsOptions<Body> & { readonly host?: Host }) {
  const settings: Settings = settingsOf({ host: nodeHost, recordResult: false, ...options });
  const sqs = sqsSettingsOf(options);
  const claims = createClaims(settings);
  const queue = sqsQueue(options.sqsClient);
  const { host } = settings;

  async function prepare(record: SqsRecord): Promise<Prepared<Body>> {
    try {
      const message = await parseMessage(record, sqs.schema);
      return { record, message, identity: identify(settings.operation, sqs.key(message), host) };
    } catch (error) {
      return { record, fate: fateOfInvalid(error) };
    }
  }

  /** Asks for the claim of a message. A store that is down is an answer here: nothing runs, and the message stays. */
  async function acquire(prepared: { identity: Identity; record: SqsRecord }, deadline: number): Promise<Acquired | undefined> {
    try {
      return await claims.acquire({
        identity: prepared.identity,
        deadline,
        redelivered: receiveCountOf(prepared.record) > 1,
      });
    } catch {
      return undefined;
    }
  }

  /** Carries out the fates of a batch, and answers Lambda: every message that is not done comes again. */
  async function conclude(fates: ReadonlyMap<Prepared<Body>, Fate>): Promise<SqsBatchResponse> {
    const limit = createLimit(callsAtOnce);
    const failures: SqsBatchResponse['batchItemFailures'] = [];
    const delayed: { record: SqsRecord; seconds: number; id: string }[] = [];

    async function carryOut(prepared: Prepared<Body>, fate: Fate): Promise<void> {
      if (fate.fate === 'done') return;
      const { record } = prepared;
      const id = 'identity' in prepared ? prepared.identity.id : '';
      if (fate.fate === 'dead-letter' && (await limit(() => deadLetter(record, id, fate)))) return;
      failures.push({ itemIdentifier: record.messageId });
      if (fate.fate === 'again' && fate.delayMs !== undefined) {
        delayed.push({ record, id, seconds: Math.ceil((fate.delayMs + jitterMs(fate.delayMs)) / 1000) });
      }
    }

    await Promise.all([...fates].map(([prepared, fate]) => carryOut(prepared, fate)));
    await defer(delayed);
    return { batchItemFailures: failures };
  }

  function fateOfRefused(acquired: Refused, prepared: { identity: Identity; record: SqsRecord }): Fate {
    if (acquired.outcome === 'in-flight' && sqs.onInFlight === 'discard') {
      claims.emit(prepared.identity, { type: 'discarded', messageId: prepared.record.messageId });
    }
    return refusedFate(acquired, sqs.onInFlight);
  }

  /** Waiting duplicates come back spread out, or all of them would meet at the moment the lease ends. */
  const jitterMs = (delayMs: number) => host.random() * Math.min(5000, 500 + delayMs / 10);

  async function defer(delayed: readonly { record: SqsRecord; seconds: number; id: string }[]): Promise<void> {
    if (delayed.length === 0) return;
    const refused = await queue.setVisibility(delayed);
    for (const { record, seconds, id } of delayed) {
      const { messageId } = record;
      const error = refused.get(messageId);
      if (error === undefined) claims.emit({ id }, { type: 'deferred', messageId, seconds });
      // Not lost: it comes again when the visibility timeout it has ends.
      else claims.emit({ id }, { type: 'queue-call-failed', call: 'ChangeMessageVisibility', messageId, error: recordedError(error) });
    }
  }

  /** Answers whether the message is safe in the dead-letter queue. If not, it stays where it is. */
  async function deadLetter(record: SqsRecord, id: string, fate: Fate & { fate: 'dead-letter' }): Promise<boolean> {
    const { messageId } = record;
    const { reason, error } = fate;
    claims.emit({ id }, { type: 'undeliverable', messageId, reason, error });
    if (sqs.deadLetterQueueUrl === undefined) return false;
    try {
      await queue.deadLetter(sqs.deadLetterQueueUrl, record, { reason, error: `${error.name}: ${error.message}` });
      claims.emit({ id }, { type: 'dead-lettered', messageId, reason });
      return true;
    } catch (failure) {
      claims.emit({ id }, { type: 'queue-call-failed', call: 'SendMessage', messageId, error: recordedError(failure) });
      return false;
    }
  }

  return { settings, sqs, claims, prepare, acquire, fateOfRefused, conclude };
}

/** When this invocation will be stopped, in epoch milliseconds. @throws TypeError when it is no Lambda invocation */
export function deadlineOf(context: InvocationContext | undefined, host: Host): number {
  if (typeof context?.getRemainingTimeInMillis !== 'function') {
    throw new TypeError(
      'the handler was called without a Lambda context: expected context.getRemainingTimeInMillis(), which says how long a claim may last',
    );
  }
  return host.now() + context.getRemainingTimeInMillis();
}

/** @throws TypeError when the event is not a batch of SQS messages; Lambda then keeps the messages on their queue */
export function recordsOf(event: SqsEvent): readonly SqsRecord[] {
  if (!Array.isArray(event?.Records)) {
    throw new TypeError(
      'the event is not a batch of SQS messages: expected { Records: [...] }. Is the function connected to an SQS queue?',
    );
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

