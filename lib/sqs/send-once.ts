import { randomUUID } from 'node:crypto';
import { type MessageAttributeValue, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { acquire } from '../claims/acquire.ts';
import { checkedAttributes } from '../claims/attributes.ts';
import type { Engine } from '../claims/engine.ts';
import { identify, type KeyValue } from '../claims/identity.ts';
import { type ClaimOptions, settingsOf } from '../claims/options.ts';
import { run } from '../claims/run.ts';
import { nodeHost } from '../host.ts';
import { expect, expectWhole } from '../kernel/check.ts';
import { InvalidMessageError, StoreUnavailableError } from '../kernel/errors.ts';
import { sleep } from '../kernel/host.ts';
import type { RecordedError } from '../kernel/recorded-error.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { canonicalJson, fingerprintOf } from '../payload/fingerprint.ts';
import { keyAttribute } from './keys.ts';
import { isRefusal } from './refusal.ts';

export interface SendOnceOptions
  extends Pick<ClaimOptions<unknown>, 'store' | 'retentionSeconds' | 'onEvent' | 'host'> {
  /** What the message is for, e.g. the operation of its consumer. The producer's keys are kept apart from the consumer's. */
  readonly operation: string;
  /** The queue's URL. `undefined` is taken, and refused with a clear message, because that is what a missing environment variable is. */
  readonly queueUrl: string | undefined;
  /**
   * A client of your own for SQS. With an endpoint of your own, set its `useQueueUrlAsEndpoint` to false.
   * @default one is made when it is first needed
   */
  readonly sqsClient?: SQSClient;
  /**
   * Paths of the body that may change between two tries, such as `sentAt`. Give them to the consumer's `fingerprint` as well.
   * @default none
   */
  readonly ignore?: readonly string[];
  /**
   * How long a call tries, in milliseconds, before it answers that another producer is at it, or rejects. More than 11 seconds outlast the lease of
   * one that has died.
   * @default 30000
   */
  readonly giveUpAfterMs?: number;
}

/** What is to be sent. */
export interface Outgoing {
  /**
   * The idempotency key: `entityKey('payment', 1234, 'refund')`; or, with an `intent`, `requestKey()`, which is random. The one that
   * was kept first is the one that is sent, however often this is called.
   */
  readonly key: KeyValue;
  /**
   * What is to be done, where the key does not say it: the name under which the key is kept, the same in each run of the producer.
   * @default the key itself
   */
  readonly intent?: KeyValue;
  /** Sent as JSON. */
  readonly body: unknown;
  /** Attributes of your own, all of them texts. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Needed by FIFO queues; on others, it means fairness. */
  readonly messageGroupId?: string;
  readonly delaySeconds?: number;
}

const docs = 'docs/producers.md';
const known = {
  operation: true,
  store: true,
  queueUrl: true,
  sqsClient: true,
  ignore: true,
  giveUpAfterMs: true,
  retentionSeconds: true,
  onEvent: true,
  host: true,
} as const satisfies NamesOf<SendOnceOptions>;
const knownOfMessage = {
  key: true,
  intent: true,
  body: true,
  attributes: true,
  messageGroupId: true,
  delaySeconds: true,
} as const satisfies NamesOf<Outgoing>;

export type SendOutcome =
  /** It is in the queue: since now, or since earlier. `messageId` is the last one known. */
  | {
      readonly outcome: 'sent';
      readonly key: string;
      readonly messageId: string | undefined;
      readonly replayed: boolean;
    }
  /** Another producer is at it. Ask again after `retryAfterMs`. */
  | { readonly outcome: 'in-flight'; readonly retryAfterMs: number }
  /** The intent was sent before with another body. Nothing was sent. */
  | { readonly outcome: 'key-reused' }
  /** It could not be sent for so long that it has to be decided whether it still should. Nothing was sent. */
  | { readonly outcome: 'parked'; readonly error: RecordedError };

/** How long one try has, in milliseconds: so long does another producer wait for one that has died. */
const leaseMs = 10_000;
const longestWaitMs = 5000;

const defaults = { host: nodeHost, giveUpAfterMs: 30_000, ignore: [] as readonly string[] };

/**
 * Sends a message once per intent, as far as the consumer is concerned: the key is kept in the claims table before anything is sent, and
 * goes along as the message attribute `idempotency-key`. A producer that dies on the way and is run again sends with the same key; so does
 * one whose request was not answered. Either may put the message into the queue twice: the consumer, whose key is `sentKey()`, runs once.
 *
 * The returned function rejects with SQS's error, or with `StoreUnavailableError`, when that did not end in time; with SQS's refusal at
 * once; with `InvalidMessageError` when the key is missing.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * const send = sendOnce({ operation: 'refund', store, queueUrl: process.env.REFUNDS_QUEUE_URL });
 * await send({ key: entityKey('payment', payment.id, 'refund'), body: { payment: payment.id } });
 */
export function sendOnce(options: SendOnceOptions): (message: Outgoing) => Promise<SendOutcome> {
  expectOptions(options, { door: 'sendOnce', known, docs });
  const { queueUrl, operation, giveUpAfterMs = defaults.giveUpAfterMs, ignore = defaults.ignore } = options;
  expect(typeof operation === 'string' && operation, 'operation', 'a name', operation);
  expect(typeof queueUrl === 'string' && queueUrl, 'queueUrl', "a queue's URL", queueUrl);
  expectWhole('giveUpAfterMs', giveUpAfterMs);
  const { store, retentionSeconds, onEvent, host: givenHost } = options;
  const settings = settingsOf<unknown>(
    {
      // Kept apart from the consumer's claims: a key that is completed here would be taken there for an effect that has happened.
      operation: `send:${operation}`,
      store,
      // A second message does no harm: it has the same key.
      onAbandoned: 'retry',
      classify: (error) => (isRefusal(error) ? 'retryable' : undefined),
      maxAttempts: Number.MAX_SAFE_INTEGER,
      maxAbandoned: Number.MAX_SAFE_INTEGER,
      ...(retentionSeconds !== undefined && { retentionSeconds }),
      ...(onEvent && { onEvent }),
      host: givenHost ?? nodeHost,
    },
    { host: nodeHost },
  );
  const { host } = settings;
  const engine: Engine<unknown> = { settings };
  let client = options.sqsClient;

  /** @returns the id of the message */
  async function send(message: Outgoing, key: string, text: string, signal: AbortSignal): Promise<string | undefined> {
    client ??= new SQSClient({});
    const attributes = { ...message.attributes, [keyAttribute]: key };
    const sent = await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: text,
        MessageAttributes: Object.fromEntries(
          Object.entries(attributes).map(([name, value]) => [name, textAttribute(value)]),
        ),
        MessageGroupId: message.messageGroupId,
        DelaySeconds: message.delaySeconds,
        // With the operation: SQS would drop another one's message with the same key.
        MessageDeduplicationId: queueUrl?.endsWith('.fifo') ? host.sha256(`${operation}#${key}`) : undefined,
      }),
      { abortSignal: signal },
    );
    return sent.MessageId;
  }

  return async function sendMessage(message) {
    expectOptions(message, { door: 'sendOnce', within: 'message', known: knownOfMessage, docs });
    const proposed = identify(settings.operation, message.key, host).key;
    const identity = identify(settings.operation, message.intent ?? proposed, host);
    const text: string | undefined = JSON.stringify(message.body);
    if (text === undefined) throw new InvalidMessageError('invalid-message', 'the body is not JSON');
    const fingerprint = fingerprintOf(canonicalJson(text, ignore), host);
    // The key is kept by the one write that comes before anything is sent: as the claim's own, or beside its intent's.
    const attributes = message.intent == null ? undefined : checkedAttributes({ key: proposed });
    const until = host.now() + giveUpAfterMs;

    /** Waits before another try; or answers that there is no time for one. */
    async function again(round: number, atMostMs = Infinity): Promise<boolean> {
      // Spread out: producers that failed together must not come back together.
      const waitMs = Math.min(longestWaitMs, 100 * 2 ** round) * (0.5 + host.random() / 2);
      const ms = Math.min(waitMs, atMostMs);
      if (host.now() + ms >= until) return false;
      await sleep(host, ms);
      return true;
    }

    for (let round = 0; ; round++) {
      const acquired = await acquire(engine, { identity, fingerprint, attributes, deadline: host.now() + leaseMs });
      if (acquired.kind === 'unavailable') {
        if (await again(round)) continue;
        const { cause } = acquired;
        throw new StoreUnavailableError('nothing was sent: the claims store failed', { cause });
      }
      const { record, grant } = acquired;
      const key = String(record.attributes?.['key'] ?? proposed);
      if (grant !== undefined) {
        const ran = await run(engine, grant, (_, claim) => send(message, key, text, claim.signal), undefined);
        if (ran.kind === 'returned') return { outcome: 'sent', key, messageId: ran.value, replayed: false };
        if (ran.kind === 'reconciled') throw new TypeError('a producer asks no provider');
        if (isRefusal(ran.error) || !(await again(round))) throw ran.error;
      } else if (acquired.kind === 'in-flight') {
        const { retryAfterMs } = acquired;
        if (!(await again(round, retryAfterMs))) return { outcome: 'in-flight', retryAfterMs };
      } else if (acquired.kind === 'replayed') {
        const messageId = record.result === undefined ? undefined : (JSON.parse(record.result) as string);
        return { outcome: 'sent', key, messageId, replayed: true };
      } else if (acquired.kind === 'parked') {
        return { outcome: 'parked', error: record.error ?? { name: 'Error', message: '' } };
      } else {
        return { outcome: 'key-reused' };
      }
    }
  };
}

/**
 * The key of what happens once to a thing: `payment/1234/refund`. The same in every run, so there is nothing to keep. Parts are
 * escaped: `('a', 'b/c')` and `('a/b', 'c')` are two keys. The form is that of `compositeKey`.
 *
 * @throws InvalidMessageError when a part is missing, or nothing that identifies anything
 * @example
 * entityKey('payment', payment.id, 'refund')
 */
export function entityKey(...parts: readonly KeyValue[]): string {
  return parts.map((part) => encodeURIComponent(identify('key', part, nodeHost).key)).join('/');
}

/** A key for one request, random: for what may well be done twice, if it is asked for twice. Keep it before you send, or give `sendOnce` an intent. */
export function requestKey(): string {
  return randomUUID();
}

function textAttribute(StringValue: string): MessageAttributeValue {
  return { DataType: 'String', StringValue };
}
