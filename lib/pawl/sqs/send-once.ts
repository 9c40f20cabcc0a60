import type { SqsTransport } from '../aws/aws.ts';
import { acquire } from '../engine/acquire.ts';
import type { Claim } from '../engine/claim.ts';
import type { Engine } from '../engine/engine.ts';
import { markNotDone } from '../engine/not-done.ts';
import { resultOf } from '../engine/once-result.ts';
import { type Settings, settingsOf } from '../engine/options.ts';
import { run } from '../engine/run.ts';
import { nodeHost } from '../host.ts';
import { environmentName, expect } from '../kernel/check.ts';
import { errorKind } from '../kernel/error-kind.ts';
import { explainedError, InvalidMessageError, isSetupError, NothingRunError } from '../kernel/errors.ts';
import { type Host, sleep } from '../kernel/host.ts';
import { joined, producersOperations } from '../kernel/name.ts';
import { expectKinds } from '../kernel/option-kinds.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { answeredBy, isNoAnswer } from '../kernel/request.ts';
import { type Pauses, pauseMs } from '../kernel/retry.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { canonicalJson, fingerprintOf } from '../payload/fingerprint.ts';
import { keyAttribute } from '../payload/sent-key.ts';
import { checkedAttributes } from '../rules/attributes.ts';
import type { Grant } from '../rules/grant.ts';
import { expectOperation, identify } from '../rules/identity.ts';
import type { ClaimRecord } from '../rules/record.ts';
import { callSqs } from './calls.ts';
import { explainedCall } from './explain.ts';
import { isRefusal } from './refusal.ts';
import {
  docs,
  known,
  knownOfMessage,
  type Outgoing,
  refused,
  type SendOnceOptions,
  type SendOutcome,
} from './send-once-options.ts';
import { expectSqs } from './sqs-of.ts';

/** How long one try has, in milliseconds: another producer waits that long for one that has died. */
const leaseMs = 10_000;
/** Between two tries. */
const pauses: Pauses = { firstMs: 100, mostMs: 5000 };

/**
 * Sends a message once per intent, as far as the consumer is concerned: the key is kept in the claims table before anything is sent, and
 * goes along as the message attribute `idempotency-key`. A producer that dies on the way and is run again sends with the same key; so does
 * a producer whose request had no answer. Either may put the message into the queue twice: the consumer, whose key is `sentKey()`, runs once.
 *
 * The returned function rejects with SQS's error, or with `StoreUnavailableError`, if SQS or the store still fails after `giveUpAfterMs`. It rejects at
 * once with SQS's refusal; with `InvalidMessageError` if the key is missing; with what to change if the table, the queue or a permission is not as
 * pawl needs it.
 *
 * @throws OptionError at once when an option is missing or out of range; at the first call when the queue's URL is missing
 * @example
 * const send = sendOnce({ operation: 'refund', store, queueUrl: process.env.REFUNDS_QUEUE_URL });
 * const answer = await send({ key: entityKey('payment', payment.id, 'refund'), body: { payment: payment.id } });
 * if (answer.outcome === 'parked') console.error(`an operator has to decide: ${answer.error.message}`);
 */
export function sendOnce(options: SendOnceOptions): (message: Outgoing) => Promise<SendOutcome> {
  expectOptions(options, { door: 'sendOnce', known, refused, docs });
  const producer = createProducer(options);
  return (message) => sendMessage(producer, message);
}

/** What a producer sends with. */
interface Producer {
  /** Of the operation, without the prefix that keeps the producer's claims apart from the consumer's. */
  readonly settings: Settings<unknown>;
  /** For messages whose key is their identity, and for those that have an intent. */
  readonly engines: Readonly<Record<keyof typeof producersOperations, Engine<unknown>>>;
  /** @throws OptionError when it is missing */
  readonly urlOfQueue: () => string;
  readonly giveUpAfterMs: number;
  readonly ignore: readonly string[];
  readonly transport: SqsTransport;
}

/** A message with its key, ready to be sent. */
interface Sendable {
  readonly message: Outgoing;
  /** The body as JSON. */
  readonly text: string;
  readonly key: string;
  /** When the caller gives up, in epoch milliseconds. */
  readonly until: number;
}

/** @throws OptionError when an option is missing or out of range */
function createProducer(options: SendOnceOptions): Producer {
  const { queueUrl, operation, giveUpAfterMs = known.giveUpAfterMs.default, ignore = [] } = options;
  expect(typeof operation === 'string' && operation !== '', 'operation', "a name, such as 'refund'", operation);
  const isUrl = typeof queueUrl !== 'string' || !queueUrl.startsWith('arn:');
  expect(isUrl, 'queueUrl', "a queue's URL: https://sqs.… (queue.queueUrl of CDK)", queueUrl);
  const { read } = environmentName('queueUrl', {
    value: queueUrl,
    expected: "a queue's URL",
    variable: 'Set the environment variable that it is read from to the URL of the queue.',
  });
  expectKinds(known, options);
  const { store, retentionSeconds, watched, onEvent, host = nodeHost } = options;
  const settings = settingsOf<unknown>({
    operation,
    store,
    // A second message does no harm: it has the same key.
    onAbandoned: 'retry',
    classify: (error) => (isRefusal(error) ? 'retryable' : undefined),
    maxAttempts: Number.MAX_SAFE_INTEGER,
    maxAbandoned: Number.MAX_SAFE_INTEGER,
    ...(retentionSeconds !== undefined && { retentionSeconds }),
    ...(watched !== undefined && { watched }),
    ...(onEvent && { onEvent }),
    host,
  });
  const transport = expectSqs('sendOnce', options);
  const engineOf = (prefix: string) => {
    expectOperation(`${prefix}${operation}`);
    return { settings: { ...settings, operation: `${prefix}${operation}` } };
  };
  const engines = { keys: engineOf(producersOperations.keys), intents: engineOf(producersOperations.intents) };
  return { settings, engines, urlOfQueue: read, giveUpAfterMs, ignore, transport };
}

async function sendMessage(producer: Producer, message: Outgoing): Promise<SendOutcome> {
  expectOptions(message, { door: 'sendOnce', within: 'message', known: knownOfMessage, inherited: 'taken', docs });
  const { engines, settings, giveUpAfterMs, ignore } = producer;
  const { host } = settings;
  // Before the key is kept: a key without its message would say that a message is under way.
  producer.urlOfQueue();
  const proposed = identify(settings.operation, message.key, host).key;
  const hasIntent = message.intent !== undefined && message.intent !== null;
  const engine = hasIntent ? engines.intents : engines.keys;
  const identity = identify(engine.settings.operation, hasIntent ? message.intent : proposed, host);
  const text = textOf(message.body);
  const fingerprint = fingerprintOf(canonicalJson(text, ignore), host);
  // The key is kept by the one write that comes before anything is sent: as the claim's own, or beside its intent's.
  const attributes = hasIntent ? checkedAttributes({ key: proposed }) : undefined;
  const until = host.now() + giveUpAfterMs;

  for (let failures = 0; ; failures++) {
    const acquired = await acquire(engine, { identity, fingerprint, attributes, deadline: host.now() + leaseMs });
    switch (acquired.kind) {
      case 'granted':
      case 'taken-over': {
        const key = keptKey(acquired.record, proposed);
        const sent = await sendUnder(producer, engine, acquired.grant, { message, text, key, until });
        if (sent.kind === 'sent') return { outcome: 'sent', key, messageId: sent.messageId, replayed: false };
        if (isRefusal(sent.error) || !(await pauseBefore(until, host, failures))) {
          throw explainedCall(sent.error, 'sqs:SendMessage', producer.urlOfQueue());
        }
        break;
      }
      case 'unavailable': {
        const { cause } = acquired;
        const isFinal = isSetupError(cause) || errorKind(cause) === 'option';
        if (!isFinal && (await pauseBefore(until, host, failures))) break;
        throw new NothingRunError(`nothing was sent: the claims store failed: ${recordedError(cause).message}`, {
          cause,
        });
      }
      case 'in-flight': {
        const { retryAfterMs } = acquired;
        if (await pauseBefore(until, host, failures, retryAfterMs)) break;
        return { outcome: 'in-flight', retryAfterMs };
      }
      case 'replayed': {
        const { record } = acquired;
        const messageId = record.result === undefined ? undefined : (JSON.parse(record.result) as string);
        return { outcome: 'sent', key: keptKey(record, proposed), messageId, replayed: true };
      }
      case 'parked': {
        const { error = { name: 'Error', message: '' } } = acquired.record;
        const parked = { outcome: 'parked', error } as const;
        // A handler that returns it has not sent anything, as with any other outcome of a call that is not done.
        markNotDone(parked, () => resultOf(parked));
        return parked;
      }
      default:
        return { outcome: 'key-reused' };
    }
  }
}

/** The body as JSON. @throws InvalidMessageError when it has none: nothing is kept and sent then */
function textOf(body: unknown): string {
  let text: string | undefined;
  let why = '';
  try {
    text = JSON.stringify(body);
  } catch {
    why = ' that holds a bigint or a cycle, is nested too deeply, or whose toJSON throws';
  }
  if (text !== undefined) return text;
  throw new InvalidMessageError(
    'invalid-message',
    `the body cannot be written as JSON; got a value of type ${typeof body}${why}`,
  );
}

/** The key that was kept first: it is the one that is sent, whatever is proposed now. */
function keptKey({ attributes }: ClaimRecord, proposed: string): string {
  return String(attributes?.['key'] ?? proposed);
}

type Sent =
  | { readonly kind: 'sent'; readonly messageId: string | undefined }
  | { readonly kind: 'failed'; readonly error: unknown };

async function sendUnder(producer: Producer, engine: Engine<unknown>, grant: Grant, sendable: Sendable): Promise<Sent> {
  const result = await run(engine, grant, (_, claim) => send(producer, sendable, claim), undefined);
  if (result.kind === 'returned') return { kind: 'sent', messageId: result.value };
  if (result.kind === 'reconciled') throw explainedError(TypeError, 'a producer asks no provider', 'wrong-option');
  return { kind: 'failed', error: result.error };
}

/**
 * Sends a message, and waits for SQS no longer than the claim and the call have time: a client may neither have a time-out nor heed a signal.
 *
 * @returns the id of the message
 */
async function send(producer: Producer, sendable: Sendable, claim: Claim): Promise<string | undefined> {
  const { host } = producer.settings;
  const giveUp = new AbortController();
  const until = Math.min(sendable.until, host.now() + claim.remainingMs());
  try {
    return await answeredBy(host, until, request(producer, sendable, AbortSignal.any([claim.signal, giveUp.signal])));
  } catch (cause) {
    const error = isNoAnswer(cause)
      ? explainedError(Error, 'SQS did not respond in time', 'queue-unavailable', { cause })
      : cause;
    giveUp.abort(error);
    throw error;
  }
}

async function request(
  producer: Producer,
  { message, text, key }: Sendable,
  abortSignal: AbortSignal,
): Promise<string | undefined> {
  const { settings, transport } = producer;
  const queueUrl = producer.urlOfQueue();
  const attributes = Object.entries({ ...message.attributes, [keyAttribute]: key });
  const call = {
    QueueUrl: queueUrl,
    MessageBody: text,
    MessageAttributes: Object.fromEntries(attributes.map(([name, value]) => [name, textAttribute(value)])),
    MessageGroupId: message.messageGroupId,
    DelaySeconds: message.delaySeconds,
    // With the operation: SQS would drop the message of another operation with the same key.
    MessageDeduplicationId: queueUrl.endsWith('.fifo')
      ? settings.host.sha256(joined([settings.operation, key]))
      : undefined,
  };
  const sent = await callSqs(transport, 'SendMessage', call, abortSignal);
  return sent.MessageId;
}

/** Waits before another try. @returns whether there is time for one before `until`, in epoch milliseconds */
async function pauseBefore(until: number, host: Host, failures: number, atMostMs = Infinity): Promise<boolean> {
  const waitMs = Math.min(pauseMs(host, failures, pauses), atMostMs);
  if (host.now() + waitMs >= until) return false;
  await sleep(host, waitMs);
  return true;
}

function textAttribute(StringValue: string) {
  return { DataType: 'String', StringValue };
}
