import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildAppOptions } from 'fauxqs';

type Stores = NonNullable<BuildAppOptions['stores']>;
type Queue = ReturnType<Stores['sqsStore']['createQueue']>;

/** The most that SQS gives in one request. */
const PER_REQUEST = 10;

/**
 * The stores of the SQS server, whose FIFO queues give batches as SQS does: as many messages of a group as fit. fauxqs gives one
 * message of a group at a time, so that no test would see what a failed message does to those behind it.
 */
export async function storesWithFifoBatches(): Promise<Stores> {
  // The package exports only its server. Its stores are plain classes beside that.
  const folder = dirname(findPackageJSON('fauxqs', import.meta.url) ?? '');
  const load = async (path: string) => import(pathToFileURL(join(folder, 'dist', path)).href);
  const [{ SqsStore }, { SnsStore }, { S3Store }] = await Promise.all([
    load('sqs/sqsStore.js'),
    load('sns/snsStore.js'),
    load('s3/s3Store.js'),
  ]);
  const stores: Stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  const create = stores.sqsStore.createQueue.bind(stores.sqsStore);
  stores.sqsStore.createQueue = (...given) => withBatches(create(...given));
  return stores;
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
    while (received.length < Math.min(PER_REQUEST, most)) {
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
