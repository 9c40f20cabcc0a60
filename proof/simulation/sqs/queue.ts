import type { SqsMessageAttribute } from '../../../lib/pawl/sqs/event.ts';
import type { World } from '../world/world.ts';

/** One copy of a message, as a queue keeps it. */
export interface QueuedMessage {
  readonly id: string;
  /** Grows with every message of its queue: the order of a FIFO queue. */
  readonly order: number;
  readonly body: string;
  readonly group: string | undefined;
  readonly attributes: Readonly<Record<string, SqsMessageAttribute>>;
  receiveCount: number;
  /** In milliseconds since the start. */
  firstReceivedAt: number | undefined;
  /** In milliseconds since the start. */
  visibleAt: number;
  /** Of its last receive; `undefined` while it waits. */
  receipt: string | undefined;
  gone: 'deleted' | 'dead-lettered' | 'redriven' | undefined;
}

export interface QueueOptions {
  readonly name: string;
  readonly fifo: boolean;
  readonly visibilityMs: number;
  readonly redrive?: { readonly maxReceiveCount: number; readonly to: SimulatedQueue };
}

export type Sent = Pick<QueuedMessage, 'body' | 'attributes'> & {
  readonly group?: string | undefined;
  readonly deduplicationId?: string | undefined;
  /** A message that the redrive policy moves keeps its id. */
  readonly id?: string;
};

export interface SimulatedQueue {
  readonly name: string;
  readonly arn: string;
  /** All that are in it now, in order. */
  messages(): Iterable<QueuedMessage>;
  /** `undefined` when it is gone. */
  message(id: string): QueuedMessage | undefined;
  readonly size: number;
  /** Answers nothing when it is a duplicate that a FIFO queue drops. */
  send(message: Sent): QueuedMessage | undefined;
  /** Receives what is visible, and moves to the dead-letter queue what was received too often. */
  receive(most: number): QueuedMessage[];
  /** When something can be received, in milliseconds since the start. */
  nextVisibleAt(): number | undefined;
  /** Answers whether the message is gone. An old receipt handle may do nothing, and no error says so. */
  delete(message: QueuedMessage, receipt: string): boolean;
  remove(message: QueuedMessage, how: 'redriven'): void;
  /** Answers SQS's error code, if it refuses. */
  changeVisibility(receipt: string, ms: number): string | undefined;
  onChange(listener: () => void): void;
}

const deduplicatesForMs = 300_000;

export function simulatedQueue(world: World, { name, fifo, visibilityMs, redrive }: QueueOptions): SimulatedQueue {
  const messages = new Map<string, QueuedMessage>();
  const byReceipt = new Map<string, QueuedMessage>();
  const deduplicated = new Map<string, number>();
  const listeners: (() => void)[] = [];
  let orders = 0;
  let receipts = 0;

  function changed(): void {
    for (const listener of listeners) listener();
  }

  function send({ body, attributes, group, deduplicationId, id }: Sent): QueuedMessage | undefined {
    if (fifo && deduplicationId !== undefined) {
      const known = deduplicated.get(deduplicationId);
      if (known !== undefined && world.time < known + deduplicatesForMs) return undefined;
      deduplicated.set(deduplicationId, world.time);
    }
    const order = ++orders;
    const message: QueuedMessage = {
      id: id ?? `${name}-${order}`,
      order,
      body,
      group,
      attributes,
      receiveCount: 0,
      firstReceivedAt: undefined,
      visibleAt: world.time,
      receipt: undefined,
      gone: undefined,
    };
    messages.set(message.id, message);
    changed();
    return message;
  }

  /** What may be received: on a FIFO queue nothing of a group of which something is being handled. */
  function* receivable(at: number): Iterable<QueuedMessage> {
    const blocked = new Set<string>();
    if (fifo) for (const { group, visibleAt } of messages.values()) if (group && visibleAt > at) blocked.add(group);
    for (const one of messages.values())
      if (one.visibleAt <= at && !(fifo && one.group && blocked.has(one.group))) yield one;
  }

  function receive(most: number): QueuedMessage[] {
    const received: QueuedMessage[] = [];
    for (const message of [...receivable(world.time)]) {
      if (received.length === most) break;
      if (redrive && message.receiveCount >= redrive.maxReceiveCount) {
        const { id, body, attributes, group } = message;
        remove(message, 'dead-lettered');
        redrive.to.send({ id, body, attributes, group });
        continue;
      }
      message.receiveCount++;
      message.firstReceivedAt ??= world.time;
      message.visibleAt = world.time + visibilityMs;
      if (message.receipt !== undefined) byReceipt.delete(message.receipt);
      message.receipt = `${message.id}/${++receipts}`;
      byReceipt.set(message.receipt, message);
      received.push(message);
    }
    return received;
  }

  function nextVisibleAt(): number | undefined {
    if (!fifo) {
      let next: number | undefined;
      for (const { visibleAt } of messages.values()) if (next === undefined || visibleAt < next) next = visibleAt;
      return next;
    }
    // A group comes when the last of what is being handled of it does.
    const groups = new Map<string, number>();
    for (const { group = '', visibleAt } of messages.values())
      groups.set(group, Math.max(groups.get(group) ?? 0, visibleAt));
    return groups.size === 0 ? undefined : Math.min(...groups.values());
  }

  function remove(message: QueuedMessage, how: NonNullable<QueuedMessage['gone']>): void {
    message.gone = how;
    messages.delete(message.id);
    if (message.receipt !== undefined) byReceipt.delete(message.receipt);
    world.note(name, how, message.id);
    changed();
  }

  return {
    name,
    arn: `arn:aws:sqs:us-east-1:000000000000:${name}${fifo ? '.fifo' : ''}`,
    messages: () => messages.values(),
    message: (id) => messages.get(id),
    get size() {
      return messages.size;
    },
    send,
    receive,
    nextVisibleAt,
    delete(message, receipt) {
      if (message.gone) return true;
      if (message.receipt !== receipt && (fifo || world.random.chance(0.7))) return false;
      remove(message, 'deleted');
      return true;
    },
    remove,
    changeVisibility(receipt, ms) {
      const message = byReceipt.get(receipt);
      if (message === undefined) return 'ReceiptHandleIsInvalid';
      if (message.visibleAt <= world.time) return 'MessageNotInflight';
      message.visibleAt = world.time + ms;
      changed();
      return undefined;
    },
    onChange(listener) {
      listeners.push(listener);
    },
  };
}
