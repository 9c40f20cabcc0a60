import { Annotations, Duration, Names, Stack } from 'aws-cdk-lib';
import type { IAlarmAction, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { defaultPollers, explained, handlerDefaults, metricNamespace } from 'pawl/deployment';
import { actOn } from './alarms.ts';
import { grantClaims } from './claims-grants.ts';
import { type ConsumerAlarms, createAlarms } from './consumer-alarms.ts';
import { checkedTimes, defaults, misplacedEventSourceOptions, refuseIfAny, type Times } from './consumer-checks.ts';
import { createFunction } from './consumer-function.ts';
import { type ConsumerProps, consumerPropNames } from './consumer-props.ts';
import { createQueues, existingQueues } from './consumer-queues.ts';
import { tellFunction } from './environment.ts';
import { makeKnown } from './known-consumers.ts';
import { expectProps } from './known-props.ts';
import { type ClaimMetric, claimMetric } from './metrics.ts';
import { grantOperateConsumer } from './operate-grant.ts';
import { expectKinds } from './prop-kinds.ts';
import { hasEventSource, queueSoFar, seenArn, seenFunctionArn, timeoutSoFar } from './seen.ts';
import { type Parts, seenProblems } from './seen-problems.ts';
import { markComplete, markUnderConstruction } from './template-body.ts';
import { write } from './written.ts';

/** What the longest back-off of a consumer is, unless its author says otherwise. */
const longestBackoffSeconds = 900;

/** Both numbers: CloudFormation has no defaults for one of them. */
function writePollers(mapping: EventSourceMapping, given: NonNullable<ConsumerProps['provisionedPollerConfig']>): void {
  const { minimumPollers = defaultPollers.minimum, maximumPollers = defaultPollers.maximum } = given;
  write(mapping, 'ProvisionedPollerConfig', { MinimumPollers: minimumPollers, MaximumPollers: maximumPollers });
}

/**
 * A queue whose messages take effect once: the queue, its dead-letter queue, the function that consumes it and may claim in the claims table,
 * the event source between them, and alarms. Each resource may exist already.
 *
 * The construct sets every setting that pawl relies on: partial batch responses, a visibility timeout that outlasts the function's retries,
 * 5 receives, permissions. If a setting of an existing resource differs, it is refused. New resources accept TLS only, are encrypted at rest,
 * and keep their logs for a limited time. The function finds the name of the claims table in `CLAIMS_TABLE`, and the URL of the dead-letter
 * queue in `DEAD_LETTER_QUEUE_URL`.
 *
 * Options that contradict each other are refused at once. Existing resources are checked at synth time, when the app is complete.
 *
 * @throws {WiringError} when an option is unknown, when timeouts or batch settings contradict each other, or when `environment` sets a variable
 *   that the construct sets
 * @example
 * import { Duration } from 'aws-cdk-lib';
 * import { Queue } from 'aws-cdk-lib/aws-sqs';
 *
 * new Consumer(stack, 'IssueGiftCard', {
 *   entry: 'lambda/issue-gift-card.ts',
 *   claimsTable: claims.table,
 *   operation: 'issue-gift-card',
 *   timeout: Duration.seconds(30),
 * });
 * // Around a queue and a function that exist:
 * const mails = Queue.fromQueueArn(stack, 'Mails', 'arn:aws:sqs:eu-central-1:123456789012:mails');
 * const deadLetterQueue = Queue.fromQueueArn(stack, 'DeadMails', 'arn:aws:sqs:eu-central-1:123456789012:mails-dead');
 * new Consumer(stack, 'SendEmail', { claimsTable: claims.table, queue: mails, deadLetterQueue, function: existingFunction });
 */
export class Consumer extends Construct {
  /** Where producers send. */
  readonly queue: IQueue;
  /** Where messages go that could not be handled. */
  readonly deadLetterQueue: IQueue;
  /** The function that runs the handler. */
  readonly function: IFunction;
  /** They have no actions yet: see `addAlarmAction`. */
  readonly alarms: ConsumerAlarms;
  readonly #props: ConsumerProps;

  constructor(scope: Construct, id: string, props: ConsumerProps) {
    super(scope, id);
    expectProps(this, props, { door: 'Consumer', known: consumerPropNames, docs: 'docs/reference/wiring.md' });
    expectKinds(this, props, ['claimsTable']);
    markUnderConstruction(this);
    this.#props = props;
    const { path } = this.node;
    const existingTimeout = props.function && timeoutSoFar(props.function);
    const times = checkedTimes(Stack.of(this), path, props, existingTimeout);

    const queues = props.queue === undefined ? createQueues(this, props, times) : existingQueues(path, props, times);
    this.queue = queues.queue;
    this.deadLetterQueue = queues.deadLetterQueue;

    this.function = props.function ?? createFunction(this, props, times.timeout);
    const { tableName } = props.claimsTable;
    refuseIfAny(path, tellFunction(this.function, { by: path, ...queues, tableName }));
    // Without a role there is nothing to grant to; pawl refuses that when the app is complete.
    if (props.externalPermissions !== true && this.function.role !== undefined) this.#grant();
    this.#connect();

    this.alarms = createAlarms(this, {
      maxReceiveCount: this.#maxReceiveCount(),
      maxMessageAge: props.maxMessageAge ?? this.#ageThatRetriesExplain(times),
      takenOverThreshold: props.takenOverThreshold ?? 10,
      onClaims: props.operation !== undefined,
    });

    const made = { queue: this.queue, deadLetterQueue: this.deadLetterQueue, function: this.function };
    makeKnown(this.node.root, {
      path,
      queueArn: () => seenArn(this.queue, this.queue.queueArn),
      functionArn: () => seenFunctionArn(this.function),
      tableArn: () => seenArn(props.claimsTable, props.claimsTable.tableArn),
      operation: props.operation,
    });
    this.node.addValidation({ validate: () => this.#validate(made) });
  }

  /** Permits `grantee` to send messages to the queue, and to use its customer-managed key when it has one. */
  grantSendMessages(grantee: IGrantable): Grant {
    return this.queue.grantSendMessages(grantee);
  }

  /**
   * Permits `grantee` to look at the dead letters and to redrive them, and to find the claims table and the queues by the name of the stack or the function:
   * `pawl dlq`, `pawl redrive` and `--stack`. An operator also needs `ClaimsTable.grantOperate`; a consumer needs neither.
   *
   * @example
   * import { Role } from 'aws-cdk-lib/aws-iam';
   *
   * const onCall = Role.fromRoleName(stack, 'OnCall', 'on-call');
   * claims.grantOperate(onCall);
   * sendEmail.grantOperate(onCall);
   */
  grantOperate(grantee: IGrantable): Grant {
    return grantOperateConsumer(this, grantee);
  }

  /** Adds these actions to every alarm of the consumer, for instance an `SnsAction`. */
  addAlarmAction(...actions: readonly IAlarmAction[]): void {
    actOn(Object.values(this.alarms), actions);
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

  /** The age of the oldest message in the queue: the first number to grow when a consumer falls behind. */
  metricApproximateAgeOfOldestMessage(props?: MetricOptions): Metric {
    return this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1), ...props });
  }

  /**
   * How often something happened to the claims of the consumer: a sum of what its handler writes with `metricEvents()`.
   *
   * @throws Error when the consumer has no `operation`
   */
  metricClaims(metricName: ClaimMetric, props?: MetricOptions): Metric {
    const { operation, metricsNamespace = metricNamespace } = this.#props;
    if (operation === undefined) {
      const why = `${this.node.path} has no metrics on claims, because its operation is not known`;
      throw new Error(explained(`${why}. Set the option operation`, 'wired-wrongly'));
    }
    return claimMetric(metricName, { operation, namespace: metricsNamespace }, props);
  }

  /** Looks at what will be deployed. Warnings are written down, because a validation can only refuse. */
  #validate(made: Parts): string[] {
    markComplete(this);
    const found = seenProblems(this, made, this.#props);
    for (const { rule, text } of found.filter(({ level }) => level === 'warning')) {
      Annotations.of(this).addWarningV2(`pawl:${rule}`, text);
    }
    return found.filter(({ level }) => level === 'problem').map(({ text }) => explained(text, 'wired-wrongly'));
  }

  #grant(): void {
    grantClaims(this.#props.claimsTable, this.function, this.#props.claimRights);
    // For permanent failures, which go straight there instead of using up their receives first.
    this.deadLetterQueue.grant(this.function, 'sqs:SendMessage');
    this.deadLetterQueue.encryptionMasterKey?.grant(this.function, 'kms:Decrypt', 'kms:GenerateDataKey');
    this.queue.grantConsumeMessages(this.function);
  }

  #connect(): void {
    const props = this.#props;
    // An event source of an alias counts: a second one, of the function, would compete with it.
    if (!(props.createEventSource ?? !hasEventSource(this.function, this.queue))) {
      refuseIfAny(this.node.path, misplacedEventSourceOptions(props));
      return;
    }
    // Not `SqsEventSource`, which grants as well, and throws for a function that was imported without its role. Nor its name: if the author adds
    // one later, CDK would report a name that is taken. A rule reports two event sources when the app is complete.
    const mapping = new EventSourceMapping(this.function, `OnceFrom:${Names.nodeUniqueId(this.queue.node)}`, {
      target: this.function,
      eventSourceArn: this.queue.queueArn,
      batchSize: props.batchSize ?? defaults.batchSize,
      // Without it Lambda ignores which messages failed and deletes them with the rest: they would be lost.
      reportBatchItemFailures: true,
      ...(props.maxBatchingWindow === undefined ? {} : { maxBatchingWindow: props.maxBatchingWindow }),
      ...(props.maxConcurrency === undefined ? {} : { maxConcurrency: props.maxConcurrency }),
    });
    if (props.provisionedPollerConfig !== undefined) writePollers(mapping, props.provisionedPollerConfig);
  }

  #maxReceiveCount(): number | undefined {
    const { maxReceiveCount } = queueSoFar(this.queue);
    return typeof maxReceiveCount === 'number' ? maxReceiveCount : undefined;
  }

  #ageThatRetriesExplain(times: Times): Duration {
    const seen = queueSoFar(this.queue);
    const oneTry = Math.max(
      seen.visibilityTimeoutSeconds ?? times.visibilityTimeout.toSeconds(),
      longestBackoffSeconds,
    );
    const { maxAttempts = handlerDefaults.maxAttempts } = this.#props;
    const tries = Math.min(this.#maxReceiveCount() ?? times.maxReceiveCount, maxAttempts);
    const half = (seen.retentionSeconds ?? defaults.retentionPeriod.toSeconds()) / 2;
    return Duration.seconds(Math.min(tries * oneTry, Math.floor(half)));
  }
}
