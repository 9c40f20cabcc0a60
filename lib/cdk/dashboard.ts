import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  Row,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { type NamesOf, WiringError } from 'pawl/deployment';
import type { ClaimsTable } from './claims-table.ts';
import type { Consumer } from './consumer.ts';
import { expectProps } from './known-props.ts';
import type { ClaimMetric } from './metrics.ts';

/**
 * The options of a {@link ClaimsDashboard}.
 *
 * @example
 * import { Duration } from 'aws-cdk-lib';
 *
 * const props: ClaimsDashboardProps = {
 *   claimsTable: claims,
 *   consumers: [sendEmail],
 *   dashboardName: 'claims',
 *   defaultInterval: Duration.days(1),
 * };
 */
export interface ClaimsDashboardProps {
  /** The table that the consumers claim in. */
  readonly claimsTable: ClaimsTable;

  /** The consumers, in the order in which they are shown. */
  readonly consumers: readonly Consumer[];

  /**
   * The name of the dashboard.
   *
   * @default - one that CloudFormation makes
   */
  readonly dashboardName?: string;

  /**
   * How much time it shows when it is opened.
   *
   * @default Duration.hours(3)
   */
  readonly defaultInterval?: Duration;
}

const known = {
  claimsTable: true,
  consumers: true,
  dashboardName: true,
  defaultInterval: true,
} as const satisfies NamesOf<ClaimsDashboardProps>;

/** What became of the claims on an ordinary day, and what is out of the ordinary. */
const ordinary: readonly ClaimMetric[] = ['Completed', 'Replayed', 'Deferred', 'Released', 'Rejected'];
const unusual: readonly ClaimMetric[] = ['TakenOver', 'Parked', 'StaleClaim', 'CompletionLost', 'KeyReused'];

const grid = 24;
const height = 6;

/**
 * A dashboard of claims: all alarms on top, then a row for each consumer (its queues, what became of its claims, its
 * function), and the table's throttling and refusals.
 *
 * @example
 * new ClaimsDashboard(stack, 'Dashboard', { claimsTable: claims, consumers: [sendEmail] });
 */
export class ClaimsDashboard extends Construct {
  /** The dashboard itself, for widgets of your own. */
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: ClaimsDashboardProps) {
    super(scope, id);
    expectProps(this, props, { door: 'ClaimsDashboard', known, docs: 'docs/guides/operate.md' });
    const { claimsTable, consumers, dashboardName } = props;
    const isTable = typeof claimsTable === 'object' && 'alarms' in claimsTable;
    const areConsumers =
      Array.isArray(consumers) && consumers.every((one) => typeof one === 'object' && 'alarms' in one);
    const problems = [
      ...(isTable ? [] : ['claimsTable: expected a ClaimsTable itself, and not its property table.']),
      ...(areConsumers ? [] : ['consumers: expected a list of Consumer: [sendEmail, issueGiftCard].']),
    ];
    if (problems.length > 0) throw new WiringError(this.node.path, problems);
    const alarms = [claimsTable, ...consumers].flatMap((construct) => Object.values(construct.alarms));
    this.dashboard = new Dashboard(this, 'Dashboard', {
      ...(dashboardName === undefined ? {} : { dashboardName }),
      defaultInterval: props.defaultInterval ?? Duration.hours(3),
      widgets: [
        [
          new AlarmStatusWidget({
            title: 'Alarms',
            alarms: alarms.filter((alarm) => alarm !== undefined),
            width: grid,
            height: 3,
          }),
        ],
        ...consumers.flatMap((consumer) => [
          [new TextWidget({ markdown: `## ${consumer.node.path}`, width: grid, height: 1 })],
          [new Row(...rowOf(consumer))],
        ]),
        [new TextWidget({ markdown: `## ${claimsTable.node.path}`, width: grid, height: 1 })],
        [
          graph('Throttled', grid / 2, [
            claimsTable.metricWriteThrottleEvents(),
            claimsTable.metricReadThrottleEvents(),
          ]),
          graph('Refused: duplicates and races', grid / 2, [claimsTable.metricConditionalCheckFailedRequests()]),
        ],
      ],
    });
  }
}

function rowOf(consumer: Consumer): IWidget[] {
  const claims = (names: readonly ClaimMetric[]) => names.map((name) => consumer.metricClaims(name));
  const { queue } = consumer;
  const graphs: [string, IMetric[], IMetric[]?][] = [
    [
      'Messages, and the age of the oldest',
      [
        queue.metricApproximateNumberOfMessagesVisible({ label: 'waiting' }),
        queue.metricApproximateNumberOfMessagesNotVisible({ label: 'in flight' }),
        consumer.metricDeadLetters({ label: 'dead letters' }),
      ],
      [consumer.metricApproximateAgeOfOldestMessage({ label: 'oldest' })],
    ],
    [
      'Function',
      [consumer.function.metricInvocations(), consumer.function.metricErrors(), consumer.function.metricThrottles()],
      [consumer.function.metricDuration({ statistic: 'p99', label: 'duration, p99' })],
    ],
    ...(consumer.alarms.parked === undefined
      ? []
      : ([
          ['Claims', claims(ordinary)],
          ['Claims: look into these', claims(unusual)],
        ] satisfies [string, IMetric[]][])),
  ];
  return graphs.map(([title, left, right]) => graph(title, grid / graphs.length, left, right));
}

function graph(title: string, width: number, left: IMetric[], right: IMetric[] = []): GraphWidget {
  return new GraphWidget({ title, width, height: height, left, right, leftYAxis: { min: 0 }, rightYAxis: { min: 0 } });
}
