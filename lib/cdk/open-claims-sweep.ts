import { Duration, Stack } from 'aws-cdk-lib';
import { type Alarm, type IAlarmAction, Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { type IRule, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction, Function as LambdaFunctionConstruct } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { metricNamespace, type NamesOf, scheduledVariable } from 'pawl/deployment';
import { acrossRuns, actOn, alarmAt, silentAlarm } from './alarms.ts';
import { grantOperate } from './claims-grants.ts';
import { environmentProblems, refuseIfAny } from './consumer-checks.ts';
import { createFunction } from './consumer-function.ts';
import { type ConsumerFunctionProps, functionPropNames } from './function-props.ts';
import { expectProps } from './known-props.ts';
import { expectKinds } from './prop-kinds.ts';
import { startBySchedule } from './scheduled.ts';

/**
 * The options of an {@link OpenClaimsSweep}.
 *
 * @example
 * import { Duration } from 'aws-cdk-lib';
 * import { Schedule } from 'aws-cdk-lib/aws-events';
 *
 * const props: OpenClaimsSweepProps = {
 *   entry: 'lambda/sweep.ts',
 *   claimsTable: claims.table,
 *   schedule: Schedule.rate(Duration.minutes(15)),
 *   maxDoubtAge: Duration.hours(4),
 * };
 */
export interface OpenClaimsSweepProps extends Omit<ConsumerFunctionProps, 'entry' | 'timeout'> {
  /** The path of the file whose `handler` is `sweepOpenClaims(…)` of `pawl/sweep`. It is bundled with esbuild at synth time. */
  readonly entry: string;

  /** The table of claims, usually `claimsTable.table` of a `ClaimsTable`. */
  readonly claimsTable: ITable;

  /**
   * How often the sweep runs: a rate or a cron expression.
   *
   * @default Schedule.rate(Duration.minutes(5))
   */
  readonly schedule?: Schedule;

  /**
   * The longest that a run may take. A run ends by itself before that, and the next one goes on. It must be longer than the `askTimeoutMs` of the
   * handler, and 2 seconds.
   *
   * @default Duration.minutes(1)
   */
  readonly timeout?: Duration;

  /**
   * How old a doubt may become before the alarm goes off. Parked claims do not count.
   *
   * @default Duration.hours(1)
   */
  readonly maxDoubtAge?: Duration;

  /**
   * How long ago the oldest open claim may have been first seen before the alarm goes off: parked claims count, which wait for an operator.
   *
   * @default Duration.days(1)
   */
  readonly maxOpenAge?: Duration;

  /**
   * How long a holder may have had the resources of a lock that is kept before an alarm goes off: its next attempt has not come. Pass `locks` to
   * `sweepOpenClaims`: without it, the sweep looks at no locks.
   *
   * @default there is no such alarm
   */
  readonly maxKeptLockAge?: Duration;

  /**
   * How long no run may begin before an alarm goes off: whole hours, at most 7 days. A rule that was disabled, or removed, is found by it.
   *
   * @default Duration.hours(1), or Duration.hours(25) with a `schedule` of your own
   */
  readonly maxSilence?: Duration;
}

const known = {
  ...functionPropNames,
  claimsTable: true,
  schedule: true,
  maxDoubtAge: true,
  maxOpenAge: true,
  maxKeptLockAge: true,
  maxSilence: true,
} as const satisfies NamesOf<OpenClaimsSweepProps>;

/** The alarms of an {@link OpenClaimsSweep}. */
export interface OpenClaimsSweepAlarms {
  /** A run has failed. */
  readonly failed: Alarm;
  /** Something is in doubt, and the sweep does not settle it. */
  readonly oldestInDoubt: Alarm;
  /** Something has been parked or in doubt for too long. */
  readonly oldestOpen: Alarm;
  /** A kept lock waits for its holder for too long. Only with `maxKeptLockAge`. */
  readonly oldestKeptLock?: Alarm;
  /** The sweep has parked a claim: an operator has to decide. */
  readonly parked: Alarm;
  /** No run has begun for too long. */
  readonly silent: Alarm;
}

/** The metrics that a run of the sweep makes. */
export type SweepMetric =
  | 'SweepOldestInDoubtSeconds'
  | 'SweepOldestOpenSeconds'
  | 'SweepOldestKeptLockSeconds'
  | 'SweepSettled'
  | 'SweepInconclusive'
  | 'SweepParked'
  | 'SweepFailed'
  | 'SweepNotRegistered';

/**
 * A function on a schedule that settles claims in doubt for which no message and no caller comes: see `sweepOpenClaims` of `pawl/sweep`.
 *
 * Its role may list, read and resolve the open claims of the table, as an operator may. Grant it what its `ask` needs. The function finds the name of
 * the table in `CLAIMS_TABLE`.
 *
 * @throws {WiringError} when an option is unknown, or `environment` sets `CLAIMS_TABLE` or holds a secret
 * @example
 * import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
 * import { Topic } from 'aws-cdk-lib/aws-sns';
 *
 * const sweep = new OpenClaimsSweep(stack, 'Sweep', { claimsTable: claims.table, entry: 'lambda/sweep.ts' });
 * sweep.addAlarmAction(new SnsAction(new Topic(stack, 'OnCall')));
 */
export class OpenClaimsSweep extends Construct {
  /** The function that runs the sweep. */
  readonly function: IFunction;
  /** What starts it. */
  readonly rule: IRule;
  /** They have no actions yet: see `addAlarmAction`. */
  readonly alarms: OpenClaimsSweepAlarms;

  constructor(scope: Construct, id: string, props: OpenClaimsSweepProps) {
    super(scope, id);
    expectProps(this, props, { door: 'OpenClaimsSweep', known, docs: 'docs/guides/sweep.md' });
    expectKinds(this, props, ['claimsTable']);
    const {
      claimsTable,
      environment = {},
      timeout = Duration.minutes(1),
      maxDoubtAge = Duration.hours(1),
      maxOpenAge = Duration.days(1),
      maxKeptLockAge,
      schedule = Schedule.rate(Duration.minutes(5)),
    } = props;
    refuseIfAny(this.node.path, environmentProblems(Stack.of(this), environment, ['CLAIMS_TABLE', scheduledVariable]));

    const made: LambdaFunctionConstruct = createFunction(
      this,
      { ...props, environment: { ...environment, CLAIMS_TABLE: claimsTable.tableName } },
      timeout,
    );
    grantOperate(claimsTable, made);
    this.function = made;
    this.rule = new Rule(this, 'Schedule', {
      description: `${Stack.of(this).stackName}: settles claims in doubt.`,
      schedule,
      targets: [new LambdaFunction(made, { retryAttempts: 0 })],
    });
    // The next run comes by itself: a second try of this one would only run beside it. EventBridge tries a call again that Lambda did not take, and
    // Lambda a run that failed.
    made.configureAsyncInvoke({ retryAttempts: 0 });
    const silence = props.maxSilence ?? Duration.hours(props.schedule === undefined ? 1 : 25);
    startBySchedule(this, made, { kind: 'sweep', maxSilenceHours: silence.toHours() });
    this.alarms = this.#createAlarms({ maxDoubtAge, maxOpenAge, maxKeptLockAge, maxSilence: silence, schedule });
  }

  /** Adds these actions to every alarm of the sweep, for instance an `SnsAction`. */
  addAlarmAction(...actions: readonly IAlarmAction[]): void {
    actOn(Object.values(this.alarms), actions);
  }

  /** What came of the runs. The handler makes these metrics, unless it has an `onReport` of its own. */
  metricSweep(metricName: SweepMetric, props?: MetricOptions): Metric {
    const statistic = metricName.endsWith('Seconds') ? 'Maximum' : 'Sum';
    const dimensionsMap = { function: this.function.functionName };
    return new Metric({ namespace: metricNamespace, metricName, dimensionsMap, statistic, ...props });
  }

  #createAlarms({
    maxDoubtAge,
    maxOpenAge,
    maxKeptLockAge,
    maxSilence,
    schedule,
  }: Readonly<Record<'maxDoubtAge' | 'maxOpenAge' | 'maxSilence', Duration>> & {
    readonly maxKeptLockAge: Duration | undefined;
    readonly schedule: Schedule;
  }): OpenClaimsSweepAlarms {
    const { path } = this.node;
    const fiveMinutes = { period: Duration.minutes(5) };
    const { looks, ...period } = acrossRuns(schedule, maxSilence);
    const runs = this.function.metricInvocations({ period: Duration.hours(1), statistic: 'Sum' });
    return {
      silent: silentAlarm(
        this,
        runs,
        maxSilence,
        `${path}: no run of the sweep has begun for ${maxSilence.toHours()} hours. Claims in doubt wait for a message, a caller or an operator; no effect is ` +
          'doubled. What to do: look whether its rule is enabled and calls the function. Its other alarms say nothing while it does not run.',
      ),
      failed: alarmAt(this, 'FailedAlarm', this.function.metricErrors(fiveMinutes), {
        threshold: 1,
        description:
          `${path}: a run of the sweep failed. What it had settled is settled; the next run looks at the rest. No effect is doubled. What to do: ` +
          'read the logs of the function. Where every run fails, the table cannot be read or written (a permission, throttling), or the function ' +
          'does not start; until then, claims in doubt wait for a message, a caller or an operator.',
      }),
      oldestInDoubt: alarmAt(this, 'OldestInDoubtAlarm', this.metricSweep('SweepOldestInDoubtSeconds', period), {
        threshold: maxDoubtAge.toSeconds(),
        ...looks,
        description:
          `${path}: a claim has been in doubt for more than ${maxDoubtAge.toHumanString()}: nothing says whether its effect happened. What to do: ` +
          'look at the line of the last run in the logs (pawl: swept). SweepInconclusive: the provider cannot say; such a claim is parked in the ' +
          'end. SweepNotRegistered: its operation is not among those of the sweep; register it, or resolve its claims with the command pawl resolve.',
      }),
      oldestOpen: alarmAt(this, 'OldestOpenAlarm', this.metricSweep('SweepOldestOpenSeconds', period), {
        threshold: maxOpenAge.toSeconds(),
        ...looks,
        description:
          `${path}: the oldest open claim, parked or in doubt, was first seen more than ${maxOpenAge.toHumanString()} ago, and nobody has settled it. Its effect ` +
          'has not been confirmed. What to do: list what is open with the command pawl claims, find out what has happened, and resolve it with the ' +
          'command pawl resolve. The alarm stays until the claim is settled.',
      }),
      ...(maxKeptLockAge && {
        oldestKeptLock: alarmAt(this, 'OldestKeptLockAlarm', this.metricSweep('SweepOldestKeptLockSeconds', period), {
          threshold: maxKeptLockAge.toSeconds(),
          ...looks,
          description:
            `${path}: the holder of a kept lock has had its resources for more than ${maxKeptLockAge.toHumanString()}, and its next attempt has not come. ` +
            'Other requests for these resources wait. What to do: list the locks with the command pawl locks, redrive the message of the holder, or ' +
            'release the lock with the command pawl unlock.',
        }),
      }),
      parked: alarmAt(this, 'ParkedAlarm', this.metricSweep('SweepParked', fiveMinutes), {
        threshold: 1,
        description:
          `${path}: the sweep has parked a claim: its provider could not say whether the effect happened, or cannot be asked. It does not run until an ` +
          'operator decides. The alarm ends by itself, the claim stays. What to do: find it with the command pawl claims --status parked, find out ' +
          'whether the effect happened, and resolve it with the command pawl resolve.',
      }),
    };
  }
}
