import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { fatesOf } from './batch-outcome.ts';
import type { Outcome } from './sandbox.ts';
import { toSqsEvent } from './sqs-event.ts';

/** SQS delivers at least once. These make it do what it may do, and in a small test never does. */
export interface DeliveryFaults {
  /** The message was handled, and its deletion is forgotten: it is delivered once more. */
  readonly forgetsDeletion?: (message: Message) => boolean;
  /** The message becomes visible to everybody while it is still being handled. */
  readonly deliversTwice?: (message: Message) => boolean;
}

export interface EventSourceOptions {
  readonly client: SQSClient;
  readonly queue: { readonly url: string; readonly arn: string };
  readonly invoke: (event: unknown) => Promise<Outcome>;
  readonly batchSize: number;
  /** How long a batch that is not full waits for more messages, from its first one on. */
  readonly windowMs: number;
  readonly reportsBatchItemFailures: boolean;
  /** How many batches may be handled at once. */
  readonly concurrency: number;
  readonly faults?: DeliveryFaults;
}

export interface EventSourceStats {
  readonly batches: number;
  /** Messages handed to the function, every delivery counted. */
  readonly deliveries: number;
  readonly redeliveries: number;
}

/** A stand-in for one event source mapping: it polls a queue, invokes a function, and deletes what was handled. */
export interface EventSource {
  readonly stats: EventSourceStats;
  /** Takes no new batch. Resolves when the batches that are being handled have ended. */
  stop(): Promise<void>;
}

/** The most that SQS gives or takes in one request. */
const PER_REQUEST = 10;

export function startEventSource(options: EventSourceOptions): EventSource {
  const { client, queue, batchSize, faults = {} } = options;
  const stats = { batches: 0, deliveries: 0, redeliveries: 0 };
  const stopping = new AbortController();

  async function receive(most: number, waitSeconds: number): Promise<readonly Message[]> {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queue.url,
        MaxNumberOfMessages: Math.min(PER_REQUEST, most),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
      { abortSignal: stopping.signal },
    );
    return Messages;
  }

  /** Gathers messages until the batch is full or its window ends. One request gives ten at most. */
  async function gather(): Promise<readonly Message[]> {
    const batch = [...(await receive(batchSize, 20))];
    const windowEnds = Date.now() + options.windowMs;
    while (batch.length > 0 && batch.length < batchSize) {
      const leftMs = windowEnds - Date.now();
      if (leftMs <= 0) break;
      const more = await receive(batchSize - batch.length, Math.min(1, Math.floor(leftMs / 1_000)));
      batch.push(...more);
      // The last part of a window is shorter than the second that a long poll takes at least.
      if (more.length === 0 && leftMs < 1_000) await sleep(Math.min(50, leftMs));
    }
    return batch;
  }

  async function handle(batch: readonly Message[]): Promise<void> {
    stats.batches += 1;
    stats.deliveries += batch.length;
    stats.redeliveries += batch.filter(({ Attributes }) => Number(Attributes?.ApproximateReceiveCount) > 1).length;
    // Only once the batch is closed: earlier, the message would come back into the very batch that it is in.
    await Promise.all(batch.filter((message) => faults.deliversTwice?.(message)).map(makeVisible));
    const outcome = await options.invoke(toSqsEvent(batch, queue.arn));
    const ids = batch.map(({ MessageId }) => MessageId ?? '');
    const fates = fatesOf(outcome, ids, options.reportsBatchItemFailures);
    const handled = batch.filter(({ MessageId }) => fates.get(MessageId ?? '') === 'delete');
    const kept = new Set(handled.filter((message) => faults.forgetsDeletion?.(message)));
    await Promise.all([...[...kept].map(makeVisible), remove(handled.filter((message) => !kept.has(message)))]);
  }

  async function makeVisible(message: Message): Promise<void> {
    const input = { QueueUrl: queue.url, ReceiptHandle: message.ReceiptHandle, VisibilityTimeout: 0 };
    // It fails when the message is no longer ours, and then it is visible, or somebody else's.
    await client.send(new ChangeMessageVisibilityCommand(input)).catch(() => undefined);
  }

  async function remove(messages: readonly Message[]): Promise<void> {
    for (let start = 0; start < messages.length; start += PER_REQUEST) {
      const entries = messages.slice(start, start + PER_REQUEST);
      const Entries = entries.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      await client.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries }));
    }
  }

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const batch = await gather();
        if (batch.length > 0) await handle(batch);
      } catch (error) {
        if (stopping.signal.aborted) return;
        // A poller that dies of one failed request would leave its share of the queue unread for ever.
        console.error(`The event source of ${queue.url} will try again:`, error);
        await sleep(200);
      }
    }
  }

  const pollers = Array.from({ length: options.concurrency }, poll);
  return {
    stats,
    async stop() {
      stopping.abort();
      await Promise.all(pollers);
    },
  };
}
