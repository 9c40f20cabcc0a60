/** Servers that listen on this machine, and stop at the end. */
export interface LocalAws {
  stop(): Promise<void>;
}

/**
 * Starts DynamoDB Local and a server for SQS and SNS. Makes a claims table, a queue and its dead-letter queue. Sets the variables that a deployed function
 * has (`CLAIMS_TABLE`, `DEAD_LETTER_QUEUE_URL`), the region, the credentials and the endpoints; and `QUEUE_URL`. Import the handler after that.
 */
export function startAws(options?: StartOptions): Promise<LocalAws>;

export interface StartOptions {
  /** Whether the queues are FIFO queues. @default false */
  readonly fifo?: boolean;
  /** How long a received message stays hidden. In AWS at least six times the function's timeout. @default 30 */
  readonly visibilitySeconds?: number;
}

/** Makes a table with a partition key, a text. */
export function createTable(name: string, partitionKey: string): Promise<void>;

/** Sends a message to the queue, as JSON. The second argument is for a FIFO queue. */
export function send(
  body: unknown,
  more?: { readonly MessageGroupId?: string; readonly MessageDeduplicationId?: string },
): Promise<void>;

/** A Lambda function that a queue invokes. */
export type Handler = (event: never, context: never) => Promise<unknown>;

export interface DeliverOptions {
  /** @default 10 */
  readonly batchSize?: number;
  /** The function's timeout. @default 30000 */
  readonly timeoutMs?: number;
  /** Deletes no message, so that SQS delivers them once more: it may do that. @default false */
  readonly again?: boolean;
}

/** What Lambda does with one batch: invokes the function, and deletes the messages that it did not return. Returns how many messages it received. */
export function deliver(handler: Handler, options?: DeliverOptions): Promise<number>;

/** Delivers until the queue is empty. */
export function drain(handler: Handler, options?: DeliverOptions): Promise<void>;
