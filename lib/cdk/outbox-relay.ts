import { Duration, Stack } from 'aws-cdk-lib';
import { type Alarm, type IAlarmAction, MathExpression, Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { type IEventBus, type IRule, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, type IFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { metricNamespace, type NamesOf, outboxRelayActions, outboxTableDefinition, WiringError } from 'pawl/deployment';
import { acrossRuns, actOn, alarmAt, silentAlarm } from './alarms.ts';
import { grantOn } from './claims-grants.ts';
import { environmentProblems, refuseIfAny } from './consumer-checks.ts';
import { createFunction } from './consumer-function.ts';
import { type ConsumerFunctionProps, functionPropNames } from './function-props.ts';
import { expectProps } from './known-props.ts';
import { expectKinds } from './prop-kinds.ts';

/** Where the messages of an outbox go. */
export type OutboxDestination = IQueue | ITopic | IEventBus;

/**
 * The options of an {@link OutboxRelay}.
 *
 * @example
 * import { Duration } from 'aws-cdk-lib';
 * import { Queue } from 'aws-cdk-lib/aws-sqs';
 *
 * const outbox = new OutboxTable(stack, 'Outbox');
 * const props: OutboxRelayProps = {
 *   entry: 'lambda/relay.ts',
 *   outboxTable: outbox.table,
 *   destinations: [new Queue(stack, 'Receipts')],
 *   maxWait: Duration.minutes(30),
 * };
 */
export interface OutboxRelayProps extends Omit<ConsumerFunctionProps, 'entry' | 'timeout'> {
  /** The path of the file whose `handler` is `outboxRelay(…)` of `pawl/outbox`. It is bundled with esbuild at synth time. */
  readonly entry: string;

  /** The table of the outbox, usually `outbox.table` of an `OutboxTable`. It has a stream. */
  readonly outboxTable: ITable;

  /** The queues, topics and event buses that messages go to. The relay may send to these, and to nothing else. */
  readonly destinations: readonly OutboxDestination[];

  /**
   * How often the sweep runs, which finds what workers and stream have missed: a rate or a cron expression.
   *
   * @default Schedule.rate(Duration.minutes(5))
   */
  readonly schedule?: Schedule;

  /**
   * The longest that one invocation may take.
   *
   * @default Duration.minutes(1)
   */
  readonly timeout?: Duration;

  /**
   * How long Lambda gathers records of the stream before it calls the relay: whole seconds. Meanwhile most messages are sent by their workers, and the relay
   * finds them gone. With 0, a message whose worker is still at it is more often sent twice.
   *
   * @default Duration.seconds(1)
   */
  readonly maxBatchingWindow?: Duration;

  /**
   * How long a message may lie in the outbox before the alarm goes off.
   *
   * @default Duration.minutes(15)
   */
  readonly maxWait?: Duration;

  /**
   * How long no sweep may begin before the alarm goes off: a whole number of hours.
   *
   * @default Duration.hours(1), or Duration.hours(25) with a `schedule` of your own
   */
  readonly maxSilence?: Duration;
}

const known = {
  ...functionPropNames,
  outboxTable: true,
  destinations: true,
  schedule: true,
  maxBatchingWindow: true,
  maxWait: true,
  maxSilence: true,
} as const satisfies NamesOf<OutboxRelayProps>;

/** The alarms of an {@link OutboxRelay}. */
export interface OutboxRelayAlarms {
  /** A message lies in the outbox for too long. */
  readonly oldest: Alarm;
  /** A destination refuses a message for good: an operator has to decide. */
  readonly parked: Alarm;
  /** A run has failed. */
  readonly failed: Alarm;
  /** No sweep has begun for too long, whatever the stream brings. */
  readonly silent: Alarm;
}

/** The metrics that a sweep of the relay makes. */
export type RelayMetric = 'OutboxOldestSeconds' | 'OutboxParked' | 'OutboxSwept' | 'OutboxLeft';

/**
 * The function that sends what the workers of an outbox have left: for the stream of its table, and on a schedule. See `outboxRelay` of `pawl/outbox`. The
 * relay of a `postgresOutbox` has no stream, and is a function of your own on a schedule.
 *
 * It finds the name of the table in `OUTBOX_TABLE`. Its role may read, remove and park messages, and send to `destinations`; it can make no message.
 *
 * @throws {WiringError} when an option is unknown or of another kind, or `environment` sets `OUTBOX_TABLE` or holds a secret
 * @example
 * import { Queue } from 'aws-cdk-lib/aws-sqs';
 *
 * const outbox = new OutboxTable(stack, 'Outbox');
 * const relay = new OutboxRelay(stack, 'Relay', {
 *   entry: 'lambda/relay.ts',
 *   outboxTable: outbox.table,
 *   destinations: [new Queue(stack, 'Receipts')],
 * });
 * outbox.grantOutbox(existingFunction);
 * relay.grantSend(existingFunction);
 */
export class OutboxRelay extends Construct {
  /** The function that sends. */
  readonly function: IFunction;
  /** What starts its sweeps. */
  readonly rule: IRule;
  /** They have no actions yet: see `addAlarmAction`. */
  readonly alarms: OutboxRelayAlarms;
  readonly #destinations: readonly OutboxDestination[];

  constructor(scope: Construct, id: string, props: OutboxRelayProps) {
    super(scope, id);
    expectProps(this, props, { door: 'OutboxRelay', known, docs: 'docs/guides/outbox.md' });
    expectKinds(this, props, ['outboxTable']);
    const { outboxTable, destinations, environment = {}, timeout = Duration.minutes(1) } = props;
    refuseIfAny(this.node.path, environmentProblems(Stack.of(this), environment, ['OUTBOX_TABLE']));
    const problems = destinationProblems(destinations);
    if (problems.length > 0) throw new WiringError(this.node.path, problems);
    this.#destinations = destinations;
    const made = createFunction(
      this,
      { ...props, environment: { ...environment, OUTBOX_TABLE: outboxTable.tableName } },
      timeout,
    );
    grantOn(outboxTable, made, [{ actions: outboxRelayActions }]);
    outboxTable.grantStreamRead(made);
    this.grantSend(made);
    this.function = made;
    const { newMessages } = outboxTableDefinition;
    new EventSourceMapping(this, 'Stream', {
      target: made,
      eventSourceArn: outboxTable.tableStreamArn as string,
      // What lies in the stream since before the relay was deployed.
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      maxBatchingWindow: props.maxBatchingWindow ?? Duration.seconds(1),
      reportBatchItemFailures: true,
      // It fails only where the function cannot run at all. The records are in the table, and the sweep finds them.
      retryAttempts: 2,
      filters: [{ pattern: JSON.stringify(newMessages) }],
    });
    const { schedule = Schedule.rate(Duration.minutes(5)) } = props;
    this.rule = new Rule(this, 'Schedule', {
      description: `${Stack.of(this).stackName}: sends what lies in the outbox.`,
      schedule,
      targets: [new LambdaFunction(made, { retryAttempts: 0 })],
    });
    // The next run comes by itself: a second try of this one would only run beside it.
    made.configureAsyncInvoke({ retryAttempts: 0 });
    const maxSilence = props.maxSilence ?? Duration.hours(props.schedule === undefined ? 1 : 25);
    this.alarms = this.#createAlarms(props.maxWait ?? Duration.minutes(15), maxSilence, schedule);
  }

  /** Permits `grantee` to send to the destinations, as a worker does that sends at once. */
  grantSend(grantee: IGrantable): void {
    for (const one of this.#destinations) {
      if ('queueArn' in one) one.grantSendMessages(grantee);
      else if ('topicArn' in one) one.grantPublish(grantee);
      else one.grantPutEventsTo(grantee);
    }
  }

  /** Adds these actions to every alarm of the relay, for instance an `SnsAction`. */
  addAlarmAction(...actions: readonly IAlarmAction[]): void {
    actOn(Object.values(this.alarms), actions);
  }

  /** What came of the sweeps. The handler makes these metrics, unless it has an `onReport` of its own. */
  metricRelay(metricName: RelayMetric, props?: MetricOptions): Metric {
    const statistic = metricName === 'OutboxSwept' ? 'Sum' : 'Maximum';
    const dimensionsMap = { function: this.function.functionName };
    return new Metric({ namespace: metricNamespace, metricName, dimensionsMap, statistic, ...props });
  }

  #createAlarms(maxWait: Duration, maxSilence: Duration, schedule: Schedule): OutboxRelayAlarms {
    const { path } = this.node;
    const { looks, ...period } = acrossRuns(schedule, maxSilence);
    const hourly = { period: Duration.hours(1), statistic: 'Sum' };
    // The stream starts the function for each message. So its runs alone would say that all is well while its rule is disabled, and no sweep makes a metric.
    const sweeps = new MathExpression({
      expression: 'MIN([FILL(started, 0), FILL(runs, 0)])',
      usingMetrics: {
        started: new Metric({
          ...{ namespace: 'AWS/Events', metricName: 'Invocations', dimensionsMap: { RuleName: this.rule.ruleName } },
          ...hourly,
        }),
        runs: this.function.metricInvocations(hourly),
      },
      label: 'Sweeps that have begun',
      period: hourly.period,
    });
    return {
      oldest: alarmAt(this, 'OldestAlarm', this.metricRelay('OutboxOldestSeconds', period), {
        threshold: maxWait.toSeconds(),
        ...looks,
        description:
          `${path}: a message has been in the outbox for more than ${maxWait.toHumanString()}. It is not lost. What to do: read the lines ` +
          'message-not-sent in the logs of the function. The destination is throttled or does not exist, the role may not send to it, or an earlier ' +
          'message of the group is parked: the command pawl outbox lists what waits.',
      }),
      parked: alarmAt(this, 'ParkedAlarm', this.metricRelay('OutboxParked', period), {
        threshold: 1,
        ...looks,
        description:
          `${path}: a destination refuses a message for good. It waits, and so does its message group behind it; no other message does. What to do: find ` +
          'it with the command pawl outbox --parked, correct the destination, and then run pawl outbox retry, or pawl outbox discard.',
      }),
      failed: alarmAt(this, 'FailedAlarm', this.function.metricErrors({ period: Duration.minutes(5) }), {
        threshold: 1,
        description:
          `${path}: a run of the relay failed. No message is lost. What to do: read the logs of the function. The table cannot be read (a permission, ` +
          'throttling), or the function does not start; until then, only what workers send at once leaves the outbox.',
      }),
      silent: silentAlarm(
        this,
        sweeps,
        maxSilence,
        `${path}: no sweep of the relay has begun for ${maxSilence.toHumanString()}. What worker and stream have missed stays in the outbox. What to do: ` +
          'look whether its rule is enabled and calls the function. Its other alarms say nothing while no sweep runs.',
      ),
    };
  }
}

function destinationProblems(destinations: unknown): readonly string[] {
  const expected = 'expected a list of queues, topics and event buses: new Queue(…), Topic.fromTopicArn(…)';
  if (!Array.isArray(destinations)) return [`destinations: ${expected}; got ${String(destinations)}.`];
  const isKnown = (one: unknown) =>
    typeof one === 'object' && one !== null && ['queueArn', 'topicArn', 'eventBusArn'].some((name) => name in one);
  if (destinations.length > 0 && destinations.every(isKnown)) return [];
  return [`destinations: ${expected}; got ${destinations.length === 0 ? 'an empty list' : 'another value in it'}.`];
}
