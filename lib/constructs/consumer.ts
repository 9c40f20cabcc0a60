import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  ComparisonOperator,
  type Metric,
  type MetricOptions,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { type Grant, type IGrantable, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { bundling } from './bundling.ts';
import { grantClaims } from './claims-table.ts';
import type { ConsumerProps } from './consumer-props.ts';
import { checkedTimes } from './consumer-times.ts';

/** SQS's longest. The last place where a message can be: the longer it stays, the longer somebody can act. */
const DEAD_LETTER_RETENTION = Duration.days(14);

/**
 * A queue whose messages take effect once: the queue, its dead-letter queue with an alarm, and the function that consumes it
 * and may claim in the claims table.
 *
 * Every setting that pawl relies on is set: partial batch responses, a visibility timeout that outlasts the function's
 * retries, 5 receives, TLS only, encryption at rest, logs that end. The function finds the claims table's name in
 * `CLAIMS_TABLE` and the dead-letter queue's URL in `DEAD_LETTER_QUEUE_URL`.
 *
 * @throws {WiringError} when timeouts or batch settings contradict each other, or `environment` sets a variable of pawl's.
 *
 * @example
 * const claims = new ClaimsTable(this, 'Claims');
 * const giftCards = new Consumer(this, 'IssueGiftCard', {
 *   entry: 'lambda/issue-gift-card.ts',
 *   claimsTable: claims.table,
 *   timeout: Duration.seconds(30),
 * });
 * giftCards.grantSendMessages(orderService);
 * giftCards.deadLetterAlarm.addAlarmAction(new SnsAction(onCall));
 */
export class Consumer extends Construct {
  /** Where producers send. */
  readonly queue: Queue;
  /** Where messages end that could not be handled. */
  readonly deadLetterQueue: Queue;
  /** The function that runs the handler. */
  readonly function: NodejsFunction;
  /** In alarm as long as a message waits in the dead-letter queue. It has no action yet: add yours. */
  readonly deadLetterAlarm: Alarm;

  constructor(scope: Construct, id: string, props: ConsumerProps) {
    super(scope, id);
    const times = checkedTimes(this.node.path, props);
    const maxReceiveCount = props.maxReceiveCount ?? 5;

    const common: QueueProps = {
      enforceSSL: true,
      fifo: props.fifo ?? false,
      ...(props.encryptionKey === undefined
        ? { encryption: QueueEncryption.SQS_MANAGED }
        : { encryption: QueueEncryption.KMS, encryptionMasterKey: props.encryptionKey }),
    };
    this.deadLetterQueue = new Queue(this, 'DeadLetterQueue', { ...common, retentionPeriod: DEAD_LETTER_RETENTION });
    this.queue = new Queue(this, 'Queue', {
      ...common,
      visibilityTimeout: times.visibilityTimeout,
      retentionPeriod: props.retentionPeriod ?? Duration.days(4),
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount },
    });

    this.function = this.#createFunction(props, times.timeout);
    this.function.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: props.batchSize ?? 10,
        // Without it Lambda ignores which messages failed and deletes them with the rest: they would be lost.
        reportBatchItemFailures: true,
        ...(props.maxBatchingWindow === undefined ? {} : { maxBatchingWindow: props.maxBatchingWindow }),
        ...(props.maxConcurrency === undefined ? {} : { maxConcurrency: props.maxConcurrency }),
      }),
    );
    this.deadLetterAlarm = this.#createDeadLetterAlarm(maxReceiveCount);
  }

  /** Permits `grantee` to send messages to the queue, and to use its customer-managed key when it has one. */
  grantSendMessages(grantee: IGrantable): Grant {
    return this.queue.grantSendMessages(grantee);
  }

  /**
   * Messages that wait in the dead-letter queue.
   *
   * Those that are there, not those that were sent: `NumberOfMessagesSent` does not count what SQS moves there by itself.
   */
  metricDeadLetters(props?: MetricOptions): Metric {
    return this.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      period: Duration.minutes(1),
      statistic: 'Maximum',
      ...props,
    });
  }

  /** How long the oldest message has been waiting to be done with: the first number to grow when a consumer falls behind. */
  metricApproximateAgeOfOldestMessage(props?: MetricOptions): Metric {
    return this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1), ...props });
  }

  #createFunction(props: ConsumerProps, timeout: Duration): NodejsFunction {
    const logGroup = new LogGroup(this, 'Logs', { retention: props.logRetention ?? RetentionDays.ONE_MONTH });
    // A role of its own, because the managed policy that Lambda's default role comes with may write to every log group.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);

    const consumer = new NodejsFunction(this, 'Function', {
      entry: props.entry,
      handler: props.handler ?? 'handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: props.architecture ?? Architecture.ARM_64,
      // Less memory is less CPU: at 128 MB, loading the SDK and its first TLS handshakes take seconds of the lease.
      memorySize: props.memorySize ?? 512,
      timeout,
      logGroup,
      role,
      bundling,
      ...(props.depsLockFilePath === undefined ? {} : { depsLockFilePath: props.depsLockFilePath }),
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        ...props.environment,
        CLAIMS_TABLE: props.claimsTable.tableName,
        DEAD_LETTER_QUEUE_URL: this.deadLetterQueue.queueUrl,
      },
    });

    grantClaims(props.claimsTable, consumer);
    // For permanent failures, which go straight there instead of using up their receives first.
    this.deadLetterQueue.grant(consumer, 'sqs:SendMessage');
    props.encryptionKey?.grant(consumer, 'kms:Decrypt', 'kms:GenerateDataKey');
    return consumer;
  }

  #createDeadLetterAlarm(maxReceiveCount: number): Alarm {
    return this.metricDeadLetters().createAlarm(this, 'DeadLetterAlarm', {
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription:
        `${this.node.path}: messages wait in the dead-letter queue, and their effects have not been confirmed. Each was either ` +
        `received ${maxReceiveCount} times without success, or sent there at once with the reason in its message attributes. ` +
        // SQS knows no source for what the function sent here itself, so a redrive has to name its destination.
        "What to do: read the reasons and the function's logs, fix the cause, then start a redrive with this consumer's " +
        'queue as its custom destination. That is safe: an effect that was completed is not run again, and a parked claim ' +
        'does not run until somebody has resolved it. Messages are deleted as early as 14 days after they were first sent.',
    });
  }
}
