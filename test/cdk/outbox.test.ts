import { Duration } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { EventBus, type IEventBus, Schedule } from 'aws-cdk-lib/aws-events';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { OutboxRelay, type OutboxRelayProps, OutboxTable } from '../../lib/cdk/index.ts';
import { outboxActions, outboxRelayActions } from '../../lib/pawl/deployment/needs.ts';
import { outboxTableDefinition } from '../../lib/pawl/deployment/table-definition.ts';
import { metricLine, noReport } from '../../lib/pawl/outbox/sweep-report.ts';
import { passes } from '../../lib/rehearsal/engine/filters.ts';
import { addExisting, emptyStack, entryFile, lockFile, permissions } from './support.ts';

function synthesize(props: Partial<OutboxRelayProps> = {}): Template {
  const stack = emptyStack();
  const { table } = new OutboxTable(stack, 'Outbox');
  const destinations = [
    new Queue(stack, 'Receipts'),
    new Topic(stack, 'Orders'),
    new EventBus(stack, 'Bus') as IEventBus,
  ];
  new OutboxRelay(stack, 'Relay', {
    entry: entryFile,
    depsLockFilePath: lockFile,
    outboxTable: table,
    destinations,
    ...props,
  });
  return Template.fromStack(stack);
}

describe('the table of an outbox', () => {
  test('has a stream of keys, TTL for its counters, and is kept', () => {
    const stack = emptyStack();
    new OutboxTable(stack, 'Outbox');
    Template.fromStack(stack).hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: {
        KeySchema: [
          { AttributeName: 'id', KeyType: 'HASH' },
          { AttributeName: 'n', KeyType: 'RANGE' },
        ],
        StreamSpecification: { StreamViewType: 'KEYS_ONLY' },
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    });
  });

  test('permits a worker to commit and to remove, and nothing that lists', () => {
    const stack = emptyStack();
    const { function: worker } = addExisting(stack);
    new OutboxTable(stack, 'Outbox').grantOutbox(worker);
    const ofTable = permissions(Template.fromStack(stack)).filter(({ actions }) =>
      actions.some((one) => one.startsWith('dynamodb:')),
    );
    expect(ofTable.map(({ actions }) => actions)).toEqual([[...outboxActions]]);
    expect(outboxActions).not.toContain('dynamodb:Scan');
  });
});

describe('a relay', () => {
  const template = synthesize();

  test('reads the stream from its beginning, and runs every five minutes', () => {
    const [table] = Object.keys(template.findResources('AWS::DynamoDB::Table'));
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [table, 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
      MaximumBatchingWindowInSeconds: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      FilterCriteria: { Filters: [{ Pattern: JSON.stringify(outboxTableDefinition.newMessages) }] },
    });
    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(5 minutes)', State: 'ENABLED' });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ OUTBOX_TABLE: { Ref: table } }) },
    });
  });

  test('is called for new messages only', () => {
    const called = (eventName: string, n: string) =>
      passes([outboxTableDefinition.newMessages], { eventName, dynamodb: { Keys: { id: { S: 'a' }, n: { N: n } } } });
    expect([
      called('INSERT', '1'),
      called('INSERT', '10'),
      called('INSERT', '0'),
      called('REMOVE', '1'),
      called('MODIFY', '1'),
    ]).toEqual([true, true, false, false, false]);
  });

  test('may list, remove and park, send to its destinations, and make no message', () => {
    const all = permissions(template);
    const actions = all.flatMap((one) => one.actions);
    expect(all.map((one) => one.actions)).toContainEqual([...outboxRelayActions]);
    expect(actions).toEqual(
      expect.arrayContaining(['sqs:SendMessage', 'sns:Publish', 'events:PutEvents', 'dynamodb:GetRecords']),
    );
    expect(actions).not.toContain('dynamodb:PutItem');
  });

  test('goes off when a message waits too long, is parked, and when a run fails', () => {
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map((one) => one['Properties']);
    const of = (name: string) => alarms.find(({ MetricName }) => MetricName === name);
    expect(of('OutboxOldestSeconds')).toMatchObject({ Namespace: 'pawl', Threshold: 900, Statistic: 'Maximum' });
    expect(of('OutboxParked')).toMatchObject({ Namespace: 'pawl', Threshold: 1 });
    expect(of('Errors')).toMatchObject({ Threshold: 1 });
    for (const { AlarmDescription } of alarms) expect(AlarmDescription.length).toBeLessThanOrEqual(1024);
  });

  test('stays from one sweep to the next while a message waits: in between there is no data', () => {
    const looksIn = (of: Template) =>
      Object.values(of.findResources('AWS::CloudWatch::Alarm'))
        .map((one) => one['Properties'])
        .filter(({ MetricName }) => MetricName === 'OutboxOldestSeconds' || MetricName === 'OutboxParked')
        .map(({ Period, EvaluationPeriods, DatapointsToAlarm }) => [Period, EvaluationPeriods, DatapointsToAlarm]);
    const both = (looks: readonly number[]) => [looks, looks];
    expect(looksIn(template)).toEqual(both([300, 2, 1]));
    expect(looksIn(synthesize({ schedule: Schedule.rate(Duration.hours(1)) }))).toEqual(both([300, 13, 1]));
  });

  test('goes off if no sweep begins, though the stream starts the function: the other alarms would say nothing', () => {
    const silentIn = (of: Template) =>
      Object.values(of.findResources('AWS::CloudWatch::Alarm'))
        .map((one) => one['Properties'])
        .find(({ TreatMissingData }) => TreatMissingData === 'breaching');
    const [rule] = Object.keys(template.findResources('AWS::Events::Rule'));
    const silent = silentIn(template);
    expect(silent).toMatchObject({
      ...{ EvaluationPeriods: 1, Threshold: 1, ComparisonOperator: 'LessThanThreshold' },
      Metrics: expect.arrayContaining([
        expect.objectContaining({ Expression: 'MIN([FILL(started, 0), FILL(runs, 0)])' }),
        expect.objectContaining({
          Id: 'started',
          MetricStat: expect.objectContaining({
            Period: 3600,
            Metric: {
              Namespace: 'AWS/Events',
              MetricName: 'Invocations',
              Dimensions: [{ Name: 'RuleName', Value: { Ref: rule } }],
            },
          }),
        }),
      ]),
    });
    const daily = { schedule: Schedule.rate(Duration.days(1)) };
    expect(silentIn(synthesize(daily))).toMatchObject({ EvaluationPeriods: 25 });
    expect(silentIn(synthesize({ ...daily, maxSilence: Duration.hours(49) }))).toMatchObject({ EvaluationPeriods: 49 });
  });

  test('has its alarms on metrics that the handler makes', () => {
    const made = JSON.parse(metricLine({ ...noReport(), oldestMs: 90_400, parked: 1, alreadyParked: 2 }, 'relay-1', 5));
    expect(made).toMatchObject({ function: 'relay-1', OutboxOldestSeconds: 90, OutboxParked: 3 });
    const [{ Namespace, Dimensions, Metrics }] = made._aws.CloudWatchMetrics;
    expect({ Namespace, Dimensions }).toEqual({ Namespace: 'pawl', Dimensions: [['function']] });
    expect(Metrics.map(({ Name }: { Name: string }) => Name)).toEqual(
      expect.arrayContaining(['OutboxOldestSeconds', 'OutboxParked']),
    );
  });

  test('takes another schedule, another window and another wait', () => {
    const other = synthesize({
      schedule: Schedule.rate(Duration.minutes(1)),
      maxBatchingWindow: Duration.seconds(0),
      maxWait: Duration.minutes(2),
    });
    other.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(1 minute)' });
    other.hasResourceProperties('AWS::Lambda::EventSourceMapping', { MaximumBatchingWindowInSeconds: 0 });
    other.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'OutboxOldestSeconds', Threshold: 120 });
  });

  test.each([
    ['no destination', { destinations: [] }, 'destinations: expected a list of queues, topics and event buses'],
    ['what is no destination', { destinations: [7] }, 'another value in it'],
    ['a table of its own', { environment: { OUTBOX_TABLE: 'other' } }, 'OUTBOX_TABLE'],
    ['no table', { outboxTable: undefined }, 'outboxTable: expected a table with a stream'],
  ])('refuses %s', (_, props, said) => {
    expect(() => synthesize(props as unknown as Partial<OutboxRelayProps>)).toThrow(said);
  });
});
