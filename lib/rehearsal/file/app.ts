import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { MessageAttributeValue, SQSClient } from '@aws-sdk/client-sqs';

/** What everything that is sent says of itself. */
export interface Intended {
  /** The name under which its effects are to happen once: `order-17`. The message, the request or the item has to say it, too. */
  readonly intent: string;
  /** The effects that it is to have. @default all */
  readonly effects?: readonly string[];
}

export interface SendOptions extends Intended {
  /** The message group, of a FIFO queue. */
  readonly groupId?: string;
  /** The deduplication id, of a FIFO queue. @default the intent */
  readonly deduplicationId?: string;
  readonly attributes?: Readonly<Record<string, string | MessageAttributeValue>>;
  readonly delaySeconds?: number;
}

export interface AppQueue {
  readonly name: string;
  readonly url: string;
  /** Sends a message. A body that is no text is sent as JSON. */
  send(body: unknown, options: SendOptions): Promise<void>;
}

export interface RequestOptions extends Intended {
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

export interface AppApi {
  readonly url: string;
  /** Sends a request. A body that is no text is sent as JSON. */
  request(method: string, path: string, body: unknown, options: RequestOptions): Promise<AppResponse>;
  post(path: string, body: unknown, options: RequestOptions): Promise<AppResponse>;
  put(path: string, body: unknown, options: RequestOptions): Promise<AppResponse>;
}

export interface AppTable {
  readonly name: string;
  /** Puts an item, past all faults: what a stream then delivers is the traffic. */
  put(item: Readonly<Record<string, unknown>>, options: Intended): Promise<void>;
  items(): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export interface AppFunction {
  /** Invokes the function once, as a schedule or another service would. @throws Error if it does not respond */
  invoke(event: unknown, options: Intended): Promise<unknown>;
}

/**
 * The app that is rehearsed. Everything in it is named by the end of its construct's path, of which parts at the beginning may be left
 * out: `queue('Orders')`, `table('Billing/Ledger')`.
 */
export interface App {
  /** @throws Error if the app has no such queue, or more than one; it names those that there are. The same holds for all of these */
  readonly queue: (construct: string) => AppQueue;
  readonly api: (construct: string) => AppApi;
  readonly table: (construct: string) => AppTable;
  readonly function: (construct: string) => AppFunction;
  /** A client that talks to DynamoDB past all faults. */
  readonly dynamo: DynamoDBClient;
  /** A client that talks to SQS past all faults. */
  readonly sqs: SQSClient;
}
