import { expect } from '../kernel/check.ts';
import { InvalidMessageError, OptionError } from '../kernel/errors.ts';
import type { KeyValue } from '../kernel/key.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { bytesOf } from '../kernel/text.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { identify } from '../rules/identity.ts';
import { type Destination, keepsOrder, type Sendable } from './destination.ts';
import { destinationOf, type Outbox } from './outbox.ts';
import { laneOfGroup, type OutboxRecord, ownLane } from './record.ts';
import { namesOf } from './sender.ts';

/**
 * A message that is to be committed.
 *
 * @example
 * const receipt: OutboxMessage = {
 *   to: process.env.RECEIPTS_QUEUE_URL,
 *   key: `receipt/${payment.id}`,
 *   body: { payment: payment.id, amountCents: payment.amountCents },
 *   group: payment.customer,
 * };
 */
export interface OutboxMessage {
  /** The URL of a queue, or the ARN of a topic or of an event bus, where `destinations` of the outbox has those. */
  readonly to: string | undefined;
  /** Sent as JSON. For an event bus an object. */
  readonly body: unknown;
  /** The idempotency key of what the message asks for. It travels with every copy, and the consumer finds it by `sentKey()`. */
  readonly key: KeyValue;
  /** The message group. A FIFO queue needs one, and the outbox keeps its order. On a standard queue it means fairness. */
  readonly group?: string | undefined;
  /**
   * For how long SQS holds the message back, in seconds: 0 to 900. Not for a FIFO queue.
   * @default what the queue sets
   */
  readonly delaySeconds?: number | undefined;
  /** Attributes of your own, at most 8, all of them texts. Not for an event bus. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
  /** The source of an event, which an event bus needs: `'shop'`. */
  readonly source?: string | undefined;
  /** The type of an event, which an event bus needs: `'PaymentPosted'`. */
  readonly detailType?: string | undefined;
}

const known = {
  to: true,
  body: true,
  key: true,
  group: true,
  delaySeconds: true,
  attributes: true,
  source: true,
  detailType: true,
} as const satisfies NamesOf<OutboxMessage>;

/** What DynamoDB takes in an item, in bytes, less what stands beside the body at most. */
const mostInItem = 400 * 1024 - 16 * 1024;

/** Keeps bodies elsewhere that are too large for an item or a destination: `largeBodies()` of `pawl/outbox/s3`. */
export interface LargeBodies {
  /** Keeps a body under the `uid` of its message. @returns the pointer that is sent in its place. @throws when it could not be kept */
  keep(uid: string, body: string): Promise<string>;
}

/** A message before its commit: all of it but its number, which only the commit gives it. */
export interface Draft {
  readonly record: Omit<OutboxRecord, 'n' | 'committedAt'>;
  /** Whether its lane is one of a group, and has a counter. */
  readonly isOrdered: boolean;
  /** The body has to be kept elsewhere. */
  readonly isLarge: boolean;
}

/** @throws OptionError when the message is no such one; InvalidMessageError when its key is missing, or its body is no JSON or too large */
export function draftOf(
  outbox: Pick<Outbox, 'destinations' | 'host'>,
  message: OutboxMessage,
  largeBodies: LargeBodies | undefined,
): Draft {
  expectOptions(message, {
    door: 'message',
    within: 'message',
    known,
    inherited: 'taken',
    docs: 'docs/guides/outbox.md',
  });
  const { host } = outbox;
  const { to, group, delaySeconds, attributes, source, detailType } = message;
  const isText = typeof to === 'string' && to !== '';
  expect(isText, 'to', `an address of ${namesOf(outbox)}`, to, 'missing-environment');
  const address = to as string;
  const destination = destinationOf(outbox, address);
  if (destination === undefined) {
    throw new OptionError(
      `to: expected an address of ${namesOf(outbox)}; got '${address}'. For a topic or an event bus, add topics() or eventBuses() to destinations`,
    );
  }
  const { key } = identify('message', message.key, host);
  const sendable: Sendable = {
    to: address,
    key,
    body: textOf(message.body),
    group,
    delaySeconds,
    attributes,
    source,
    detailType,
  };
  const problem = destination.problem(sendable);
  if (problem !== undefined) expect(false, problem.option, problem.expected, problem.came);
  const uid = host.randomId();
  const isOrdered = keepsOrder(address);
  const id = isOrdered ? laneOfGroup(address, String(group), host) : ownLane(uid);
  const isLarge = isTooLarge(destination, sendable, largeBodies);
  return { record: { id, uid, ...sendable, v: 1 }, isOrdered, isLarge };
}

/** @returns whether the body has to be kept elsewhere. @throws InvalidMessageError when that is not possible */
function isTooLarge(destination: Destination, message: Sendable, largeBodies: LargeBodies | undefined): boolean {
  const bytes = bytesOf(message.body);
  const beside = destination.bytesBeside(message);
  const most = Math.min(mostInItem, destination.mostBytes) - beside;
  if (most > 0 && bytes <= most) return false;
  if (most > 0 && destination.takesPointers && largeBodies !== undefined) return true;
  const advice = destination.takesPointers ? '. Set largeBodies of the outbox, and largePayload() of the consumer' : '';
  throw new InvalidMessageError(
    'invalid-message',
    `the body of a message has ${bytes} bytes, and ${beside} stand beside it; expected at most ${most} for ${destination.name}${advice}`,
  );
}

/** @throws InvalidMessageError when a body is no JSON */
function textOf(body: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(body);
  } catch {
    // Said below, without what it says: that may quote the body.
  }
  // The two that JSON may leave as they are, and that SQS takes in no body.
  if (text !== undefined) return text.replaceAll('\ufffe', '\\ufffe').replaceAll('\uffff', '\\uffff');
  throw new InvalidMessageError(
    'invalid-message',
    `the body of a message cannot be written as JSON; got a value of type ${typeof body}`,
  );
}
