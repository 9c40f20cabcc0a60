import type { SqsBatchResponse, SqsEvent, SqsRecord } from '../sqs/event.ts';
import type { Clock } from './clock.ts';
import { type Posted, recordOf } from './sqs-record.ts';
import {
  type Answer,
  type Delivered,
  type Delivery,
  noReason,
  type Sent,
  type SweptMessage,
  settle,
  type Traffic,
  usedUp,
  waitingLong,
} from './traffic.ts';

/** A message in the queue. */
interface Queued extends Sent, Posted {
  visibleAt: number;
  /** When it was received for the first time. */
  firstReceivedAt?: number;
  /** Of its last receive: SQS makes a new one each time. */
  receiptHandle?: string;
}

/** What a consumer has put into the dead-letter queue. Of which message it is a copy is known if the copy says so. */
interface Copy {
  readonly messageId: string | undefined;
  readonly body: string;
  readonly reason: string | undefined;
}

export interface QueueOptions {
  readonly messages: readonly SweptMessage[];
  readonly visibilityTimeoutMs: number;
  readonly maxReceiveCount: number;
  readonly batchSize: number;
  readonly longestWaitMs: number;
  readonly lateMs: number;
  readonly delivery: Delivery;
}

/** Of a queue, what a handler's client of SQS reaches. */
export interface QueueCalls {
  /** What its redrive policy says. */
  readonly maxReceiveCount: number;
  /** @returns why not, as SQS says it */
  setVisibility(receiptHandle: string, seconds: number): string | undefined;
  /** Puts something into the dead-letter queue. */
  deadLetter(copy: Copy): void;
}

/** What is in no batch with others. */
const comesAlone: { readonly [Kind in Delivery]?: 'first' | 'again' } = { apart: 'first', regrouped: 'again' };

/** A repetition comes so long before a late request of the one before it is applied, in milliseconds. */
const aheadMs = 100;

/** Messages are sent one after the other, a moment before the first of them is received. */
const sentBeforeMs = 500;

/** A queue as SQS has them, as far as one consumer sees it: visibility, receives, redrive, and order within groups. */
export function createQueue(clock: Clock, options: QueueOptions): Traffic & QueueCalls {
  const { messages, delivery } = options;
  const batchSize = delivery === 'in-turn' ? 1 : options.batchSize;
  const copies: Copy[] = [];
  const late = delivery === 'long-wait' ? waitingLong(messages) : undefined;
  const fifo = messages.some(({ messageGroupId }) => messageGroupId !== undefined);
  const all = messages.map((message, index): Queued => {
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
      visibleAt: late?.has(message) ? clock.now() + options.longestWaitMs : 0,
    };
  });
  const inTheirOrder = delivery === 'reversed' ? all.toReversed() : all;
  /** Repetitions that come when the one before them has had its first turn. */
  const following = new Map<Queued, Queued>();
  if (delivery === 'in-turn') {
    for (const same of Map.groupBy(all, ({ body }) => body).values()) {
      for (const [index, one] of same.entries()) {
        const before = same[index - 1];
        if (before === undefined) continue;
        one.visibleAt = Infinity;
        following.set(before, one);
      }
    }
  }

  /** Whether a message joins those that were received already. */
  function joins(one: Queued, received: readonly Queued[]): boolean {
    const [first] = received;
    if (first === undefined) return true;
    if (received.length === batchSize) return false;
    const alone = comesAlone[delivery];
    if (alone === undefined) return true;
    const kind = one.receives > 0 ? 'again' : 'first';
    return kind !== alone && kind === (first.receives > 1 ? 'again' : 'first');
  }

  /** Receives what is visible now. */
  function receive(): Delivered | undefined {
    const received: Queued[] = [];
    /** Groups with a message under way: what comes after it waits. */
    const blocked = new Set<string>();
    for (const one of inTheirOrder) {
      const group = one.message.messageGroupId;
      if (one.fate !== undefined || (group !== undefined && blocked.has(group))) continue;
      const visible = one.visibleAt <= clock.now();
      if (visible && one.receives >= options.maxReceiveCount) {
        settle(one, 'dead-lettered', usedUp);
        continue;
      }
      if (!visible || !joins(one, received)) {
        if (group !== undefined) blocked.add(group);
        continue;
      }
      one.receives++;
      one.visibleAt = clock.now() + options.visibilityTimeoutMs;
      one.firstReceivedAt ??= clock.now();
      one.receiptHandle = `receipt-${one.number}-${one.receives}`;
      received.push(one);
    }
    const [only, ...more] = received;
    if (only === undefined) return undefined;
    if (more.length === 0) only.wasSeen = true;
    const told = received.map(({ number, receives }) => `message ${number}, for the ${nth(receives)} time`);
    const event: SqsEvent = { Records: received.map(asReceived) };
    return { all: received, event, story: `receives ${told.join('; ')}` };
  }

  function nextAt(): number {
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
    const copy =
      copies.find(({ messageId }) => messageId === one.messageId) ??
      copies.find(({ messageId, body }) => messageId === undefined && body === one.body);
    if (copy === undefined) settle(one, 'acknowledged');
    else settle(one, 'dead-lettered', copy.reason ?? noReason);
  }

  return {
    all,
    maxReceiveCount: options.maxReceiveCount,
    receive,
    nextAt,
    isEmpty: () => all.every(({ fate }) => fate !== undefined),
    conclude(delivered, answer) {
      const batch = all.filter((one) => delivered.all.includes(one));
      for (const one of batch) {
        const next = following.get(one);
        following.delete(one);
        if (next !== undefined) next.visibleAt = clock.now() + Math.max(0, options.lateMs - aheadMs);
      }
      if (answer.kind === 'died') return undefined;
      const failed = failuresOf(batch, answer);
      for (const one of batch) if (!failed.includes(one)) acknowledge(one);
      if (failed.length === 0) return undefined;
      return `returns ${failed.map(({ number }) => `message ${number}`).join(' and ')} to the queue`;
    },
    setVisibility(receiptHandle, seconds) {
      const one = all.find((other) => other.receiptHandle === receiptHandle);
      if (one === undefined) return 'ReceiptHandleIsInvalid';
      if (one.fate !== undefined || one.visibleAt <= clock.now()) return 'MessageNotInflight';
      one.visibleAt = clock.now() + seconds * 1000;
      return undefined;
    },
    deadLetter: (copy) => void copies.push(copy),
  };
}

/** A record that tells whether the handler has looked at its body. */
function asReceived(one: Queued): SqsRecord {
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

/** What Lambda makes of what came of a handler, with `ReportBatchItemFailures`. */
function failuresOf(batch: readonly Queued[], answer: Answer): readonly Queued[] {
  if (answer.kind !== 'returned') return batch;
  const response = answer.value as Partial<SqsBatchResponse> | null | undefined;
  const failures: unknown = response?.batchItemFailures ?? [];
  // Not a list, or one without ids: Lambda takes the batch for failed.
  if (!Array.isArray(failures)) return batch;
  const ids = failures.map((failure) => failure?.itemIdentifier);
  const known = new Set(batch.map(({ messageId }) => messageId));
  // One that Lambda does not know fails the whole batch.
  if (ids.some((id) => !known.has(id))) return batch;
  return batch.filter(({ messageId }) => ids.includes(messageId));
}

function nth(count: number): string {
  return ['first', 'second', 'third'][count - 1] ?? `${count}th`;
}
