import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildAppOptions } from 'fauxqs';
import { withTopicFilters } from './topic-filters.ts';

type Stores = NonNullable<BuildAppOptions['stores']>;
type Queue = ReturnType<Stores['sqsStore']['createQueue']>;

/** The most that SQS gives in one request. */
const perRequest = 10;

/** The stores, and what they know of deduplication. */
export interface FifoStores {
  readonly stores: Stores;
  /** Ends the deduplication window of the messages whose ids or bodies are over. Returns the names of their queues. */
  endDeduplication(isOver: (text: string) => boolean): readonly string[];
  /** Lets time pass until the first hidden message becomes visible. Returns how much, in milliseconds; 0 if none is hidden. */
  passTime(): number;
}

/**
 * The stores of the SQS server, whose FIFO queues give batches as SQS does: as many messages of a group as fit. fauxqs gives one
 * message of a group at a time, so that no test would see what a failed message does to those behind it.
 *
 * @param beforeExpiry called before a message becomes visible again because its time is up: it may still be given more
 */
export async function storesWithFifoBatches(beforeExpiry: () => void): Promise<FifoStores> {
  // The package exports only its server. Its stores are plain classes beside that.
  const folder = dirname(findPackageJSON('fauxqs', import.meta.url) ?? '');
  const load = async (path: string) => import(pathToFileURL(join(folder, 'dist', path)).href);
  const [{ SqsStore }, { SnsStore }, { S3Store }] = await Promise.all([
    load('sqs/sqsStore.js'),
    load('sns/snsStore.js'),
    load('s3/s3Store.js'),
  ]);
  const stores: Stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  withTopicFilters(stores);
  const create = stores.sqsStore.createQueue.bind(stores.sqsStore);
  const queues: { readonly queue: Queue; readonly bodies: Map<string, string> }[] = [];
  stores.sqsStore.createQueue = (...given) => {
    const queue = withBatches(withPatience(create(...given), beforeExpiry));
    queues.push({ queue, bodies: bodiesOf(queue) });
    return queue;
  };
  return {
    stores,
    endDeduplication: (isOver) =>
      queues.flatMap(({ queue, bodies }) => {
        const over = [...bodies].filter(([id, body]) => isOver(id) || isOver(body)).map(([id]) => id);
        for (const id of over) {
          bodies.delete(id);
          queue.deduplicationCache.delete(id);
        }
        return over.map(() => queue.name);
      }),
    passTime: () => passTime(queues.map(({ queue }) => queue)),
  };
}

function passTime(queues: readonly Queue[]): number {
  const inFlight = queues.flatMap((queue) => [...queue.inflightMessages.values()]);
  const delayed = queues
    .flatMap((queue) => [...queue.delayedMessages, ...[...queue.fifoMessages.values()].flat()])
    .filter(({ delayUntil = 0 }) => delayUntil > Date.now());
  const until = [...inFlight.map((one) => one.visibilityDeadline), ...delayed.map(({ delayUntil = 0 }) => delayUntil)];
  const passes = Math.min(...until) - Date.now();
  if (!(passes > 0 && Number.isFinite(passes))) return 0;
  for (const one of inFlight) one.visibilityDeadline -= passes;
  for (const one of delayed) one.delayUntil = (one.delayUntil ?? 0) - passes;
  return passes;
}

/** The body of each message of a FIFO queue, by its deduplication id. */
function bodiesOf(queue: Queue): Map<string, string> {
  const bodies = new Map<string, string>();
  const enqueue = queue.enqueue.bind(queue);
  queue.enqueue = (message) => {
    if (message.messageDeduplicationId !== undefined) bodies.set(message.messageDeduplicationId, message.body);
    enqueue(message);
  };
  return bodies;
}

function withPatience(queue: Queue, beforeExpiry: () => void): Queue {
  const expire = queue.processTimers.bind(queue);
  queue.processTimers = () => {
    const now = Date.now();
    const isDue = [...queue.inflightMessages.values()].some(({ visibilityDeadline }) => visibilityDeadline <= now);
    if (isDue) beforeExpiry();
    expire();
  };
  return queue;
}

function withBatches(queue: Queue): Queue {
  const dequeue = queue.dequeue.bind(queue);
  queue.dequeue = (most, ...rest) => {
    if (!queue.isFifo()) return dequeue(most, ...rest);
    queue.processTimers();
    // What comes back is put before the others of its group: of several that come back, the last one would be the first.
    for (const group of queue.fifoMessages.values()) group.sort((a, b) => (bySequence(a) < bySequence(b) ? -1 : 1));
    const received: ReturnType<Queue['dequeue']> = [];
    const taken = new Map<string, number>();
    while (received.length < Math.min(perRequest, most)) {
      const locked = new Set(queue.fifoLockedGroups.keys());
      const [message] = dequeue(1, ...rest);
      if (message === undefined) break;
      received.push(message);
      const group = [...queue.fifoLockedGroups.keys()].find((name) => !locked.has(name));
      if (group === undefined) continue;
      // Open until this request has its fill, and locked by everything that it took then.
      queue.fifoLockedGroups.delete(group);
      taken.set(group, (taken.get(group) ?? 0) + 1);
    }
    for (const [group, count] of taken) queue.fifoLockedGroups.set(group, count);
    return received;
  };
  return queue;
}

/** Digits with zeros in front, all of one length. */
function bySequence({ sequenceNumber = '' }: { readonly sequenceNumber?: string | undefined }): string {
  return sequenceNumber;
}
