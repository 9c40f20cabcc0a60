import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  type IAlarmAction,
  MathExpression,
  type Metric,
  type MetricOptions,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFn } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { metricNamespace, type NamesOf } from 'pawl/deployment';
import { actOn, alarmAt, silentAlarm } from './alarms.ts';
import { grantStatements } from './claims-grants.ts';
import { refuseIfAny } from './consumer-checks.ts';
import { tellTable } from './environment.ts';
import { expectProps } from './known-props.ts';
import { claimMetric } from './metrics.ts';
import { expectKinds } from './prop-kinds.ts';
import { startBySchedule } from './scheduled.ts';

/**
 * The options of a {@link StatementCheck}.
 *
 * @example
 * import { Duration } from 'aws-cdk-lib';
 *
 * const props: StatementCheckProps = {
 *   claimsTable: claims.table,
 *   function: existingFunction,
 *   operation: 'charge-order',
 *   maxSilence: Duration.hours(49),
 * };
 */
export interface StatementCheckProps {
  /** The table of the claims, usually `claimsTable.table` of a `ClaimsTable`. */
  readonly claimsTable: ITable;

  /** The function that calls `reconcileStatements`, with `onEvent: allOf(logEvents, metricEvents())`. */
  readonly function: LambdaFn;

  /** The operation whose claims it compares. */
  readonly operation: string;

  /**
   * When the function runs.
   *
   * @default Schedule.rate(Duration.days(1))
   */
  readonly schedule?: Schedule;

  /**
   * How long no run may end before an alarm goes off: whole hours, at most 7 days.
   *
   * @default - Duration.hours(25)
   */
  readonly maxSilence?: Duration;

  /**
   * The namespace of `metricEvents`.
   *
   * @default 'pawl'
   */
  readonly metricNamespace?: string;
}

const known = {
  claimsTable: true,
  function: true,
  operation: true,
  schedule: true,
  maxSilence: true,
  metricNamespace: true,
} as const satisfies NamesOf<StatementCheckProps>;

/** The alarms of a {@link StatementCheck}. */
export interface StatementCheckAlarms {
  /** A run has ended with open findings. */
  readonly findings: Alarm;
  /** No run has ended for too long. */
  readonly silent: Alarm;
}

/**
 * Runs a function on a schedule that compares the provider's statement with the claims of an operation, permits it what that needs, and raises an alarm
 * where something does not agree.
 *
 * @throws {WiringError} when an option is unknown or has another kind, or the function has another table
 * @example
 * new StatementCheck(stack, 'Statements', {
 *   claimsTable: claims.table,
 *   function: existingFunction,
 *   operation: 'charge-order',
 * });
 */
export class StatementCheck extends Construct {
  /** They have no actions yet: see `addAlarmAction`. */
  readonly alarms: StatementCheckAlarms;
  /** The rule that starts the function. */
  readonly rule: Rule;
  readonly #of: { readonly operation: string; readonly namespace: string };

  constructor(scope: Construct, id: string, props: StatementCheckProps) {
    super(scope, id);
    expectProps(this, props, { door: 'StatementCheck', known, docs: 'docs/guides/statements.md' });
    expectKinds(this, props, ['claimsTable', 'function']);
    const { claimsTable, function: fn, operation, schedule = Schedule.rate(Duration.days(1)) } = props;
    this.#of = { operation, namespace: props.metricNamespace ?? metricNamespace };
    grantStatements(claimsTable, fn);
    refuseIfAny(this.node.path, tellTable(fn, claimsTable.tableName));
    this.rule = new Rule(this, 'Schedule', { schedule, targets: [new LambdaFunction(fn)] });
    const { maxSilence = Duration.hours(25) } = props;
    startBySchedule(this, fn, { kind: 'statements', ...this.#of, maxSilenceHours: maxSilence.toHours() });
    this.alarms = this.#createAlarms(maxSilence);
  }

  /** Adds these actions to every alarm, for instance an `SnsAction`. */
  addAlarmAction(...actions: readonly IAlarmAction[]): void {
    actOn(Object.values(this.alarms), actions);
  }

  /** Runs that have ended with open findings. */
  metricFindings(props?: MetricOptions): Metric {
    return claimMetric('StatementFindings', this.#of, props);
  }

  /** Runs that have ended with none. */
  metricClean(props?: MetricOptions): Metric {
    return claimMetric('StatementClean', this.#of, props);
  }

  #createAlarms(maxSilence: Duration): StatementCheckAlarms {
    const period = { period: Duration.hours(1) };
    const { path } = this.node;
    const runs = new MathExpression({
      expression: 'FILL(findings, 0) + FILL(clean, 0)',
      usingMetrics: { findings: this.metricFindings(period), clean: this.metricClean(period) },
      label: 'Runs that have ended',
      ...period,
    });
    return {
      silent: silentAlarm(
        this,
        runs,
        maxSilence,
        `${path}: no comparison with the provider's statement has ended for ${maxSilence.toHours()} hours. Effects without a record, and records ` +
          "without an effect, are not found. What to do: read the logs of the function. A run that was stopped goes on with the function's next call.",
      ),
      findings: alarmAt(this, 'FindingsAlarm', this.metricFindings(period), {
        threshold: 1,
        description:
          `${path}: the provider's statement and the claims do not agree. An effect may have no record, happened twice, have another amount, or ` +
          'not have happened. It does not mean that a message was lost. What to do: list the findings with pawl findings, look each up at the provider, ' +
          'refund or repeat what is wrong, and accept the finding with pawl findings accept.',
      }),
    };
  }
}
