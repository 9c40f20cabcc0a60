import { Duration, SecretValue } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { describe, expect, test } from 'vitest';
import { ClaimsTable, OpenClaimsSweep, type OpenClaimsSweepProps } from '../../lib/cdk/index.ts';
import { operateActions, operateIndexActions } from '../../lib/pawl/deployment/needs.ts';
import { metricLine, noReport } from '../../lib/pawl/sweep/report.ts';
import { emptyStack, entryFile, lockFile, permissions } from './support.ts';

function synthesize(props: Partial<OpenClaimsSweepProps> = {}): Template {
  const stack = emptyStack();
  const { table } = new ClaimsTable(stack, 'Claims');
  new OpenClaimsSweep(stack, 'Sweep', { entry: entryFile, depsLockFilePath: lockFile, claimsTable: table, ...props });
  return Template.fromStack(stack);
}

describe('a sweep of open claims', () => {
  const template = synthesize();

  test('runs every five minutes, once each time, and knows its table', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
      Targets: [Match.objectLike({ RetryPolicy: { MaximumRetryAttempts: 0 } })],
    });
    const [table] = Object.keys(template.findResources('AWS::DynamoDB::Table'));
    template.hasResourceProperties('AWS::Lambda::Function', {
      Timeout: 60,
      Environment: { Variables: Match.objectLike({ CLAIMS_TABLE: { Ref: table } }) },
    });
  });

  test('is not run again by Lambda after a failure: the next run comes by itself', () => {
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 });
  });

  test('may list, read and resolve open claims, and nothing that makes or deletes one', () => {
    const ofTable = permissions(template).filter(({ actions }) =>
      actions.some((action) => action.startsWith('dynamodb:')),
    );
    expect(ofTable.map(({ actions }) => actions).toSorted()).toEqual(
      [[...operateIndexActions], [...operateActions]].toSorted(),
    );
  });

  test('goes off when a run fails, when a doubt grows old, and when it parks a claim', () => {
    const [fn] = Object.keys(template.findResources('AWS::Lambda::Function'));
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map((one) => one['Properties']);
    const of = (name: string) => alarms.find(({ MetricName }) => MetricName === name);
    expect(of('Errors')).toMatchObject({ Threshold: 1 });
    const dimensions = [{ Name: 'function', Value: { Ref: fn } }];
    const age = { Namespace: 'pawl', Threshold: 3600, Statistic: 'Maximum', Dimensions: dimensions };
    expect(of('SweepOldestInDoubtSeconds')).toMatchObject(age);
    expect(of('SweepOldestOpenSeconds')).toMatchObject({ ...age, Threshold: 86_400 });
    expect(of('SweepParked')).toMatchObject({ Namespace: 'pawl', Threshold: 1, Dimensions: dimensions });
    // What CloudWatch has room for.
    for (const { AlarmDescription } of alarms) expect(AlarmDescription.length).toBeLessThanOrEqual(1024);
  });

  test('goes off if no run begins: because its rule was disabled, the other alarms would say nothing', () => {
    const silentIn = (of: Template) =>
      Object.values(of.findResources('AWS::CloudWatch::Alarm'))
        .map((one) => one['Properties'])
        .find(({ MetricName }) => MetricName === 'Invocations');
    const hourly = {
      Period: 3600,
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    };
    expect(silentIn(template)).toMatchObject({ ...hourly, EvaluationPeriods: 1 });
    const daily = { schedule: Schedule.rate(Duration.days(1)) };
    expect(silentIn(synthesize(daily))).toMatchObject({ EvaluationPeriods: 25 });
    expect(silentIn(synthesize({ ...daily, maxSilence: Duration.hours(49) }))).toMatchObject({ EvaluationPeriods: 49 });
  });

  test('has alarms that stay from one run to the next: in between there is no data, and the claim is open all the same', () => {
    const looksIn = (of: Template) =>
      Object.values(of.findResources('AWS::CloudWatch::Alarm'))
        .map((one) => one['Properties'])
        .filter(({ MetricName }) => /^SweepOldest/.test(MetricName))
        .map(({ Period, EvaluationPeriods, DatapointsToAlarm }) => [Period, EvaluationPeriods, DatapointsToAlarm]);
    const both = (looks: readonly number[]) => [looks, looks];
    expect(looksIn(template)).toEqual(both([300, 2, 1]));
    const every = (rate: Duration) => looksIn(synthesize({ schedule: Schedule.rate(rate) }));
    expect(every(Duration.hours(1))).toEqual(both([300, 13, 1]));
    expect(every(Duration.days(1))).toEqual(both([3600, 25, 1]));
    expect(every(Duration.days(14))).toEqual(both([3600, 168, 1]));
    // A schedule that cannot be read: as long as its author lets it be silent.
    const odd = synthesize({ schedule: Schedule.expression('cron(0 8 L * ? *)'), maxSilence: Duration.hours(4) });
    expect(looksIn(odd)).toEqual(both([300, 49, 1]));
  });

  test('has its alarms on metrics that the handler makes', () => {
    const made = JSON.parse(
      metricLine({ ...noReport(), oldestInDoubtMs: 90_400, oldestOpenMs: 120_000, parked: 2 }, 'sweep-1', 5),
    );
    expect(made).toMatchObject({
      function: 'sweep-1',
      SweepOldestInDoubtSeconds: 90,
      SweepOldestOpenSeconds: 120,
      SweepParked: 2,
    });
    const [{ Namespace, Dimensions, Metrics }] = made._aws.CloudWatchMetrics;
    expect({ Namespace, Dimensions }).toEqual({ Namespace: 'pawl', Dimensions: [['function']] });
    expect(Metrics).toContainEqual({ Name: 'SweepParked', Unit: 'Count' });
    expect(Metrics).toContainEqual({ Name: 'SweepOldestOpenSeconds', Unit: 'Seconds' });
  });
});

test('a sweep takes another schedule and another age', () => {
  const template = synthesize({
    schedule: Schedule.rate(Duration.hours(1)),
    maxDoubtAge: Duration.minutes(10),
    maxOpenAge: Duration.hours(4),
    maxKeptLockAge: Duration.minutes(30),
  });
  template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(1 hour)' });
  template.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'SweepOldestInDoubtSeconds', Threshold: 600 });
  template.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'SweepOldestOpenSeconds', Threshold: 14_400 });
  template.hasResourceProperties('AWS::CloudWatch::Alarm', {
    MetricName: 'SweepOldestKeptLockSeconds',
    Threshold: 1800,
  });
  const kept = Match.objectLike({ MetricName: 'SweepOldestKeptLockSeconds' });
  expect(synthesize().findResources('AWS::CloudWatch::Alarm', { Properties: kept })).toEqual({});
});

test('a sweep refuses a CLAIMS_TABLE of its own: it would settle the claims of another table', () => {
  expect(() => synthesize({ environment: { CLAIMS_TABLE: 'other' } })).toThrow('CLAIMS_TABLE');
});

test('a sweep refuses a mark of its own: doctor would look for another schedule than it has', () => {
  expect(() => synthesize({ environment: { PAWL_SCHEDULED: '[]' } })).toThrow('PAWL_SCHEDULED');
});

test('a sweep refuses a secret in its environment, as a consumer does', () => {
  const ask = SecretValue.secretsManager('provider-token').unsafeUnwrap();
  expect(() => synthesize({ environment: { PROVIDER_TOKEN: ask } })).toThrow(
    "environment.PROVIDER_TOKEN holds a secret's value",
  );
});
