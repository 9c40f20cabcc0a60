import type { EventSourceStats } from '../services/sqs/event-source.ts';
import type { AtConstruct } from './app/constructs.ts';
import type { HttpServer } from './http.ts';
import type { LocalFunction } from './lambda/lambda.ts';
import type { ProvisionedEventSource, ProvisionedQueue, ProvisionedTable } from './provisioned.ts';

/*
 * What a caller finds in an app that runs. A construct is named by its path, of which parts at the beginning and at the end may be
 * left out. Each of these throws an error if no such part is there, or more than one.
 */

/** A function that a queue feeds. */
export interface Consumer extends AtConstruct {
  readonly stack: string;
  /** What its template says. */
  readonly mapping: ProvisionedEventSource;
  readonly queue: ProvisionedQueue;
  readonly deadLetterQueue: ProvisionedQueue | undefined;
  readonly function: LocalFunction;
  readonly stats: EventSourceStats;
}

/** A function that the stream of a table feeds. */
export interface StreamConsumer extends AtConstruct {
  readonly stack: string;
  readonly table: ProvisionedTable;
  /** The queue that is told of the records that were given up; `undefined` if the mapping has none. */
  readonly failures: ProvisionedQueue | undefined;
  readonly function: LocalFunction;
  /** The path of the function's construct. */
  readonly functionConstruct: string;
  readonly stats: StreamConsumerStats;
  /** How many records the consumer has not done with yet. */
  lag(): Promise<number>;
  /** These records. */
  waiting(): Promise<readonly unknown[]>;
}

export interface StreamConsumerStats {
  readonly batches: number;
  /** Records handed to the function, every delivery counted. */
  readonly deliveries: number;
  readonly redeliveries: number;
  /** Records that were given up. */
  readonly discarded: number;
}

/** An HTTP or a REST API. */
export interface RehearsedApi extends AtConstruct {
  readonly stack: string;
  readonly server: HttpServer;
}

/** A topic of SNS. */
export interface RehearsedTopic extends AtConstruct {
  readonly stack: string;
  readonly name: string;
  readonly arn: string;
  /** Publishes a message, past all faults. Returns its id. */
  publish(message: string, options?: PublishOptions): Promise<string>;
}

export interface PublishOptions {
  readonly subject?: string;
  /** Attributes of the data type `String`. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly groupId?: string;
  readonly deduplicationId?: string;
}

/** A bucket of S3. */
export interface RehearsedBucket extends AtConstruct {
  readonly stack: string;
  readonly name: string;
  /** Puts an object, past all faults. The notifications of the bucket go out. */
  put(key: string, body: string | Uint8Array): Promise<void>;
  /** Deletes an object, likewise. */
  delete(key: string): Promise<void>;
  /** Returns an object's content, or `undefined` if there is none. */
  get(key: string): Promise<Buffer | undefined>;
}

/** A schedule: a rule of EventBridge, or a schedule of EventBridge Scheduler. */
export interface RehearsedSchedule extends AtConstruct {
  readonly stack: string;
  readonly expression: string;
  readonly enabled: boolean;
  /** Sends the event of one due time to all targets. Resolves when they have it; an asynchronous invocation goes on. */
  run(): Promise<void>;
}

/** What is found by its construct. */
export interface Parts {
  /** The name of a table. */
  table(construct: string): string;
  queue(construct: string): ProvisionedQueue;
  topic(construct: string): RehearsedTopic;
  bucket(construct: string): RehearsedBucket;
  consumer(construct: string): Consumer;
  streamConsumer(construct: string): StreamConsumer;
  /** The server of an HTTP or a REST API. */
  api(construct: string): HttpServer;
  /** The server of a function URL. */
  functionUrl(construct: string): HttpServer;
  schedule(construct: string): RehearsedSchedule;
  /** A function, to be invoked. */
  function(construct: string): Promise<LocalFunction>;
}
