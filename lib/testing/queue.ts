import type { SqsRecord } from '../sqs/event.ts';
import type { Clock } from './clock.ts';

/** A message as a sweep sends it. */
export interface SweptMessage {
  /** Sent as JSON, unless it is a text. */
  readonly body: unknown;
  /** String attributes of the message. */
  readonly messageAttributes?: Readonly<Record<string, string>>;
  /** With a group, the queue is a FIFO queue. */
  readonly messageGroupId?: string;
}

/** What became of a message. `stuck`: nothing, within 4 days and 100 invocations. */
export type SweptFate = 'acknowledged' | 'dead-lettered' | 'stuck';

/** A message in the queue. */
export interface Queued {
  /** From 1. */
  readonly number: number;
  readonly message: SweptMessage;
  readonly record: SqsRecord;
  receiveCount: number;
  visibleAt: number;
  fate?: SweptFate | undefined;
  /** Why it is in the dead-letter queue. */
  deadLetterReason?: string | undefined;
}

/** What a consumer has put into the dead-letter queue. Of which message it is a copy is known if the copy says so. */
interface Copy {
  readonly messageId: string | undefined;
  readonly body: string;
  readonly reason: string | undefined;
}

export interface QueueOptions {
  readonly visibilityTimeoutMs: number;
  readonly maxReceiveCount: number;
}

export type Queue = ReturnType<typeof createQueue>;

/** A queue as SQS has them, as far as one consumer sees it: visibility, receives, redrive, and order within groups. */
export function createQueue(messages: readonly SweptMessage[], clock: Clock, options: QueueOptions) {
  const fifo = messages.some(({ messageGroupId }) => messageGroupId !== undefined);
  const copies: Copy[] = [];
  const all = messages.map((message, index) => queued(message, index + 1, fifo));

  /** Receives up to so many messages that are visible now. */
  function receive(most: number): readonly Queued[] {
    const received: Queued[] = [];
    /** Groups with a message under way: what comes after it waits. */
    const blocked = new Set<string>();
    for (const one of all) {
      const group = one.message.messageGroupId;
      if (one.fate !== undefined || (group !== undefined && blocked.has(group))) continue;
      if (one.visibleAt > clock.now() || received.length === most) {
        if (group !== undefined) blocked.add(group);
        continue;
      }
      if (one.receiveCount >= options.maxReceiveCount) {
        settle(one, 'dead-lettered', 'receives used up');
        continue;
      }
      one.receiveCount++;
      one.visibleAt = clock.now() + options.visibilityTimeoutMs;
      received.push(one);
    }
    return received;
  }

  /** When the next message can be received. */
  function nextVisibleAt(): number {
    const groups = new Map<string, number>();
    const times = all.map(({ fate, visibleAt, message: { messageGroupId: group } }) => {
      if (fate !== undefined || group === undefined) return fate === undefined ? visibleAt : Infinity;
      const at = Math.max(visibleAt, groups.get(group) ?? 0);
      groups.set(group, at);
      return at;
    });
    return Math.min(...times);
  }

  /** Deleted, because the consumer did not ask for it again. Is there a copy of it in the dead-letter queue? */
  function acknowledge(one: Queued): void {
    const { messageId, body } = one.record;
    const copy =
      copies.find((other) => other.messageId === messageId) ??
      copies.find((other) => other.messageId === undefined && other.body === body);
    if (copy === undefined) settle(one, 'acknowledged');
    else settle(one, 'dead-lettered', copy.reason ?? 'without a reason');
  }

  function settle(one: Queued, fate: SweptFate, reason?: string): void {
    one.fate = fate;
    one.deadLetterReason = reason;
  }

  return {
    all,
    maxReceiveCount: options.maxReceiveCount,
    receive,
    nextVisibleAt,
    isEmpty: () => all.every(({ fate }) => fate !== undefined),
    acknowledge,
    setVisibility(receiptHandle: string, seconds: number): void {
      const one = all.find(({ record }) => record.receiptHandle === receiptHandle);
      if (one && one.fate === undefined) one.visibleAt = clock.now() + seconds * 1000;
    },
    /** What is in the dead-letter queue. */
    copies,
    /** What is left when the run is over. */
    giveUp(): void {
      for (const one of all) if (one.fate === undefined) settle(one, 'stuck');
    },
  };
}

function queued(message: SweptMessage, number: number, fifo: boolean): Queued {
  const { body, messageAttributes = {}, messageGroupId } = message;
  const record: SqsRecord = {
    messageId: `message-${number}`,
    receiptHandle: `receipt-${number}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: { MessageGroupId: messageGroupId },
    messageAttributes: Object.fromEntries(
      Object.entries(messageAttributes).map(([name, stringValue]) => [name, { dataType: 'String', stringValue }]),
    ),
    eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:swept${fifo ? '.fifo' : ''}`,
  };
  return { number, message, record, receiveCount: 0, visibleAt: 0 };
}

/** A record as it is handed over at this receive. */
export function asReceived({ record, receiveCount }: Queued, now: number): SqsRecord {
  const { MessageGroupId } = record.attributes;
  const attributes = {
    ApproximateReceiveCount: String(receiveCount),
    SentTimestamp: String(now),
    ApproximateFirstReceiveTimestamp: String(now),
    SenderId: 'pawl-testing',
    ...(MessageGroupId !== undefined && { MessageGroupId }),
  };
  return Object.assign(structuredClone(record), {
    attributes,
    eventSource: 'aws:sqs',
    awsRegion: 'us-east-1',
    md5OfBody: '',
  });
}
