import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { messagePasses } from '../../engine/filters.ts';
import type { Outcome } from '../../engine/lambda/sandbox.ts';
import type { Machine, Measure } from '../../engine/machine.ts';
import { timeOf } from '../../engine/time.ts';
import { dispositionsOf } from './batch-outcome.ts';
import { toSqsEvent } from './sqs-event.ts';

/** SQS delivers at least once. These make it deliver twice, which it may do and in a small test never does. */
export interface DeliveryFaults {
  /** The message was handled, and its deletion is forgotten: it is delivered once more. */
  readonly forgetsDeletion?: (message: Message) => boolean | Promise<boolean>;
  /** The message becomes visible to every worker while it is still being handled. */
  readonly deliversTwice?: (message: Message) => boolean;
  /** No filter matched the message: it is deleted, and the function does not get it. */
  readonly onFilteredOut?: (message: Message) => void;
}

export interface EventSourceOptions {
  readonly client: SQSClient;
  readonly queue: { readonly url: string; readonly arn: string };
  /** @param measure of what the machine takes away from the messages, from their receive on */
  readonly invoke: (event: SQSEvent, measure?: Measure) => Promise<Outcome>;
  /** Gives messages back what the machine took away while they were handled. @default they keep their visibility timeout, and each receive counts */
  readonly patience?: {
    readonly machine: Machine;
    /** The timeout of the function, in milliseconds: how much of it was taken away says whether a receive counts. */
    readonly timeoutMs: number;
    readonly extend: (receipts: readonly string[], ms: number) => void;
    /** Takes a receive of these messages as one that has not been. */
    readonly giveBack: (messageIds: readonly string[]) => void;
  };
  readonly batchSize: number;
  /** How long a batch that is not full waits for more messages, from its first one on. */
  readonly windowMs: number;
  readonly reportsBatchItemFailures: boolean;
  /** What matches none of these patterns is deleted, and the function does not get it. @default everything matches */
  readonly filters?: readonly Readonly<Record<string, unknown>>[];
  /** How many batches may be handled at once. */
  readonly concurrency: number;
  readonly faults?: DeliveryFaults;
}

export interface EventSourceStats {
  readonly batches: number;
  /** Messages handed to the function, every delivery counted. */
  readonly deliveries: number;
  readonly redeliveries: number;
  /** Messages that no filter matched: Lambda deletes them. */
  readonly filteredOut: number;
}

/** A stand-in for one event source mapping: it polls a queue, invokes a function, and deletes what was handled. */
export interface EventSource {
  readonly stats: EventSourceStats;
  /** Takes no new batch. Resolves when the batches that are being handled have ended. */
  stop(): Promise<void>;
}

/** The most that SQS gives or takes in one request. */
const perRequest = 10;

/** How many receives a message gets back at the most: one that fails each time is set aside on a slow machine as well. */
const mostGivenBack = 5;

/** An event source from the inside of this file. */
interface EventSourceState {
  readonly options: EventSourceOptions;
  readonly faults: DeliveryFaults;
  readonly stats: { batches: number; deliveries: number; redeliveries: number; filteredOut: number };
  readonly stopping: AbortController;
  /** How many receives each message has got back, by its id. */
  readonly givenBack: Map<string, number>;
}

export function startEventSource(options: EventSourceOptions): EventSource {
  const stats = { batches: 0, deliveries: 0, redeliveries: 0, filteredOut: 0 };
  const state: EventSourceState = {
    options,
    faults: options.faults ?? {},
    stats,
    stopping: new AbortController(),
    givenBack: new Map(),
  };
  const pollers = Array.from({ length: options.concurrency }, () => poll(state));
  return {
    stats,
    async stop() {
      state.stopping.abort();
      await Promise.all(pollers);
    },
  };
}

async function poll(state: EventSourceState): Promise<void> {
  const { signal } = state.stopping;
  while (!signal.aborted) {
    try {
      await receiveAndHandle(state);
    } catch (error) {
      if (signal.aborted) return;
      // A poller that ends at one failed request would leave its share of the queue unread for ever.
      console.error(
        `The event source of ${state.options.queue.url} will try again: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
      );
      await sleep(200);
    }
  }
}

async function receiveAndHandle(state: EventSourceState): Promise<void> {
  const { batchSize, patience } = state.options;
  const batch = [...(await receive(state, batchSize, 20))];
  if (batch.length === 0) return;
  const measure = patience?.machine.measure((ms) => patience.extend(receiptsOf(batch), ms));
  try {
    await gather(state, batch);
    await handle(state, batch, measure);
  } finally {
    measure?.end();
  }
}

function receiptsOf(messages: readonly Message[]): readonly string[] {
  return messages.map(({ ReceiptHandle = '' }) => ReceiptHandle);
}

/** Gathers more messages until the batch is full or its window ends. One request gives ten at most. */
async function gather(state: EventSourceState, batch: Message[]): Promise<void> {
  const { batchSize, windowMs } = state.options;
  const windowEnds = Date.now() + windowMs;
  while (batch.length < batchSize) {
    const leftMs = windowEnds - Date.now();
    if (leftMs <= 0) break;
    const more = await receive(state, batchSize - batch.length, Math.min(1, Math.floor(leftMs / 1_000)));
    batch.push(...more);
    // The last part of a window is shorter than the second that a long poll takes at least.
    if (more.length === 0 && leftMs < 1_000) await sleep(Math.min(50, leftMs));
  }
}

async function receive(state: EventSourceState, most: number, waitSeconds: number): Promise<readonly Message[]> {
  const { client, queue } = state.options;
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queue.url,
      MaxNumberOfMessages: Math.min(perRequest, most),
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
    { abortSignal: state.stopping.signal },
  );
  return withoutFilteredOut(state, Messages);
}

async function withoutFilteredOut(state: EventSourceState, messages: readonly Message[]): Promise<readonly Message[]> {
  const { filters = [], queue } = state.options;
  if (filters.length === 0 || messages.length === 0) return messages;
  const { Records } = toSqsEvent(messages, queue.arn);
  const passing = messages.filter((_, index) => {
    const read = Records[index];
    return read === undefined || messagePasses(filters, read);
  });
  const out = messages.filter((message) => !passing.includes(message));
  for (const message of out) state.faults.onFilteredOut?.(message);
  await remove(state, out);
  state.stats.filteredOut += out.length;
  return passing;
}

async function handle(state: EventSourceState, batch: readonly Message[], measure: Measure | undefined): Promise<void> {
  const { options, faults, stats } = state;
  stats.batches += 1;
  stats.deliveries += batch.length;
  stats.redeliveries += batch.filter(({ Attributes }) => Number(Attributes?.ApproximateReceiveCount) > 1).length;
  // Only once the batch is closed: earlier, the message would come back into the very batch that it is in.
  await makeVisible(
    state,
    batch.filter((message) => faults.deliversTwice?.(message)),
  );
  const time = measure && options.patience && timeOf(measure, options.patience.timeoutMs);
  const outcome = await options.invoke(toSqsEvent(batch, options.queue.arn), measure);
  const isSlowed = time?.isSlowed() ?? false;
  const ids = batch.map(({ MessageId }) => MessageId ?? '');
  const dispositions = dispositionsOf(outcome, ids, options.reportsBatchItemFailures);
  const handled = batch.filter(({ MessageId }) => dispositions.get(MessageId ?? '') === 'delete');
  if (isSlowed)
    giveBack(
      state,
      ids.filter((id) => dispositions.get(id) !== 'delete'),
    );
  const kept = new Set<Message>();
  for (const message of handled) if (await faults.forgetsDeletion?.(message)) kept.add(message);
  const deleted = handled.filter((message) => !kept.has(message));
  await Promise.all([makeVisible(state, [...kept]), remove(state, deleted)]);
}

/** What a function could not do for want of time uses none of the receives up that its queue allows. */
function giveBack({ options: { patience }, givenBack }: EventSourceState, messageIds: readonly string[]): void {
  const due = messageIds.filter((id) => (givenBack.get(id) ?? 0) < mostGivenBack);
  for (const id of due) givenBack.set(id, (givenBack.get(id) ?? 0) + 1);
  patience?.giveBack(due);
}

async function makeVisible(
  { options: { client, queue } }: EventSourceState,
  messages: readonly Message[],
): Promise<void> {
  await Promise.all(
    messages.map(async ({ ReceiptHandle }) => {
      const input = { QueueUrl: queue.url, ReceiptHandle, VisibilityTimeout: 0 };
      // It fails if the receipt is no longer valid. Then the message is visible, or another batch has received it.
      await client.send(new ChangeMessageVisibilityCommand(input)).catch(() => undefined);
    }),
  );
}

async function remove({ options: { client, queue } }: EventSourceState, messages: readonly Message[]): Promise<void> {
  for (let start = 0; start < messages.length; start += perRequest) {
    const entries = messages.slice(start, start + perRequest);
    const Entries = entries.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries }));
  }
}
