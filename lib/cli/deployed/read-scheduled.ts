import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { DescribeRuleResponse, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import {
  metricNamespace,
  openClaims,
  type ScheduledFacts,
  type ScheduledTask,
  type ScheduleRule,
  type TableFacts,
  taskActions,
  tasksIn,
} from 'pawl/deployment';
import type { Account } from './account.ts';
import { orUndefined } from './or-undefined.ts';
import { type Need, readPermissions } from './read-permissions.ts';
import { tableNamed } from './read-table.ts';

/** A function that a construct has marked as one that a schedule starts. */
export interface Scheduled {
  readonly configuration: FunctionConfiguration;
  /** The value of the variable with which it is marked. */
  readonly mark: string;
  readonly tableName: string;
}

const daySeconds = 86_400;

/** Reads what starts the function, what watches it, and what its runs have said. */
export async function readScheduled(
  account: Account,
  { configuration, mark, tableName }: Scheduled,
): Promise<ScheduledFacts> {
  const { events, cloudWatch, alarms } = await account.schedules();
  const { FunctionName: functionName = '', FunctionArn = '', Role } = configuration;
  const tasks = tasksIn(mark);
  const table = await tableNamed(account, tableName);
  return {
    functionName,
    tasks,
    rules: await rulesOf(events, FunctionArn),
    alarms,
    leftNotRegistered: await mostNotRegistered(cloudWatch, functionName),
    table,
    permissions: await readPermissions(account.iam, Role, needsOf(tasks ?? [], table)),
  };
}

/** The rules of the default bus that start the function. One of an event pattern is no schedule. */
async function rulesOf(events: EventBridgeClient, functionArn: string): Promise<readonly ScheduleRule[] | undefined> {
  const rules = await orUndefined(() => rulesCalling(events, functionArn));
  return rules?.flatMap(({ Name: name = '', ScheduleExpression: expression, State }) =>
    expression === undefined ? [] : [{ name, expression, enabled: State !== 'DISABLED' }],
  );
}

/** The rules of the default bus that call the function. */
export async function rulesCalling(
  events: EventBridgeClient,
  TargetArn: string,
): Promise<readonly DescribeRuleResponse[]> {
  const { DescribeRuleCommand, ListRuleNamesByTargetCommand } = await import('@aws-sdk/client-eventbridge');
  const rules: DescribeRuleResponse[] = [];
  let next: { readonly NextToken?: string } = {};
  do {
    const { RuleNames = [], NextToken } = await events.send(new ListRuleNamesByTargetCommand({ TargetArn, ...next }));
    for (const Name of RuleNames) rules.push({ ...(await events.send(new DescribeRuleCommand({ Name }))), Name });
    next = NextToken === undefined ? {} : { NextToken };
  } while (next.NextToken !== undefined);
  return rules;
}

/** The most claims of unknown operations that one run of the last day has left. */
async function mostNotRegistered(
  cloudWatch: CloudWatchClient,
  functionName: string,
): Promise<ScheduledFacts['leftNotRegistered']> {
  const { GetMetricStatisticsCommand } = await import('@aws-sdk/client-cloudwatch');
  const now = Date.now();
  const question = {
    Namespace: metricNamespace,
    MetricName: 'SweepNotRegistered',
    Dimensions: [{ Name: 'function', Value: functionName }],
    StartTime: new Date(now - daySeconds * 1000),
    EndTime: new Date(now),
    Period: daySeconds,
    Statistics: ['Maximum' as const],
  };
  const read = await orUndefined(() => cloudWatch.send(new GetMetricStatisticsCommand(question)));
  if (read === undefined) return undefined;
  const most = (read.Datapoints ?? []).map(({ Maximum = 0 }) => Maximum);
  return most.length === 0 ? 'no metrics' : Math.max(...most);
}

function needsOf(tasks: readonly ScheduledTask[], table: TableFacts | undefined): readonly Need[] {
  const index = table === undefined ? undefined : `${table.arn}/index/${openClaims.name}`;
  const actions = taskActions(tasks);
  return [
    { actions: actions.table, arn: table?.arn, on: 'the claims table', policy: [] },
    { actions: actions.index, arn: index, on: 'the index of open claims', policy: [] },
  ].filter((need) => need.actions.length > 0);
}
