import type { Claim } from '../engine/claim.ts';
import type { MessageAttribute, Opened } from '../payload/envelopes/envelope.ts';
import type { Metadata } from '../payload/envelopes/metadata.ts';
import type { SqsRecord } from './event.ts';

/**
 * One message, as a handler sees it.
 *
 * @example
 * const label = ({ body, receiveCount }: Message<Order>) => `order ${body.id}, delivery ${receiveCount}`;
 */
export interface Message<Body> {
  /** The parsed and validated body. */
  readonly body: Body;
  /**
   * SQS's id of the message. A copy that pawl has dead-lettered or redriven says which message it was made of, and has the id of that one: a key that is
   * made of it stays the same. `record.messageId` is the copy's own. A producer that sends twice makes two ids.
   */
  readonly messageId: string;
  /** How many times SQS has delivered this copy, from 1. */
  readonly receiveCount: number;
  /** The attributes of the message, and over them those that its envelopes carry: what was published with a notification of SNS. */
  readonly messageAttributes: Readonly<Record<string, MessageAttribute>>;
  /** What its envelopes say about it: the topic, the source, the object. Empty without an `envelope`. */
  readonly metadata: Metadata;
  /** A copy of the record that Lambda passed: a handler that changes it does not change which message the batch response names. */
  readonly record: SqsRecord;
}

export function messageOf<Body>(
  record: SqsRecord,
  body: Body,
  { messageAttributes, metadata }: Omit<Opened, 'content'> = sealedIn(record),
): Message<Body> {
  const messageId = firstIdOf(record);
  const message = { body, messageAttributes, metadata, messageId, receiveCount: receiveCountOf(record) };
  let copy: SqsRecord | undefined;
  Object.defineProperty(message, copyOfRecord, {
    value: () => {
      copy ??= copyOf(record);
      return copy;
    },
  });
  return Object.defineProperty(message, 'record', recordOfMessage) as Message<Body>;
}

const copyOfRecord: unique symbol = Symbol('pawl.record');

/** One function for all messages: to an object with a getter of its own, V8 gives a hidden class of its own, and it takes a microsecond for each. */
const recordOfMessage: PropertyDescriptor = {
  enumerable: true,
  configurable: true,
  get(this: { readonly [copyOfRecord]: () => SqsRecord }) {
    return this[copyOfRecord]();
  },
};

/** The message attribute of a copy: SQS's id of the message that it was made of, through any number of copies. */
export const sourceAttribute = 'pawl-source-message-id';

/** SQS's id of the message that a copy was first made of; of a message that is no copy, its own. */
export function firstIdOf({
  messageId,
  messageAttributes,
}: Pick<SqsRecord, 'messageId' | 'messageAttributes'>): string {
  return messageAttributes?.[sourceAttribute]?.stringValue || messageId;
}

/** What SQS delivers, before any envelope is opened. */
export function sealedIn({ body, messageAttributes }: SqsRecord): Opened {
  const copies: Record<string, MessageAttribute> = {};
  // Copies: a handler that changes them must not change what is dead-lettered.
  for (const name in messageAttributes) copies[name] = { ...messageAttributes[name] } as MessageAttribute;
  return { content: { kind: 'text', text: body }, messageAttributes: copies, metadata: {} };
}

export function receiveCountOf(record: SqsRecord): number {
  return Number(record.attributes?.ApproximateReceiveCount) || 1;
}

/** A copy for the author's code. Other middlewares put functions on records, which a structured clone refuses. */
export function copyOf(record: SqsRecord): SqsRecord {
  try {
    return structuredClone(record);
  } catch {
    return { ...record, attributes: { ...record.attributes }, messageAttributes: { ...record.messageAttributes } };
  }
}

/**
 * Handles one message under its claim. What it returns is its result; what it throws is decided by `onAbandoned`.
 *
 * @example
 * const send: MessageHandler<Order> = async ({ body }, claim) => {
 *   await claim.effect(() => mailer.send(body));
 * };
 */
export type MessageHandler<Body> = (message: Message<Body>, claim: Claim) => Promise<unknown> | unknown;
