import { Duration } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type ClaimMetric, ClaimsDashboard, ClaimsTable } from '../../lib/cdk/index.ts';
import type { ClaimEvent } from '../../lib/pawl/engine/events.ts';
import { metricEvents } from '../../lib/pawl/observe/index.ts';
import { addConsumer, consumerTemplate, emptyStack, type Overrides } from './support.ts';

const operation = { operation: 'send-email' };

/** Every alarm of the template, by the name of its metric. */
function alarmsIn(template: Template): Map<string, Record<string, unknown>> {
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map((one) => one['Properties']);
  return new Map(alarms.map((alarm) => [alarm.MetricName, alarm]));
}

const alarmOf = (metric: string, overrides: Overrides) => alarmsIn(consumerTemplate(overrides)).get(metric);

describe('the alarms of a consumer', () => {
  const alarms = alarmsIn(consumerTemplate(operation));

  test.each([
    ['Parked', 1, 300],
    ['StaleClaim', 1, 300],
    ['CompletionLost', 1, 300],
    ['TakenOver', 10, 900],
  ])('%s goes off at %d within %d seconds, for its own operation', (metric, Threshold, Period) => {
    expect(alarms.get(metric)).toMatchObject({
      Namespace: 'pawl',
      Dimensions: [{ Name: 'operation', Value: 'send-email' }],
      Statistic: 'Sum',
      Period,
      Threshold,
      EvaluationPeriods: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
  });

  test('each says where it is, what it means and what to do, in what CloudWatch has room for', () => {
    expect([...alarms.keys()].sort()).toEqual([
      'ApproximateAgeOfOldestMessage',
      'ApproximateNumberOfMessagesVisible',
      'CompletionLost',
      'OldestWaitingSeconds',
      'Parked',
      'ReadThrottleEvents',
      'StaleClaim',
      'TakenOver',
      'WriteThrottleEvents',
    ]);
    for (const { AlarmDescription: description } of alarms.values()) {
      expect(description).toMatch(/^Shop\/(Work|Claims): .+ What to do: .+\.$/);
      expect(String(description).length).toBeLessThanOrEqual(1024);
    }
  });

  test('without its operation there are none on claims, and asking for their metrics says why', () => {
    const stack = emptyStack();
    const consumer = addConsumer(stack);
    expect([...alarmsIn(Template.fromStack(stack)).keys()]).toHaveLength(4);
    expect(() => consumer.metricClaims('Parked')).toThrow('Shop/Work has no metrics on claims');
  });

  test('metricsNamespace and takenOverThreshold reach them', () => {
    const options = { ...operation, metricsNamespace: 'shop', takenOverThreshold: 2 };
    expect(alarmOf('TakenOver', options)).toMatchObject({ Namespace: 'shop', Threshold: 2 });
    expect(alarmOf('TakenOver', options)?.['AlarmDescription']).toContain(': 2 or more claims were taken over');
  });

  test('addAlarmAction reaches every one of them', () => {
    const stack = emptyStack();
    const onCall = 'arn:aws:sns:eu-west-1:123456789012:on-call';
    addConsumer(stack, operation).addAlarmAction({ bind: () => ({ alarmActionArn: onCall }) });
    const acting = { AlarmActions: [onCall], Namespace: Match.not('AWS/DynamoDB') };
    Template.fromStack(stack).resourcePropertiesCountIs('AWS::CloudWatch::Alarm', acting, 7);
  });
});

describe('the alarm on the age of the oldest message', () => {
  const age = (overrides: Overrides = {}) => alarmOf('ApproximateAgeOfOldestMessage', overrides)?.['Threshold'];

  test('goes off when retries no longer explain it: 5 times 15 minutes, or the visibility timeout if that is longer', () => {
    expect(age()).toBe(5 * 900);
    expect(age({ visibilityTimeout: Duration.minutes(20) })).toBe(5 * 1200);
    expect(age({ maxReceiveCount: 8 })).toBe(8 * 900);
  });

  test('never later than at half the retention', () => {
    expect(age({ retentionPeriod: Duration.hours(2) })).toBe(3600);
  });

  test('has to be so for 5 minutes, and maxMessageAge sets it', () => {
    expect(age({ maxMessageAge: Duration.minutes(10) })).toBe(600);
    expect(alarmOf('ApproximateAgeOfOldestMessage', {})).toMatchObject({ Period: 60, EvaluationPeriods: 5 });
  });
});

describe('the metrics on claims', () => {
  type Pascal<Text extends string> = Text extends `${infer Head}-${infer Tail}`
    ? `${Capitalize<Head>}${Pascal<Tail>}`
    : Capitalize<Text>;

  test('have the names that metricEvents gives to the events, each of them and no other, and are looked for where it puts them', () => {
    expectTypeOf<Exclude<ClaimMetric, 'OldestWaitingSeconds'>>().toEqualTypeOf<Pascal<ClaimEvent['type']>>();
    const lines: string[] = [];
    const about = { operation: 'send-email', id: 'send-email#1', at: 1_800_000_000_000 };
    metricEvents({ write: (line) => lines.push(line) })({
      ...about,
      type: 'stale-claim',
      attempts: 1,
      fence: 1,
      status: 'in-flight',
    });
    const { _aws, ...values } = JSON.parse(lines[0] ?? '');
    const [{ Namespace, Dimensions, Metrics }] = _aws.CloudWatchMetrics;
    const alarm = alarmOf(Metrics[0].Name, operation);
    expect(alarm).toMatchObject({
      Namespace,
      Dimensions: [{ Name: Dimensions[0][0], Value: values[Dimensions[0][0]] }],
    });
  });
});

describe('the dashboard', () => {
  function bodyOf(overrides: Overrides): string {
    const stack = emptyStack();
    const claimsTable = new ClaimsTable(stack, 'Table');
    const consumer = addConsumer(stack, { claimsTable: claimsTable.table, ...overrides });
    new ClaimsDashboard(stack, 'Dashboard', { claimsTable, consumers: [consumer] });
    const [dashboard] = Object.values(Template.fromStack(stack).findResources('AWS::CloudWatch::Dashboard'));
    return JSON.stringify(dashboard);
  }

  test('shows every alarm, the queues, the function, what became of the claims, and the table', () => {
    const body = bodyOf(operation);
    for (const alarm of ['DeadLetter', 'OldestMessage', 'Parked', 'StaleClaim', 'TakenOver', 'CompletionLost']) {
      expect(body).toMatch(new RegExp(`Work${alarm}Alarm[0-9A-F]+`));
    }
    for (const alarm of ['WriteThrottle', 'ReadThrottle']) expect(body).toMatch(new RegExp(`Table${alarm}Alarm`));
    for (const text of [
      'Completed',
      'Replayed',
      'KeyReused',
      'dead letters',
      'Invocations',
      'ConditionalCheckFailed',
    ]) {
      expect(body).toContain(text);
    }
  });

  test('leaves out the claims of a consumer whose operation is not known', () => {
    expect(bodyOf({})).not.toContain('Replayed');
  });

  test('shows three hours, under a name that CloudFormation makes', () => {
    expect(bodyOf({})).toContain('-PT3H');
    expect(bodyOf({})).not.toContain('DashboardName');
  });
});
