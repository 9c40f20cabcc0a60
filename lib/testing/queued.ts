import type { SqsRecord } from 'pawl/internal';
import type { Clock } from './clock.ts';
import { type Posted, recordOf } from './sqs-record.ts';
import { type Delivery, type Sent, type SweptMessage, waitingLong } from './traffic.ts';

/** A message in the queue. */
export interface Queued extends Sent, Posted {
  visibleAt: number;
  /** When it was received for the first time. */
  firstReceivedAt?: number;
  /** Of its last receive: SQS makes a new one each time. */
  receiptHandle?: string;
}

export interface PostOptions {
  readonly messages: readonly SweptMessage[];
  readonly longestWaitMs: number;
  readonly delivery: Delivery;
}

/** Messages are sent one after the other, a moment before the first of them is received. In milliseconds. */
const sentBeforeMs = 500;

/** Sends all messages to a queue, in their order. */
export function postAll(clock: Clock, { messages, longestWaitMs, delivery }: PostOptions): readonly Queued[] {
  const late = delivery === 'long-wait' ? waitingLong(messages) : undefined;
  const fifo = messages.some(({ messageGroupId }) => messageGroupId !== undefined);
  return messages.map((message, index): Queued => {
    const { body } = message;
    const number = index + 1;
    return {
      number,
      message,
      fifo,
      messageId: `${String(number).padStart(8, '0')}-5eeb-4a11-8000-00000000f1f0`,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      sentAt: clock.now() - sentBeforeMs + index,
      receives: 0,
      wasSeen: false,
      visibleAt: late?.has(message) ? clock.now() + longestWaitMs : 0,
    };
  });
}

/**
 * The repetitions that come when the message before them has had its first turn, by that message. They are invisible until then.
 */
export function holdRepetitionsBack(all: readonly Queued[]): Map<Queued, Queued> {
  const following = new Map<Queued, Queued>();
  for (const same of Map.groupBy(all, ({ body }) => body).values()) {
    for (const [index, one] of same.entries()) {
      const before = same[index - 1];
      if (before === undefined) continue;
      one.visibleAt = Infinity;
      following.set(before, one);
    }
  }
  return following;
}

/** A record that tells whether the handler has looked at its body. */
export function asReceived(one: Queued): SqsRecord {
  const { receiptHandle: handle = '', receives: count, firstReceivedAt: firstAt = 0 } = one;
  const record = recordOf(one, { handle, count, firstAt });
  const { body } = record;
  return Object.defineProperty(record, 'body', {
    enumerable: true,
    configurable: true,
    get() {
      one.wasSeen = true;
      return body;
    },
    // Middlewares put what they have parsed in its place.
    set(value: unknown) {
      Object.defineProperty(record, 'body', { value, writable: true, enumerable: true, configurable: true });
    },
  });
}
