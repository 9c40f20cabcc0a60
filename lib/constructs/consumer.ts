import { Annotations, Aspects, Duration, Names, Stack } from 'aws-cdk-lib';
import type { IAlarmAction, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { actOn } from './alarms.ts';
import { grantClaims } from './claims-table.ts';
import { type ConsumerAlarms, createAlarms } from './consumer-alarms.ts';
import { checkedTimes, DEFAULTS, misplacedEventSourceOptions, refuse } from './consumer-checks.ts';
import { createFunction } from './consumer-function.ts';
import type { ConsumerProps } from './consumer-props.ts';
import { createQueues, existingQueues } from './consumer-queues.ts';
import { type ClaimMetric, claimMetric } from './metrics.ts';
import { functionBehind, hasFilters, seenEnvironment, seenEventSources, seenQueue, seenTimeout } from './seen.ts';
import { seenProblems } from './seen-problems.ts';

/** What the longest back-off of a consumer is, unless its author says otherwise. */
const LONGEST_BACKOFF_SECONDS = 900;

/**
 * A queue whose messages take effect once: the queue, its dead-letter queue, the function that consumes it and may claim in
 * the claims table, the event source between them, and alarms. Each of them may exist already.
 *
 * Every setting that pawl relies on is set, or refused when it is otherwise: partial batch responses, a visibility timeout that
 * outlasts the function's retries, 5 receives, permissions. What is made here is TLS only, encrypted at rest, and has logs that
 * end. The function finds the claims table's name in `CLAIMS_TABLE` and the dead-letter queue's URL in
 * `DEAD_LETTER_QUEUE_URL`.
 *
 * Options that contradict each other are refused at once; what exists is looked at when the app is complete, at synth time.
 *
 * @throws {WiringError} when timeouts or batch settings contradict each other, or `environment` sets a variable of pawl's.
 *
 * @example
 * const claims = new ClaimsTable(this, 'Claims');
 * const giftCards = new Consumer(this, 'IssueGiftCard', {
 *   entry: 'lambda/issue-gift-card.ts',
 *   claimsTable: claims.table,
 *   operation: 'issue-gift-card',
 *   timeout: Duration.seconds(30),
 * });
 * giftCards.grantSendMessages(orderService);
 * giftCards.addAlarmAction(new SnsAction(onCall));
 *
 * // Around a queue, a function and an event source that exist:
 * new Consumer(this, 'SendEmail', { claimsTable: claims.table, queue: mails, function: sendMail });
 */
export class Consumer extends Construct {
  /** Where producers send. */
  readonly queue: IQueue;
  /** Where messages end that could not be handled. */
  readonly deadLetterQueue: IQueue;
  /** The function that runs the handler. */
  readonly function: IFunction;
  /** They have no actions yet: see `addAlarmAction`. */
  readonly alarms: ConsumerAlarms;
  readonly #props: ConsumerProps;

  constructor(scope: Construct, id: string, props: ConsumerProps) {
    super(scope, id);
    this.#props = props;
    const { path } = this.node;
    const existingTimeout = props.function && seenTimeout(props.function);
    const times = checkedTimes(Stack.of(this), path, props, existingTimeout);

    const queues =
      props.queue === undefined ? createQueues(this, props, times.visibilityTimeout) : existingQueues(path, props);
    this.queue = queues.queue;
    this.deadLetterQueue = queues.deadLetterQueue;

    const environment = {
      CLAIMS_TABLE: props.claimsTable.tableName,
      DEAD_LETTER_QUEUE_URL: this.deadLetterQueue.queueUrl,
    };
    this.function = props.function ?? createFunction(this, props, { timeout: times.timeout, environment });
    if (props.function !== undefined) this.#addToEnvironment(props.function, environment);
    // Without a role there is nobody to grant to; that is refused when the app is complete.
    if (props.externalPermissions !== true && this.function.role !== undefined) this.#grant();
    this.#connect();

    this.alarms = createAlarms(this, {
      maxReceiveCount: this.#maxReceiveCount(),
      maxMessageAge: props.maxMessageAge ?? this.#ageThatRetriesExplain(times.visibilityTimeout),
      takenOverThreshold: props.takenOverThreshold ?? 10,
      onClaims: props.operation !== undefined,
    });

    const made = { queue: this.queue, deadLetterQueue: this.deadLetterQueue, function: this.function };
    this.node.addValidation({ validate: () => seenProblems(made, props) });
    Aspects.of(this).add({ visit: (node) => node === this && this.#warnOfFilters() });
  }

  /** Permits `grantee` to send messages to the queue, and to use its customer-managed key when it has one. */
  grantSendMessages(grantee: IGrantable): Grant {
    return this.queue.grantSendMessages(grantee);
  }

  /** Lets every alarm of the consumer call these, for instance an `SnsAction`. */
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

  /** How long the oldest message has been waiting to be done with: the first number to grow when a consumer falls behind. */
  metricApproximateAgeOfOldestMessage(props?: MetricOptions): Metric {
    return this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1), ...props });
  }

  /**
   * How often something happened to the claims of the consumer: a sum, from what its handler writes with `metricEvents()`.
   *
   * @throws Error when the consumer was made without its `operation`
   */
  metricClaims(metricName: ClaimMetric, props?: MetricOptions): Metric {
    const { operation, metricsNamespace = 'pawl' } = this.#props;
    if (operation === undefined) {
      throw new Error(
        `${this.node.path} has no metrics on claims, because its operation is not known. Give it operation.`,
      );
    }
    return claimMetric(metricName, { operation, namespace: metricsNamespace }, props);
  }

  #addToEnvironment(existing: IFunction, environment: Readonly<Record<string, string>>): void {
    const target = functionBehind(existing);
    if (!(target instanceof LambdaFunction)) return;
    const stack = Stack.of(target);
    const present = seenEnvironment(target) ?? {};
    for (const [name, value] of Object.entries(environment)) {
      if (name in present && JSON.stringify(present[name]) !== JSON.stringify(stack.resolve(value))) {
        refuse(this.node.path, [
          `The environment of ${target.node.path} sets ${name} to something else than the construct would. ` +
            'Take it out, or rename it.',
        ]);
      }
      target.addEnvironment(name, value);
    }
  }

  #grant(): void {
    grantClaims(this.#props.claimsTable, this.function);
    // For permanent failures, which go straight there instead of using up their receives first.
    this.deadLetterQueue.grant(this.function, 'sqs:SendMessage');
    this.deadLetterQueue.encryptionMasterKey?.grant(this.function, 'kms:Decrypt', 'kms:GenerateDataKey');
    this.queue.grantConsumeMessages(this.function);
  }

  #connect(): void {
    const props = this.#props;
    if (!(props.createEventSource ?? seenEventSources(this.function, this.queue).length === 0)) {
      const misplaced = misplacedEventSourceOptions(props);
      if (misplaced.length > 0) refuse(this.node.path, misplaced);
      return;
    }
    // Not `SqsEventSource`, which grants as well, and throws for a function that was imported without its role.
    this.function.addEventSourceMapping(`SqsEventSource:${Names.nodeUniqueId(this.queue.node)}`, {
      eventSourceArn: this.queue.queueArn,
      batchSize: props.batchSize ?? DEFAULTS.batchSize,
      // Without it Lambda ignores which messages failed and deletes them with the rest: they would be lost.
      reportBatchItemFailures: true,
      ...(props.maxBatchingWindow === undefined ? {} : { maxBatchingWindow: props.maxBatchingWindow }),
      ...(props.maxConcurrency === undefined ? {} : { maxConcurrency: props.maxConcurrency }),
    });
  }

  #maxReceiveCount(): number | undefined {
    const { maxReceiveCount } = seenQueue(this.queue);
    return typeof maxReceiveCount === 'number' ? maxReceiveCount : undefined;
  }

  #ageThatRetriesExplain(visibilityTimeout: Duration): Duration {
    const seen = seenQueue(this.queue);
    const oneTry = Math.max(seen.visibilityTimeoutSeconds ?? visibilityTimeout.toSeconds(), LONGEST_BACKOFF_SECONDS);
    const retries = (this.#maxReceiveCount() ?? DEFAULTS.maxReceiveCount) * oneTry;
    const half = (seen.retentionSeconds ?? DEFAULTS.retentionPeriod.toSeconds()) / 2;
    return Duration.seconds(Math.min(retries, Math.floor(half)));
  }

  #warnOfFilters(): void {
    for (const source of seenEventSources(this.function, this.queue).filter(hasFilters)) {
      Annotations.of(this).addWarningV2(
        'pawl:eventFilters',
        `The event source ${source.node.path} has filters, and Lambda deletes the messages that they do not match: these take ` +
          'no effect, and leave no trace. Take the filters away and let the handler acknowledge what it has no use for, or make sure ' +
          'that nothing but noise can fail to match.',
      );
    }
  }
}
