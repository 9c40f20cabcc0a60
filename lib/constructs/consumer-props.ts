import type { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Architecture } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** The options of a `Consumer`. */
export interface ConsumerProps {
  /** The path of the file that holds the Lambda handler; it is bundled with esbuild at synth time. */
  readonly entry: string;

  /**
   * The name under which `entry` exports the handler.
   *
   * @default 'handler'
   */
  readonly handler?: string;

  /** The table of claims, usually `claimsTable.table` of a `ClaimsTable`. It must not be replicated to another region. */
  readonly claimsTable: ITable;

  /**
   * Further environment variables of the function. `CLAIMS_TABLE` and `DEAD_LETTER_QUEUE_URL` are set for you and cannot be
   * set here; nor should secrets be, which everyone who may describe the function can read.
   *
   * @default - none
   */
  readonly environment?: Readonly<Record<string, string>>;

  /**
   * How long one batch may take. Every other time follows from it.
   *
   * @default Duration.seconds(30)
   */
  readonly timeout?: Duration;

  /**
   * The function's memory in MB, which also decides its share of a CPU.
   *
   * @default 512
   */
  readonly memorySize?: number;

  /**
   * The function's instruction set.
   *
   * @default Architecture.ARM_64
   */
  readonly architecture?: Architecture;

  /**
   * The most messages that one invocation receives. More than 10 needs `maxBatchingWindow`, and is not to be had with FIFO.
   *
   * @default 10
   */
  readonly batchSize?: number;

  /**
   * How long Lambda may wait to fill a batch. Not with FIFO.
   *
   * @default - no waiting
   */
  readonly maxBatchingWindow?: Duration;

  /**
   * The most invocations that this queue runs at the same time, from 2 to 1,000.
   *
   * @default - bounded by the account's concurrency only
   */
  readonly maxConcurrency?: number;

  /**
   * Whether the queue keeps the order of each message group. The dead-letter queue is then FIFO too, as SQS demands.
   *
   * @default false
   */
  readonly fifo?: boolean;

  /**
   * How long a received message stays hidden: at least 6 × `timeout` + `maxBatchingWindow`.
   *
   * @default - exactly that
   */
  readonly visibilityTimeout?: Duration;

  /**
   * How long the queue keeps a message that nobody takes. The age goes on counting in a standard dead-letter queue, which
   * keeps messages for 14 days from when they were first sent, so what is left of those is the time to react.
   *
   * @default Duration.days(4)
   */
  readonly retentionPeriod?: Duration;

  /**
   * How often a message is received before SQS moves it to the dead-letter queue. Below 5, throttling alone can do that.
   *
   * @default 5
   */
  readonly maxReceiveCount?: number;

  /**
   * The customer-managed key that encrypts the queue and the dead-letter queue.
   *
   * @default - encrypted with keys that SQS manages
   */
  readonly encryptionKey?: IKey;

  /**
   * How long the function's logs are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;

  /**
   * The path of the package lock file; bundling takes its folder as the root, and `entry` has to be below it.
   *
   * @default - the lock file found in the working directory or the nearest folder above it
   */
  readonly depsLockFilePath?: string;
}
