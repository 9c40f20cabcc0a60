import type { SqsEvent } from 'pawl/internal';
import { failuresOf } from './batch-response.ts';
import type { Clock } from './clock.ts';
import { asReceived, holdRepetitionsBack, type PostOptions, postAll, type Queued } from './queued.ts';
import {
  type Delivered,
  type Delivery,
  type InvocationResult,
  noReason,
  settle,
  type Traffic,
  usedUp,
} from './traffic.ts';

/** What a consumer has put into the dead-letter queue. Of which message it is a copy is known if the copy says so. */
interface Copy {
  readonly messageId: string | undefined;
  readonly body: string;
  readonly reason: string | undefined;
}

export interface QueueOptions extends PostOptions {
  readonly visibilityTimeoutMs: number;
  readonly maxReceiveCount: number;
  readonly batchSize: number;
  readonly lateMs: number;
}

/** Of a queue, what a handler's client of SQS reaches. */
export interface QueueCalls {
  /** What its redrive policy says. */
  readonly maxReceiveCount: number;
  /** @returns the code with which SQS refuses it, if it does */
  setVisibility(receiptHandle: string, seconds: number): string | undefined;
  /** Puts something into the dead-letter queue. */
  deadLetter(copy: Copy): void;
}

/** What is in no batch with others. */
const comesAlone: { readonly [Kind in Delivery]?: 'first' | 'again' } = { apart: 'first', regrouped: 'again' };

/** A repetition comes so long before a late request of the message before it is applied, in milliseconds. */
const aheadMs = 100;

export const createQueue = (clock: Clock, options: QueueOptions): Traffic & QueueCalls => new Queue(clock, options);

/** A queue as SQS has them, as far as one consumer sees it: visibility, receives, redrive, and order within groups. */
class Queue implements Traffic, QueueCalls {
  readonly all: readonly Queued[];
  readonly maxReceiveCount: number;
  readonly #clock: Clock;
  readonly #options: QueueOptions;
  readonly #inTheirOrder: readonly Queued[];
  /** Repetitions that come when the message before them has had its first turn. */
  readonly #following: Map<Queued, Queued>;
  readonly #copies: Copy[] = [];

  constructor(clock: Clock, options: QueueOptions) {
    const { delivery, maxReceiveCount } = options;
    this.#clock = clock;
    this.#options = delivery === 'in-turn' ? { ...options, batchSize: 1 } : options;
    this.maxReceiveCount = maxReceiveCount;
    this.all = postAll(clock, options);
    this.#inTheirOrder = delivery === 'reversed' ? this.all.toReversed() : this.all;
    this.#following = delivery === 'in-turn' ? holdRepetitionsBack(this.all) : new Map();
  }

  isEmpty(): boolean {
    return this.all.every(({ fate }) => fate !== undefined);
  }

  nextAt(): number {
    const groups = new Map<string, number>();
    const times = this.all.map(({ fate, visibleAt, message: { messageGroupId: group } }) => {
      if (fate !== undefined) return Infinity;
      if (group === undefined) return visibleAt;
      // Not before those of its group that are in front of it.
      const at = Math.max(visibleAt, groups.get(group) ?? 0);
      groups.set(group, at);
      return at;
    });
    return Math.min(...times);
  }

  receive(): Delivered | undefined {
    const received = this.#receiveVisible();
    const [only, ...more] = received;
    if (only === undefined) return undefined;
    if (more.length === 0) only.wasSeen = true;
    const told = received.map(({ number, receives }) => `message ${number}, for the ${nth(receives)} time`);
    const event: SqsEvent = { Records: received.map(asReceived) };
    return { all: received, event, story: `receives ${told.join('; ')}` };
  }

  conclude(delivered: Delivered, result: InvocationResult): string | undefined {
    const batch = this.all.filter((one) => delivered.all.includes(one));
    for (const one of batch) this.#releaseRepetitionOf(one);
    if (result.kind === 'died') return undefined;
    const failed = failuresOf(batch, result);
    for (const one of batch) if (!failed.includes(one)) this.#acknowledge(one);
    if (failed.length === 0) return undefined;
    return `returns ${failed.map(({ number }) => `message ${number}`).join(' and ')} to the queue`;
  }

  setVisibility(receiptHandle: string, seconds: number): string | undefined {
    const one = this.all.find((other) => other.receiptHandle === receiptHandle);
    if (one === undefined) return 'ReceiptHandleIsInvalid';
    if (one.fate !== undefined || one.visibleAt <= this.#clock.now()) return 'MessageNotInflight';
    one.visibleAt = this.#clock.now() + seconds * 1000;
    return undefined;
  }

  deadLetter(copy: Copy): void {
    this.#copies.push(copy);
  }

  /** Receives what is visible now, as far as it goes in one batch. */
  #receiveVisible(): readonly Queued[] {
    const received: Queued[] = [];
    /** Groups with a message under way: what comes after it waits. */
    const blocked = new Set<string>();
    for (const one of this.#inTheirOrder) {
      const group = one.message.messageGroupId;
      if (one.fate !== undefined || (group !== undefined && blocked.has(group))) continue;
      const isVisible = one.visibleAt <= this.#clock.now();
      if (isVisible && one.receives >= this.maxReceiveCount) settle(one, 'dead-lettered', usedUp);
      else if (isVisible && this.#joins(one, received)) received.push(this.#handOver(one));
      else if (group !== undefined) blocked.add(group);
    }
    return received;
  }

  /** Whether a message joins those that were received already. */
  #joins(one: Queued, received: readonly Queued[]): boolean {
    const [first] = received;
    if (first === undefined) return true;
    if (received.length === this.#options.batchSize) return false;
    const alone = comesAlone[this.#options.delivery];
    if (alone === undefined) return true;
    const kind = one.receives > 0 ? 'again' : 'first';
    return kind !== alone && kind === (first.receives > 1 ? 'again' : 'first');
  }

  #handOver(one: Queued): Queued {
    const now = this.#clock.now();
    one.receives++;
    one.visibleAt = now + this.#options.visibilityTimeoutMs;
    one.firstReceivedAt ??= now;
    one.receiptHandle = `receipt-${one.number}-${one.receives}`;
    return one;
  }

  #releaseRepetitionOf(one: Queued): void {
    const next = this.#following.get(one);
    this.#following.delete(one);
    if (next !== undefined) next.visibleAt = this.#clock.now() + Math.max(0, this.#options.lateMs - aheadMs);
  }

  /** Deletes a message, because the consumer did not ask for it again. A copy of it may be in the dead-letter queue. */
  #acknowledge(one: Queued): void {
    const copy =
      this.#copies.find(({ messageId }) => messageId === one.messageId) ??
      this.#copies.find(({ messageId, body }) => messageId === undefined && body === one.body);
    if (copy === undefined) settle(one, 'acknowledged');
    else settle(one, 'dead-lettered', copy.reason ?? noReason);
  }
}

function nth(count: number): string {
  return ['first', 'second', 'third'][count - 1] ?? `${count}th`;
}
