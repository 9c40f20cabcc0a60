import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { MessageAttributeValue, SQSClient } from '@aws-sdk/client-sqs';

/** What everything that is sent says of itself. */
export interface Intended {
  /** The name under which its effects are to happen once: `order-17`. The message, the request or the item has to say it, too. */
  readonly intent: string;
  /** The effects that it is to have. @default all */
  readonly effects?: readonly string[];
}

/**
 * How a message is sent, and which effects it is to have.
 *
 * @example
 * const options: SendOptions = { intent: 'order-1', effects: ['email'], groupId: 'customer-7' };
 */
export interface SendOptions extends Intended {
  /** The message group, of a FIFO queue. @default none */
  readonly groupId?: string;
  /** The deduplication id, of a FIFO queue. @default the intent */
  readonly deduplicationId?: string;
  /** The message attributes. @default none */
  readonly attributes?: Readonly<Record<string, string | MessageAttributeValue>>;
  /** For how long SQS holds the message back, in seconds. @default what the queue sets */
  readonly delaySeconds?: number;
}

/** A queue of the app. */
export interface AppQueue {
  readonly name: string;
  readonly url: string;
  /** Sends a message. A body that is no text is sent as JSON. */
  send(body: unknown, options: SendOptions): Promise<void>;
}

/**
 * How a request is sent, and which effects it is to have.
 *
 * @example
 * const options: RequestOptions = { intent: 'order-1', headers: { 'idempotency-key': '"order-1"' }, timeoutMs: 5000 };
 */
export interface RequestOptions extends Intended {
  /** The headers of the request, the same ones when it is sent again. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Whether the client sends the request again, with the same headers, until it has a response below 500.
   * @default true
   */
  readonly retries?: boolean;
  /** How long the client waits for a response. @default 10000 */
  readonly timeoutMs?: number;
}

/** The last response that the client had. */
export interface AppResponse {
  /** `undefined` if it never had one. */
  readonly status: number | undefined;
  readonly text: string;
}

/** An HTTP API of the app. */
export interface AppApi {
  readonly url: string;
  /** Sends a request. A body that is no text is sent as JSON. */
  request(method: string, path: string, body: unknown, options: RequestOptions): Promise<AppResponse>;
  post(path: string, body: unknown, options: RequestOptions): Promise<AppResponse>;
  put(path: string, body: unknown, options: RequestOptions): Promise<AppResponse>;
}

/** A table of the app. */
export interface AppTable {
  readonly name: string;
  /** Puts an item, past all faults: what a stream then delivers is the traffic. */
  put(item: Readonly<Record<string, unknown>>, options: Intended): Promise<void>;
  items(): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/**
 * What a message that is published to a topic has besides its text.
 *
 * @example
 * import { mailer, type PublishOptions, rehearsal } from '@pawl/rehearsal';
 *
 * const options: PublishOptions = { intent: 'ride-1', attributes: { kind: 'completed' } };
 *
 * export default rehearsal({
 *   providers: { MAILER_URL: mailer() },
 *   traffic: ({ topic }) => topic('Rides').publish({ rideId: 'ride-1' }, options),
 * });
 */
export interface PublishOptions extends Intended {
  /** The subject. @default none */
  readonly subject?: string;
  /** Attributes of the data type `String`, which filter policies read. @default none */
  readonly attributes?: Readonly<Record<string, string>>;
  /** The message group, of a FIFO topic. @default none */
  readonly groupId?: string;
  /** The deduplication id, of a FIFO topic. @default none */
  readonly deduplicationId?: string;
}

/** A topic of the app. */
export interface AppTopic {
  /** Publishes a message. One that is no text is sent as JSON. */
  publish(message: unknown, options: PublishOptions): Promise<void>;
}

/**
 * How an event is put on a bus, and which effects it is to have.
 *
 * @example
 * const options: EventOptions = { intent: 'ride-1', source: 'rides', detailType: 'RideCompleted' };
 */
export interface EventOptions extends Intended {
  /** The source of the event, which rules match. */
  readonly source: string;
  /** The type of the event, which rules match. */
  readonly detailType: string;
}

/** An event bus of the app. */
export interface AppEventBus {
  /** Puts an event with this detail. */
  put(detail: object, options: EventOptions): Promise<void>;
}

/** A bucket of the app. */
export interface AppBucket {
  /** Puts an object, past all faults. The notifications of the bucket go out. */
  put(key: string, body: string | Uint8Array, options: Intended): Promise<void>;
  get(key: string): Promise<Buffer | undefined>;
}

/** A schedule of the app. */
export interface AppSchedule {
  /** Lets one due time come. */
  run(options: Intended): Promise<void>;
}

/** A function of the app. */
export interface AppFunction {
  /** Invokes the function once, as a schedule or another service would. @throws Error if it does not respond */
  invoke(event: unknown, options: Intended): Promise<unknown>;
}

/**
 * The app that is rehearsed. Everything in it is named by the end of its construct's path, of which parts at the beginning may be left
 * out: `queue('Orders')`, `table('Billing/Ledger')`.
 *
 * @example
 * const traffic = ({ queue, api }: App) => {
 *   queue('Orders').send({ orderId: 'order-1' }, { intent: 'order-1' });
 *   api('Shop').post('/orders', { orderId: 'order-2' }, { intent: 'order-2' });
 * };
 */
export interface App {
  /**
   * Finds a queue. The others throw likewise.
   *
   * @throws Error if the app has no such queue, or more than one; the message names those that there are
   */
  readonly queue: (construct: string) => AppQueue;
  /** Finds an HTTP API. */
  readonly api: (construct: string) => AppApi;
  /** Finds a table. */
  readonly table: (construct: string) => AppTable;
  /** Finds a topic. */
  readonly topic: (construct: string) => AppTopic;
  /** Finds an event bus. */
  readonly eventBus: (construct: string) => AppEventBus;
  /** Finds a bucket. */
  readonly bucket: (construct: string) => AppBucket;
  /** Finds a schedule. */
  readonly schedule: (construct: string) => AppSchedule;
  /** Finds a function. */
  readonly function: (construct: string) => AppFunction;
  /**
   * Announces an intent that something else sends: a program of its own, or a client that the rehearsal does not know. It is owed its effects
   * as if the rehearsal had sent it.
   */
  readonly announce: (options: Intended) => void;
  /** A client that talks to DynamoDB past all faults. */
  readonly dynamo: DynamoDBClient;
  /** A client that talks to SQS past all faults. */
  readonly sqs: SQSClient;
}
