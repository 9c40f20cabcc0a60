import type { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Architecture, IFunction, ILayerVersion, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { NamesOf } from '../index.ts';

/**
 * The options of a `Consumer`.
 *
 * A function, a queue, a dead-letter queue and an event source that exist are taken as they are. Options that decide how
 * they are made are refused beside them. What can be seen of them is checked at synth time.
 *
 * @example
 * import { Duration } from 'aws-cdk-lib';
 *
 * const props: ConsumerProps = {
 *   entry: 'lambda/send-email.ts',
 *   claimsTable: claims.table,
 *   operation: 'send-email',
 *   timeout: Duration.seconds(30),
 *   batchSize: 10,
 *   maxConcurrency: 5,
 * };
 */
export interface ConsumerProps {
  /**
   * The path of the file that holds the Lambda handler; it is bundled with esbuild at synth time.
   *
   * @default - none; then `function` is required
   */
  readonly entry?: string;

  /**
   * A function that exists, instead of one that is made from `entry`. It is given its permissions and, where its environment
   * can be changed, `CLAIMS_TABLE` and `DEAD_LETTER_QUEUE_URL`. Several queues may feed one function, each with a `Consumer`.
   *
   * @default - a function is made from `entry`
   */
  readonly function?: IFunction;

  /**
   * A queue that exists, instead of one that is made.
   *
   * @default - a queue is made
   */
  readonly queue?: IQueue;

  /**
   * A dead-letter queue that exists. Beside an imported `queue` it is required: what it redrives to cannot be seen.
   *
   * @default - that of `queue`; without `queue`, one is made
   */
  readonly deadLetterQueue?: IQueue;

  /**
   * Whether an event source is made. `false` where it exists and this app cannot see it, because `function` is imported.
   *
   * @default - made, unless the app has one of this queue and function already
   */
  readonly createEventSource?: boolean;

  /**
   * Whether the function's role is given its permissions elsewhere. Then nothing is granted, and no missing permission is
   * refused: neither one that is given where it cannot be seen, nor PartiQL for a handler with `individualDynamoStore`.
   *
   * @default false
   */
  readonly externalPermissions?: boolean;

  /**
   * The name under which `entry` exports the handler.
   *
   * @default 'handler'
   */
  readonly handler?: string;

  /**
   * The table of claims, usually `claimsTable.table` of a `ClaimsTable`. It must be in the function's region and account, and must not be
   * replicated to another region.
   */
  readonly claimsTable: ITable;

  /**
   * The `operation` of the handler's options. No other function may use the same operation on this table, unless both set
   * `sharedOperation`. Its claims get metrics and alarms. They need `metricEvents()` of `pawl/observe` in the handler's `onEvent`.
   *
   * @default - no metrics and no alarms on claims; the alarms on the queues are made all the same
   */
  readonly operation?: string;

  /**
   * The `namespace` that the handler gives to `metricEvents`.
   *
   * @default 'pawl'
   */
  readonly metricsNamespace?: string;

  /**
   * The longest lease that the handler takes, when it sets one. It must not be longer than the visibility timeout.
   *
   * @default - the invocation's remaining time, as the handler's own default
   */
  readonly lease?: Duration;

  /**
   * The `retentionSeconds` of the handler's options. Claims must outlast every redelivery, so it must not be shorter than the
   * retention of the queue and of the dead-letter queue together.
   *
   * @default Duration.days(30), as the handler's own default
   */
  readonly claimRetention?: Duration;

  /**
   * The `onInFlight` of the handler's options. A consumer that defers duplicates needs a `maxReceiveCount` of 5 or more.
   *
   * @default 'defer', as the handler's own default
   */
  readonly onInFlight?: 'defer' | 'discard';

  /**
   * The `concurrency` of the handler's options: how many messages of a batch it works on at once. With `handlerTimeout` it says how many
   * messages have their turn in one invocation, and so how many receives the remaining messages need.
   *
   * @default 25, as the handler's own default
   */
  readonly concurrency?: number;

  /**
   * The `timeoutMs` of the handler's options: the longest that one message takes. It must fit into `timeout` with a second to spare.
   *
   * @default - not known; a message is then taken to need the whole invocation where `concurrency` is given, and a batch to fit into one otherwise
   */
  readonly handlerTimeout?: Duration;

  /**
   * The `maxAttempts` of the handler's options: after how many attempts a message that keeps failing is parked. It must
   * cover the times that a message is tried while it waits for locks.
   *
   * @default 20, as the handler's own default
   */
  readonly maxAttempts?: number;

  /**
   * The `leaseMs` of the handler's locks, where it uses `pawl/locks`. Each look at a lock of another request costs a receive, and its lease
   * says how often a message looks.
   *
   * @default - none; 1 minute, as the locks' own default, when the function was given `grantLocks`
   */
  readonly lockLease?: Duration;

  /**
   * How many attempts of other requests over the same resources may be ahead of a message, where the handler locks.
   *
   * @default 1
   */
  readonly lockAttempts?: number;

  /**
   * Whether another `Consumer` has the same `operation` on the same table on purpose, with another function: the same effect by two
   * functions, as while a new one takes over from an old one. A key that one of them has completed is then complete for the other. Set it on both.
   *
   * @default false
   */
  readonly sharedOperation?: boolean;

  /**
   * How old the oldest message may get before the alarm goes off.
   *
   * @default - `maxReceiveCount`, or `maxAttempts` if that is less, times the visibility timeout or 15 minutes, whichever is longer: no
   * message that is merely retried gets older. Half the queue's retention at most.
   */
  readonly maxMessageAge?: Duration;

  /**
   * How many take-overs within 15 minutes set off the alarm. Each is a worker that died, or timed out, in mid-effect.
   *
   * @default 10
   */
  readonly takenOverThreshold?: number;

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
   * The most messages that one invocation receives. More than 10 needs `maxBatchingWindow`, and is impossible with FIFO.
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
   * How many pollers Lambda keeps for the queue. Each runs up to 10 batches at once, so `maximumPollers` limits the function in place of
   * `maxConcurrency`; Lambda accepts one of the two. `minimumPollers` is 2 to 200, and 2 by default; `maximumPollers` is 2 to 10,000, and 200.
   *
   * @default - Lambda chooses the pollers
   */
  readonly provisionedPollerConfig?: { readonly minimumPollers?: number; readonly maximumPollers?: number };

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
   * How long the queue keeps a message that is not consumed. A standard dead-letter queue keeps a message for 14 days from its first send,
   * so the rest of those days is the time to react.
   *
   * @default Duration.days(4)
   */
  readonly retentionPeriod?: Duration;

  /**
   * How often a message is received before SQS moves it to the dead-letter queue, at most 1,000. Below 5, throttling alone can do that; a
   * FIFO queue, a slow handler and locks need more. Less than a healthy message may need is refused, with the numbers.
   *
   * @default - what a healthy message may need: 5, or 10 on a FIFO queue, and more for a slow handler or locks
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
   * Whether the function is traced with X-Ray. X-Ray has no resources to be named in a permission: the function's role may then
   * write traces, on `*`. For OpenTelemetry leave it off, and see `layers`.
   *
   * @default Tracing.DISABLED
   */
  readonly tracing?: Tracing;

  /**
   * Layers of the function, for instance an OpenTelemetry collector; `environment` may name its `AWS_LAMBDA_EXEC_WRAPPER`.
   *
   * @default - none
   */
  readonly layers?: readonly ILayerVersion[];

  /**
   * The path of the package lock file; bundling takes its folder as the root, and `entry` must be below it.
   *
   * @default - the lock file found in the working directory or the nearest folder above it
   */
  readonly depsLockFilePath?: string;
}

export const consumerPropNames = {
  entry: true,
  function: true,
  queue: true,
  deadLetterQueue: true,
  createEventSource: true,
  externalPermissions: true,
  handler: true,
  claimsTable: true,
  operation: true,
  metricsNamespace: true,
  lease: true,
  claimRetention: true,
  onInFlight: true,
  concurrency: true,
  handlerTimeout: true,
  maxAttempts: true,
  lockLease: true,
  lockAttempts: true,
  sharedOperation: true,
  maxMessageAge: true,
  takenOverThreshold: true,
  environment: true,
  timeout: true,
  memorySize: true,
  architecture: true,
  batchSize: true,
  maxBatchingWindow: true,
  maxConcurrency: true,
  provisionedPollerConfig: true,
  fifo: true,
  visibilityTimeout: true,
  retentionPeriod: true,
  maxReceiveCount: true,
  encryptionKey: true,
  logRetention: true,
  tracing: true,
  layers: true,
  depsLockFilePath: true,
} as const satisfies NamesOf<ConsumerProps>;
