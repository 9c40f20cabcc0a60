import { expect, expectFunction } from '../kernel/check.ts';
import { callListener } from '../kernel/listener.ts';
import { answeredBy } from '../kernel/request.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { bytesOf } from '../kernel/text.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { type EnvelopeOption, envelopesOf, openAll, payloadIn } from '../payload/envelopes/envelope.ts';
import { bodyIn } from '../payload/payload.ts';
import { identify } from '../rules/identity.ts';
import { deadLetterAttributes } from '../sqs/dead-letters.ts';
import type { DeadLetterReason } from '../sqs/disposition.ts';
import type { SqsRecord } from '../sqs/event.ts';
import type { MessageKey } from '../sqs/keys.ts';
import { messageOf, sealedIn } from '../sqs/message.ts';
import { type ClaimView, claimView } from './claim-view.ts';
import type { Desk } from './desk.ts';
import { giveBack, type Received, readQueueState, receiveSome } from './queue-calls.ts';
import { readRecord } from './read-record.ts';
import { docs } from './words.ts';

/**
 * Which dead letters to look at.
 *
 * @example
 * const query: DeadLettersQuery = {
 *   queueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/orders-dead',
 *   operation: 'send-email',
 *   key: ({ messageAttributes }) => messageAttributes['idempotency-key']?.stringValue,
 * };
 * const { letters } = await operate.deadLetters(query);
 */
export interface DeadLettersQuery {
  /** The URL of the dead-letter queue. */
  readonly queueUrl: string;
  /**
   * The operation of the consumer. With `key`, it finds the claims of messages that say nothing of theirs: those that SQS moved by itself.
   * @default none: only letters that name their claim are joined with it
   */
  readonly operation?: string | undefined;
  /**
   * The consumer's own `key`. Needs `operation`.
   * @default none
   */
  readonly key?: MessageKey<unknown> | undefined;
  /**
   * The consumer's own `envelope`, which is opened before `key` sees the body. A message with several bodies is joined with no claim.
   * @default none
   */
  readonly envelope?: EnvelopeOption | undefined;
  /**
   * At most how many messages to look at: 1 to 10,000.
   * @default 1000
   */
  readonly most?: number | undefined;
  /**
   * For how long a message that is looked at stays hidden if this process dies, in seconds. Otherwise pawl gives it back at once.
   * @default 60
   */
  readonly hideSeconds?: number | undefined;
  /**
   * Whether to return the bodies.
   * @default false
   */
  readonly bodies?: boolean | undefined;
  /**
   * Called after every receive. `of`: about how many messages the queue has.
   * @default none
   */
  readonly onProgress?: ((progress: { readonly seen: number; readonly of: number }) => void) | undefined;
  /**
   * Ends the look early: the messages are given back, and `deadLetters` throws the signal's reason.
   * @default the look goes on to its end
   */
  readonly signal?: AbortSignal | undefined;
}

/** One message of a dead-letter queue. */
export interface DeadLetter {
  readonly messageId: string;
  /** Why pawl put it there: `parked`, `rejected`, … `undefined` if SQS moved it after `maxReceiveCount` receives. */
  readonly reason: string | undefined;
  /** One line: `name: message`. */
  readonly error: string | undefined;
  /** The id that the message had on its own queue, where pawl put it here. */
  readonly sourceMessageId: string | undefined;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  /** How often it was received here. */
  readonly receiveCount: number;
  /** Its message group. */
  readonly group: string | undefined;
  /** Its place on a FIFO queue. */
  readonly sequenceNumber: string | undefined;
  readonly bodyBytes: number;
  /** Only where bodies were asked for. */
  readonly body?: string | undefined;
  /** How its claim was found: pawl's attribute on the message, or the consumer's `key`. */
  readonly joinedBy: 'attribute' | 'key' | 'nothing';
  readonly claimId: string | undefined;
  /** `undefined` if there is none, or it is not known which, or it is foreign. */
  readonly claim: ClaimView | undefined;
  /** Another program, or a later version of pawl, wrote what is under `claimId`. This version leaves it alone, and cannot show it. */
  readonly claimIsForeign: boolean;
}

/** What a look at a dead-letter queue has seen, and what it could not see. */
export interface DeadLettersSeen {
  readonly queueUrl: string;
  readonly letters: readonly DeadLetter[];
  /** About how many messages the queue had, hidden ones with them, when the look began. */
  readonly approximateNumber: number;
  /** About how many of them the look did not see: other receivers have them, or `most` was reached, or their message group was blocked. */
  readonly unseen: number;
  readonly isFifo: boolean;
  /** On a FIFO queue, the groups that were blocked while pawl looked. They are open again. */
  readonly groups: readonly string[];
  /** The queue has a redrive policy of its own: every look counts as a receive, and SQS moves the message after so many. */
  readonly maxReceiveCount: number | undefined;
}

const known = {
  queueUrl: true,
  operation: true,
  key: true,
  envelope: true,
  most: true,
  hideSeconds: true,
  bodies: true,
  onProgress: true,
  signal: true,
} as const satisfies NamesOf<DeadLettersQuery>;

const rejected: string = 'rejected' satisfies DeadLetterReason;

/** How long an envelope may take to open, in milliseconds. */
const openingMs = 5000;

/** @throws OptionError; SQS's error; the store's error; the reason of `signal` */
export async function deadLetters(desk: Desk, query: DeadLettersQuery): Promise<DeadLettersSeen> {
  const { most, hideSeconds } = checked(query);
  const { queueUrl, onProgress, signal } = query;
  const state = await readQueueState(desk, queueUrl);
  const letters = new Map<string, DeadLetter>();
  /** By message: a message that is received again has a new one. */
  const handles = new Map<string, string | undefined>();
  try {
    while (handles.size < most) {
      signal?.throwIfAborted();
      const isMoreExpected = handles.size < Math.min(most, state.visible);
      const received = await receiveSome(desk, queueUrl, { hideSeconds, isMoreExpected });
      const isNew = received.some(({ MessageId }) => !handles.has(MessageId));
      for (const { MessageId, ReceiptHandle } of received) handles.set(MessageId, ReceiptHandle);
      const seen = await Promise.all(received.map((message) => letterOf(desk, message, query)));
      for (const letter of seen) if (letters.size < most) letters.set(letter.messageId, letter);
      callListener(onProgress, { seen: letters.size, of: Math.max(letters.size, state.all) });
      // Messages that come again have been hidden for their whole time: the look has gone round.
      if (!isNew) break;
    }
  } finally {
    await giveBack(desk, queueUrl, handles.values());
  }
  const found = [...letters.values()];
  const isFifo = queueUrl.endsWith('.fifo');
  const groups = isFifo ? new Set(found.map(({ group }) => group).filter((group) => group !== undefined)) : [];
  return {
    queueUrl,
    letters: found,
    approximateNumber: state.all,
    unseen: Math.max(0, state.all - found.length),
    isFifo,
    groups: [...groups],
    maxReceiveCount: state.maxReceiveCount,
  };
}

/** @throws OptionError */
function checked(query: DeadLettersQuery): { readonly most: number; readonly hideSeconds: number } {
  expectOptions(query, { door: 'deadLetters', known, docs });
  const { queueUrl, operation, key, most = 1000, hideSeconds = 60 } = query;
  expect(typeof queueUrl === 'string' && queueUrl !== '', 'queueUrl', "a queue's URL", queueUrl);
  if (key !== undefined) expectFunction('key', 'a function', key);
  expect((key === undefined) === (operation === undefined), 'operation', 'to be given together with key', operation);
  expect(Number.isSafeInteger(most) && most >= 1 && most <= 10_000, 'most', 'a whole number, 1 to 10,000', most);
  expectHideSeconds(hideSeconds);
  return { most, hideSeconds };
}

/** SQS hides a message for 12 hours at most. @throws OptionError */
export function expectHideSeconds(seconds: number): void {
  const fits = Number.isSafeInteger(seconds) && seconds >= 1 && seconds <= 43_200;
  expect(fits, 'hideSeconds', 'a whole number, 1 to 43,200', seconds);
}

async function letterOf(desk: Desk, message: Received, query: DeadLettersQuery): Promise<DeadLetter> {
  const { MessageId, Body = '', Attributes = {}, MessageAttributes = {} } = message;
  const { reason, error, sourceMessageId } = deadLetterAttributes;
  const { joinedBy, claimId } = await joined(desk, message, query);
  const found = await readRecord(desk, claimId);
  return {
    messageId: MessageId,
    reason: MessageAttributes[reason]?.StringValue,
    error: MessageAttributes[error]?.StringValue,
    sourceMessageId: MessageAttributes[sourceMessageId]?.StringValue,
    sentAt: Number(Attributes.SentTimestamp ?? 0),
    receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1),
    group: Attributes.MessageGroupId,
    sequenceNumber: Attributes.SequenceNumber,
    bodyBytes: bytesOf(Body),
    ...(query.bodies === true && { body: Body }),
    joinedBy,
    claimId,
    claim: found.kind === 'read' && found.record ? claimView(found.record, desk.host) : undefined,
    claimIsForeign: found.kind === 'foreign',
  };
}

async function joined(
  { host }: Desk,
  message: Received,
  { operation, key, envelope }: DeadLettersQuery,
): Promise<Pick<DeadLetter, 'joinedBy' | 'claimId'>> {
  const said = message.MessageAttributes?.[deadLetterAttributes.claim]?.StringValue;
  if (said !== undefined && canBeClaim(said)) return { joinedBy: 'attribute', claimId: said };
  const unknown = { joinedBy: 'nothing', claimId: undefined } as const;
  if (operation === undefined || key === undefined) return unknown;
  try {
    const record = recordOf(message);
    const until = host.now() + openingMs;
    const all = await answeredBy(host, until, openAll(envelopesOf(envelope) ?? [], sealedIn(record), { host, until }));
    const [opened, ...more] = all;
    if (opened === undefined || more.length > 0) return unknown;
    const value = key(messageOf(record, bodyIn(payloadIn(opened)), opened));
    return { joinedBy: 'key', claimId: identify(operation, value, host).id };
  } catch {
    // A body that cannot be read has no claim: that is why it may be here.
    return unknown;
  }
}

/** A producer can send what it likes. The id of a lock, or one that no store takes, must not fail the whole look. */
function canBeClaim(id: string): boolean {
  return id.indexOf('#') > 0 && bytesOf(id) <= 2048;
}

/** The message as a consumer's `key` gets it from Lambda. */
function recordOf({
  MessageId,
  ReceiptHandle = '',
  Body = '',
  Attributes = {},
  MessageAttributes = {},
}: Received): SqsRecord {
  const attributes = Object.entries(MessageAttributes).map(
    ([name, { DataType = 'String', StringValue, BinaryValue }]) => [
      name,
      {
        dataType: DataType,
        stringValue: StringValue,
        binaryValue: BinaryValue && Buffer.from(BinaryValue).toString('base64'),
      },
    ],
  );
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: Attributes,
    messageAttributes: Object.fromEntries(attributes),
    eventSourceARN: '',
  };
}

/**
 * Whether the claim of a letter may be somewhere else, where none is found. SQS moved its message after several receives, and a worker claims at the first: the
 * key may be another one, or hidden by another secret. What pawl itself has parked never expires: the table is another one, or has forgotten it. Only of
 * what was rejected the claim may be gone: nothing was applied.
 */
export function mayBeElsewhere({ reason, joinedBy }: Pick<DeadLetter, 'reason' | 'joinedBy'>): boolean {
  return joinedBy === 'key' || reason !== rejected;
}
