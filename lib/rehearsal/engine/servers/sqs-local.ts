import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { rehearsedAccount, rehearsedRegion } from '../app/template.ts';
import { storesWithFifoBatches } from './fifo-batches.ts';

/** How many messages a queue holds, by what they are doing. */
export interface QueueDepth {
  readonly ready: number;
  readonly delayed: number;
  readonly inFlight: number;
}

/** How many messages a queue holds. */
export function messagesIn({ ready, delayed, inFlight }: QueueDepth): number {
  return ready + delayed + inFlight;
}

/** A message as a queue holds it. */
export interface HeldMessage {
  readonly body: string;
  readonly messageAttributes: Readonly<Record<string, { readonly StringValue?: string }>>;
}

/** A running SQS stand-in. */
export interface SqsLocal extends AsyncDisposable {
  readonly endpoint: string;
  /** A client that is allowed to talk to it. */
  readonly client: SQSClient;
  /** Where a queue of this name is, or would be. */
  address(name: string): { readonly url: string; readonly arn: string };
  /** Creates a queue; `attributes` are the API's, all of them texts. */
  createQueue(
    name: string,
    attributes?: Readonly<Record<string, string>>,
  ): Promise<{ readonly url: string; readonly arn: string }>;
  depth(name: string): Promise<QueueDepth>;
  /** What a queue holds, without receiving it: of a FIFO queue, a receive closes the groups that it takes from. */
  messages(name: string): Promise<readonly HeldMessage[]>;
  /**
   * Ends the window in which FIFO queues recognise the deduplication ids of some messages, by what their ids or their bodies say. Returns the names of
   * the queues that have forgotten one.
   */
  endDeduplication(isOver: (text: string) => boolean): readonly string[];
  /** Lets time pass for hidden messages, until the first of them becomes visible. Returns how much, in milliseconds; 0 if none is hidden. */
  passTime(): number;
  /** Keeps messages in flight for longer, by their receipts. Of one that is not in flight any more, it does nothing. */
  extend(name: string, receipts: readonly string[], ms: number): void;
  /** Takes the last receive of these messages as one that has not been. */
  giveBack(name: string, messageIds: readonly string[]): void;
  /** Ends the server. Calling it again does nothing. */
  stop(): Promise<void>;
}

export interface SqsLocalOptions {
  /** Called before a message becomes visible again because its time is up: `extend` may give it more. @default nothing */
  readonly beforeExpiry?: () => void;
}

interface Counts {
  readonly name: string;
  readonly approximateMessageCount: number;
  readonly approximateDelayedCount: number;
  readonly approximateInflightCount: number;
}

interface Inspected {
  readonly messages: {
    readonly ready: readonly HeldMessage[];
    readonly delayed: readonly HeldMessage[];
    readonly inflight: readonly { readonly message: HeldMessage }[];
  };
}

/** Starts an SQS server in this process, on a free port of 127.0.0.1. */
export async function startSqsLocal({ beforeExpiry = () => undefined }: SqsLocalOptions = {}): Promise<SqsLocal> {
  const { stores, endDeduplication, passTime } = await storesWithFifoBatches(beforeExpiry);
  // Not `startFauxqs`: that listens on every interface of the machine.
  const app = buildApp({ logger: false, stores });
  // Fastify keeps an idle connection for 72 seconds. A frozen sandbox cannot see one being closed, and would lose its first call after the thaw.
  app.server.keepAliveTimeout = 300_000;
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  const client = new SQSClient({
    endpoint,
    region: rehearsedRegion,
    credentials: { accessKeyId: 'LOCALSTACK', secretAccessKey: 'local' },
    // Every poller holds a connection for a long poll. At the SDK's 50, those of an app with many mappings would wait for each other.
    requestHandler: { httpAgent: { maxSockets: Number.POSITIVE_INFINITY, keepAlive: true } },
  });
  // Not the URL that the server gives: its host is `sqs.us-east-1.localhost`, which not every resolver knows, and the
  // SDK sends a request to the host of the queue's URL, whatever its endpoint is.
  const address = (name: string) => ({
    url: `${endpoint}/${rehearsedAccount}/${name}`,
    arn: `arn:aws:sqs:${rehearsedRegion}:${rehearsedAccount}:${name}`,
  });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= (async () => {
      client.destroy();
      await app.close();
    })();
    return stopped;
  };
  return {
    endpoint,
    client,
    address,
    async createQueue(name, attributes = {}) {
      await client.send(new CreateQueueCommand({ QueueName: name, Attributes: { ...attributes } }));
      return address(name);
    },
    async depth(name) {
      const queues: readonly Counts[] = (await app.inject({ method: 'GET', url: '/_fauxqs/queues' })).json();
      const found = queues.find((queue) => queue.name === name);
      if (found === undefined) throw new Error(`There is no queue ${name}.`);
      return {
        ready: found.approximateMessageCount,
        delayed: found.approximateDelayedCount,
        inFlight: found.approximateInflightCount,
      };
    },
    async messages(name) {
      const found: Inspected = (await app.inject({ method: 'GET', url: `/_fauxqs/queues/${name}` })).json();
      const { ready, delayed, inflight } = found.messages;
      return [...ready, ...delayed, ...inflight.map(({ message }) => message)];
    },
    endDeduplication,
    passTime,
    extend(name, receipts, ms) {
      const queue = stores.sqsStore.getQueueByName(name);
      for (const receipt of receipts) {
        const held = queue?.inflightMessages.get(receipt);
        if (held !== undefined) held.visibilityDeadline += ms;
      }
    },
    giveBack(name, messageIds) {
      const queue = stores.sqsStore.getQueueByName(name);
      if (queue === undefined) return;
      const inFlight = [...queue.inflightMessages.values()].map(({ message }) => message);
      const held = [
        ...inFlight,
        ...queue.messages,
        ...queue.delayedMessages,
        ...[...queue.fifoMessages.values()].flat(),
      ];
      for (const one of held) if (messageIds.includes(one.messageId)) one.approximateReceiveCount -= 1;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
