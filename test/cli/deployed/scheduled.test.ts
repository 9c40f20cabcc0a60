import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { beforeAll, expect, test } from 'vitest';
import { ClaimsTable, OpenClaimsSweep, StatementCheck } from '../../../lib/cdk/index.ts';
import { readDeployed } from '../../../lib/cli/deployed/read.ts';
import { checkScheduled } from '../../../lib/pawl/deployment/doctor/check-scheduled.ts';
import type { schedules } from '../../../lib/pawl/deployment/rules/schedules.ts';
import { entryFile, lockFile } from '../../cdk/support.ts';
import { arn, type DescribedAccount, describedTable, useDescribedAccounts } from '../../support/described-account.ts';

/* What the constructs synthesize is deployed into an account that is described, and then changed by hand. */

const nameOfEntry = ['sweep', 'charges'] as const;

type Properties = Readonly<Record<string, string | undefined>> & {
  readonly Environment?: { readonly Variables: object };
};

/** A sweep, and a function that compares two operations, as CloudFormation would make them. */
function deployed(): DescribedAccount {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
  const stack = new Stack(app, 'Shop', { env: { region: 'eu-west-1', account: '123456789012' } });
  const { table: claimsTable } = new ClaimsTable(stack, 'Claims');
  new OpenClaimsSweep(stack, 'Sweep', { entry: entryFile, depsLockFilePath: lockFile, claimsTable });
  const charges = new LambdaFunction(stack, 'Charges', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = () => {}'),
  });
  new StatementCheck(stack, 'Charged', { claimsTable, function: charges, operation: 'charge' });
  const maxSilence = Duration.hours(49);
  new StatementCheck(stack, 'Refunded', { claimsTable, function: charges, operation: 'refund', maxSilence });

  const template = Template.fromStack(stack);
  const all = (type: string) => Object.entries(template.findResources(type)) as [string, { Properties: Properties }][];
  const made = all('AWS::Lambda::Function');
  const nameOf = (id: string) => String(nameOfEntry[id.startsWith('Sweep') ? 0 : 1]);
  const refers = (value: unknown): string => nameOf(JSON.stringify(value).match(/(Sweep|Charges)\w+/)?.[0] ?? '');
  return {
    stacks: { Shop: made.map(([id]) => ['AWS::Lambda::Function', nameOf(id)] as const) },
    functions: Object.fromEntries(
      made.map(
        ([
          id,
          {
            Properties: { Environment },
          },
        ]) => {
          const name = nameOf(id);
          const Role = 'arn:aws:iam::123456789012:role/worker';
          const FunctionArn = arn('lambda', `function:${name}`);
          return [
            name,
            {
              FunctionName: name,
              FunctionArn,
              Role,
              Environment: { Variables: { ...Environment?.Variables, CLAIMS_TABLE: 'claims' } },
            },
          ];
        },
      ),
    ),
    rules: Object.fromEntries(
      all('AWS::Events::Rule').map(([id, { Properties }]) => {
        const { ScheduleExpression = '', State = '', Targets } = Properties;
        return [id, { target: arn('lambda', `function:${refers(Targets)}`), ScheduleExpression, State }];
      }),
    ),
    alarms: all('AWS::CloudWatch::Alarm').map(([AlarmName, { Properties }]) =>
      JSON.parse(JSON.stringify({ ...Properties, AlarmName }), (_, value) =>
        typeof value === 'object' && value !== null && 'Ref' in value ? refers(value) : value,
      ),
    ),
    notRegistered: 0,
    mappings: [],
    queues: {},
    table: describedTable,
    decisionOn: () => 'allowed',
  };
}

const describeAccount = useDescribedAccounts();
let sound: DescribedAccount;

beforeAll(() => {
  sound = deployed();
});

/** What doctor says of the stack, beside what is well. */
async function examine(change: Partial<DescribedAccount> = {}): Promise<readonly string[]> {
  await describeAccount({ ...sound, ...change });
  const { scheduled } = await readDeployed('Shop', { config: { region: 'eu-west-1' } });
  return scheduled
    .flatMap((facts) => checkScheduled(facts))
    .filter(({ level }) => level !== 'ok')
    .map(({ level, rule, about, text }) => `${level} ${rule ?? about}: ${text}`);
}

const rulesOf = (change: (rule: object, name: string) => object | undefined) =>
  Object.fromEntries(
    Object.entries(sound.rules ?? {}).flatMap(([name, rule]) => {
      const changed = change(rule, name);
      return changed === undefined ? [] : [[name, { ...rule, ...changed }]];
    }),
  );
const ofSweep = (change: object | undefined) => ({
  rules: rulesOf((_, name) => (name.startsWith('Sweep') ? change : {})),
});
const alarmsBut = (part: string) => ({
  alarms: (sound.alarms as readonly object[]).filter((alarm) => !JSON.stringify(alarm).includes(part)),
});

test('finds nothing wrong with what the constructs have deployed, and says what it saw', async () => {
  expect(await examine()).toEqual([]);
  const { consumers, scheduled, skipped } = await readDeployed('Shop', { config: { region: 'eu-west-1' } });
  expect([consumers, skipped]).toEqual([[], []]);
  const seen = scheduled.map((facts) => checkScheduled(facts).map(({ about, text }) => `${about}: ${text}`));
  expect(seen.flat()).toEqual(
    expect.arrayContaining([
      'schedule: rate(5 minutes): the sweep of open claims',
      'silence: an alarm goes off after 1 hour',
      "schedule: rate(1 day), rate(1 day): the comparison of 'charge' with statements",
      'silence: an alarm goes off after 49 hours',
      'operations: no claim of an unknown operation',
      'permissions: 5 of 5 that it needs, as IAM simulates them',
      'permissions: 5 of 5 that it needs, as IAM simulates them',
    ]),
  );
});

interface Case {
  readonly says: RegExp;
  readonly broken: () => Partial<DescribedAccount>;
  readonly narrow: () => Partial<DescribedAccount>;
}

const cases: Readonly<Record<keyof typeof schedules, Case>> = {
  schedule: {
    says: /^problem schedule: No schedule starts the sweep of open claims: .* Deploy the stack again/,
    broken: () => ofSweep(undefined),
    narrow: () => ofSweep({}),
  },
  scheduleSeldom: {
    says: /^warning scheduleSeldom: rate\(61 minutes\) leaves up to 2 hours between two runs of the sweep/,
    broken: () => ofSweep({ ScheduleExpression: 'rate(61 minutes)' }),
    narrow: () => ofSweep({ ScheduleExpression: 'rate(60 minutes)' }),
  },
  silence: {
    says: /^warning silence: No alarm goes off if the sweep of open claims does not run for 1 hour:/,
    broken: () => alarmsBut('"Invocations"'),
    narrow: () => alarmsBut('"SweepParked"'),
  },
  sweepOperations: {
    says: /^warning sweepOperations: Within a day, a run of the sweep left 3 claims in doubt/,
    broken: () => ({ notRegistered: 3 }),
    narrow: () => ({ notRegistered: undefined }),
  },
};

test.each(Object.entries(cases))(
  '%s: what breaks it is found, and what only just does not is sound',
  async (_, one) => {
    expect(await examine(one.broken())).toEqual([expect.stringMatching(one.says)]);
    expect(await examine(one.narrow())).toEqual([]);
  },
);

test('a rule that waits for events is no schedule', async () => {
  const found = await examine(ofSweep({ ScheduleExpression: undefined }));
  expect(found).toEqual([expect.stringMatching(/^problem schedule: No schedule starts the sweep/)]);
});

test('a schedule that was disabled by hand is found, and one of two is enough', async () => {
  const sweep = await examine(ofSweep({ State: 'DISABLED' }));
  expect(sweep).toEqual([expect.stringMatching(/^warning disabled: The schedule of the sweep of open claims, Sweep/)]);
  const oneOfTwo = rulesOf((_, name) => (name.startsWith('Charged') ? { State: 'DISABLED' } : {}));
  expect(await examine({ rules: oneOfTwo })).toEqual([]);
});

test('each operation that is compared needs an alarm of its own', async () => {
  const found = await examine({
    alarms: (sound.alarms as readonly object[]).filter(
      (alarm) => !/"LessThan.*"refund"|"refund".*LessThan/.test(JSON.stringify(alarm)),
    ),
  });
  expect(found).toEqual([expect.stringMatching(/^warning silence: No alarm goes off if the comparison of 'refund'/)]);
});

test('an alarm that takes a gap in its data for health does not watch for silence', async () => {
  const alarms = (sound.alarms as readonly object[]).map((alarm) => ({ ...alarm, TreatMissingData: 'notBreaching' }));
  expect(await examine({ alarms })).toEqual([expect.stringMatching(/^warning silence: .* the sweep of open claims/)]);
});

test('an alarm that goes off when the function runs often does not watch for silence', async () => {
  const alarms = (sound.alarms as readonly object[]).map((alarm) => ({
    ...alarm,
    ComparisonOperator: 'GreaterThanThreshold',
  }));
  expect(await examine({ alarms })).toContainEqual(
    expect.stringMatching(/^warning silence: .* the sweep of open claims/),
  );
});

test('what may not be read is unknown, with the permission that it takes', async () => {
  const found = await examine({ rules: 'denied', alarms: 'denied', notRegistered: 'denied' });
  expect(new Set(found.map((text) => text.replace(/of open claims|'.*' with statements/, '')))).toEqual(
    new Set([
      expect.stringMatching(/^unknown schedule: .* the sweep .*events:ListRuleNamesByTarget and events:DescribeRule/),
      expect.stringMatching(/^unknown schedule: .* the comparison/),
      expect.stringMatching(/^unknown silence: .*cloudwatch:DescribeAlarms/),
      expect.stringMatching(/^unknown operations: .*cloudwatch:GetMetricStatistics/),
    ]),
  );
});

test('a permission that the role lost is found', async () => {
  const found = await examine({ decisionOn: (action) => (action === 'dynamodb:Query' ? 'implicitDeny' : 'allowed') });
  expect(new Set(found)).toEqual(
    new Set([
      expect.stringMatching(/^problem permissions: The function may not dynamodb:Query on the index of open claims/),
    ]),
  );
});

test('a mark that this version does not understand is unknown, and the rest of the stack is read', async () => {
  const functions = Object.fromEntries(
    Object.entries(sound.functions).map(([name, one]) => [
      name,
      name === 'sweep'
        ? {
            ...(one as object),
            Environment: { Variables: { CLAIMS_TABLE: 'claims', PAWL_SCHEDULED: '[{"kind":"later"}]' } },
          }
        : one,
    ]),
  );
  expect(await examine({ functions })).toEqual([expect.stringMatching(/^unknown schedule: .* does not understand/)]);
});
