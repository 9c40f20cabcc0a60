import { expect, test } from 'vitest';
import { readDeployed } from '../../../lib/cli/deployed/read.ts';
import { checkConsumer } from '../../../lib/pawl/deployment/doctor/checks.ts';
import { arn, type DescribedAccount, describedTable, useDescribedAccounts } from '../../support/described-account.ts';

const attributes = (more: Readonly<Record<string, string>> = {}) => ({
  VisibilityTimeout: '180',
  MessageRetentionPeriod: '345600',
  ...more,
});
const redrive = (name: string) => JSON.stringify({ deadLetterTargetArn: arn('sqs', name), maxReceiveCount: '5' });

const aFunction = (name: string, variables: Readonly<Record<string, string>> = {}) => ({
  FunctionName: name,
  FunctionArn: arn('lambda', `function:${name}`),
  Role: 'arn:aws:iam::123456789012:role/worker',
  Runtime: 'nodejs24.x',
  Timeout: 30,
  Environment: {
    Variables: {
      CLAIMS_TABLE: 'claims',
      DEAD_LETTER_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/mails-dead',
      ...variables,
    },
  },
});
const mapping = (name: string, queue: string, more: object = {}) => ({
  UUID: `${name} ${queue}`,
  FunctionArn: arn('lambda', `function:${name}`),
  EventSourceArn: arn('sqs', queue),
  FunctionResponseTypes: ['ReportBatchItemFailures'],
  State: 'Enabled',
  ...more,
});

const sound: DescribedAccount = {
  stacks: {
    Shop: [
      ['AWS::SQS::Queue', 'mails'],
      ['AWS::CloudFormation::Stack', 'Shop-Mails-1'],
    ],
    'Shop-Mails-1': [['AWS::CloudFormation::Stack', 'Shop-Mails-Workers-1']],
    'Shop-Mails-Workers-1': [['AWS::Lambda::Function', 'send-mail']],
  },
  functions: { 'send-mail': aFunction('send-mail') },
  mappings: [mapping('send-mail', 'mails')],
  queues: {
    mails: attributes({ RedrivePolicy: redrive('mails-dead') }),
    letters: attributes({ RedrivePolicy: redrive('letters-dead') }),
    'mails-dead': attributes({ MessageRetentionPeriod: '1209600' }),
    'letters-dead': attributes({ MessageRetentionPeriod: '1209600' }),
  },
  table: describedTable,
  decisionOn: () => 'allowed',
};

const describeAccount = useDescribedAccounts();

/** What doctor says of the stack, for each of its consumers, beside what is well. */
async function examine(change: Partial<DescribedAccount> = {}, name = 'Shop') {
  await describeAccount({ ...sound, ...change });
  const { consumers, skipped } = await readDeployed(name, { config: { region: 'eu-west-1' } });
  const found = consumers.map((facts) =>
    checkConsumer(facts, { claimRetentionSeconds: 30 * 86_400 })
      .filter(({ level }) => level !== 'ok')
      .map(({ level, text }) => `${level}: ${text}`),
  );
  return { functions: consumers.map(({ functionName }) => functionName), found, skipped };
}

test('asks whether a consumer may start the workflow that its variable names, and no more: it may be an express one', async () => {
  const WORKFLOW_ARN = arn('states', 'stateMachine:settle');
  const functions = { 'send-mail': aFunction('send-mail', { WORKFLOW_ARN }) };
  const without = (missing: string) => ({
    functions,
    decisionOn: (action: string) => (action === missing ? 'implicitDeny' : 'allowed'),
  });
  expect((await examine(without('states:StartExecution'))).found).toEqual([
    [expect.stringMatching(/^problem: .*states:StartExecution/)],
  ]);
  expect((await examine(without('states:DescribeExecution'))).found).toEqual([[]]);
  const named = { 'send-mail': aFunction('send-mail', { WORKFLOW_ARN: 'settle' }) };
  expect((await examine({ functions: named })).found).toEqual([[]]);
});

test('looks into the stacks that are nested in the stack, at any depth', async () => {
  expect(await examine()).toEqual({ functions: ['send-mail'], found: [[]], skipped: [] });
});

test('finds what is wrong in a nested stack', async () => {
  const mappings = [mapping('send-mail', 'mails', { FunctionResponseTypes: [] })];
  const { found } = await examine({ mappings });
  expect(found).toEqual([[expect.stringMatching(/^problem: The event source does not take partial responses/)]]);
});

test('finds another function that the queue feeds, whatever stack it is in, unless its event source is disabled', async () => {
  const both = (more: object) => ({ mappings: [mapping('send-mail', 'mails'), mapping('old', 'mails', more)] });
  const { found } = await examine(both({}));
  expect(found).toEqual([[expect.stringMatching(/^problem: The queue feeds .*:function:old as well/)]]);
  expect((await examine(both({ State: 'Disabled' }))).found).toEqual([[]]);
});

test('a function whose own event source is disabled takes no message from the one that has taken over, nor of its concurrency', async () => {
  const out = { State: 'Disabled', ScalingConfig: { MaximumConcurrency: 10 } };
  const takenOver = { mappings: [mapping('send-mail', 'mails', out), mapping('new', 'mails')] };
  expect((await examine(takenOver)).found).toEqual([[expect.stringMatching(/^warning: The event source is disabled/)]]);
  const polling = { ScalingConfig: { MaximumConcurrency: 10 } };
  const mappings = [mapping('send-mail', 'mails', polling), mapping('send-mail', 'letters', out)];
  const { found } = await examine({ mappings, reservedConcurrency: { 'send-mail': 10 } });
  expect(found.flat().filter((text) => text.includes('reservedConcurrentExecutions'))).toEqual([]);
});

test('reads the pollers that are provisioned: ten batches at once for each', async () => {
  const mappings = [mapping('send-mail', 'mails', { ProvisionedPollerConfig: { MaximumPollers: 3 } })];
  const { found } = await examine({ mappings, reservedConcurrency: { 'send-mail': 29 } });
  expect(found).toEqual([[expect.stringMatching(/^problem: reservedConcurrentExecutions is 29, .* up to 30 batches/)]]);
  expect((await examine({ mappings, reservedConcurrency: { 'send-mail': 30 } })).found).toEqual([[]]);
});

test('reads that a function runs on Managed Instances, where its claims outlive its timeout', async () => {
  const CapacityProviderConfig = {
    LambdaManagedInstancesCapacityProviderConfig: { CapacityProviderArn: arn('lambda', 'capacity-provider:shared') },
  };
  const functions = { 'send-mail': { ...aFunction('send-mail'), Timeout: 10, CapacityProviderConfig } };
  const mails = { ...sound.queues['mails'], VisibilityTimeout: '70' };
  const { found } = await examine({ functions, queues: { ...sound.queues, mails } });
  expect(found).toEqual([[expect.stringMatching(/^problem: visibilityTimeout is 70 s, .* Managed Instances/)]]);
});

test.each([
  [
    {},
    /^problem: The claims table claims is replicated to another region \(eu-central-1\): a condition sees its own region only/,
  ],
  [{ MultiRegionConsistency: 'STRONG' }, /with strong consistency, replicated to .*: such a table has no transactions/],
])('refuses the replicas of a table for what is true of their consistency: %j', async (consistency, says) => {
  const Replicas = [{ RegionName: 'eu-west-1' }, { RegionName: 'eu-central-1' }];
  const { found } = await examine({ table: { ...sound.table, Replicas, ...consistency } });
  expect(found).toEqual([[expect.stringMatching(says)]]);
});

test('reads the runtime and the reserved concurrency', async () => {
  const functions = { 'send-mail': { ...aFunction('send-mail'), Runtime: 'nodejs20.x' } };
  const { found } = await examine({ functions, reservedConcurrency: { 'send-mail': 0 } });
  expect(found).toEqual([
    [
      expect.stringMatching(/^problem: .* nodejs20\.x/),
      expect.stringMatching(/^problem: reservedConcurrentExecutions is 0/),
    ],
  ]);
});

test('a function on two queues has a dead-letter queue for each', async () => {
  const url = (name: string) => `https://sqs.eu-west-1.amazonaws.com/123456789012/${name}`;
  const pairs = `${arn('sqs', 'mails')}=${url('mails-dead')} ${arn('sqs', 'letters')}=${url('letters-dead')}`;
  const mappings = [mapping('send-mail', 'mails'), mapping('send-mail', 'letters')];
  const functions = { 'send-mail': aFunction('send-mail', { DEAD_LETTER_QUEUE_URL: pairs }) };
  expect((await examine({ mappings, functions })).found).toEqual([[], []]);
  const { found } = await examine({ mappings });
  expect(found).toEqual([
    [],
    [expect.stringMatching(/^problem: The redrive policy of the queue leads to .*letters-dead/)],
  ]);
});

test('a denial of the queue’s own policy counts, which IAM does not simulate for a role', async () => {
  const policy = (Condition?: object) =>
    JSON.stringify({ Statement: [{ Effect: 'Deny', Principal: '*', Action: 'sqs:*', Resource: '*', Condition }] });
  const denied = (text: string) => ({
    queues: { ...sound.queues, mails: { ...sound.queues['mails'], Policy: text } },
  });
  const { found } = await examine(denied(policy()));
  expect(found).toEqual([[expect.stringMatching(/^problem: .* the policy of the queue denies it/)]]);
  const tlsOnly = policy({ Bool: { 'aws:SecureTransport': 'false' } });
  expect((await examine(denied(tlsOnly))).found).toEqual([[]]);
});

test('reads whether the list of open claims works: the index is there, or DynamoDB is building or deleting it', async () => {
  const withIndex = (change: object) => ({
    table: { ...sound.table, GlobalSecondaryIndexes: [{ ...describedTable.GlobalSecondaryIndexes[0], ...change }] },
  });
  const expected = {
    CREATING: [expect.stringMatching(/^warning: DynamoDB is still building the index open of the claims table claims/)],
    DELETING: [expect.stringMatching(/^warning: The claims table claims has no index open/)],
    UPDATING: [],
  };
  for (const [IndexStatus, findings] of Object.entries(expected)) {
    expect((await examine(withIndex({ IndexStatus }))).found).toEqual([findings]);
  }
  const all = withIndex({ Projection: { ProjectionType: 'ALL' } });
  expect((await examine(all)).found).toEqual([[]]);
  const { found } = await examine({ table: { ...sound.table, GlobalSecondaryIndexes: undefined } });
  expect(found).toEqual([[expect.stringMatching(/^warning: The claims table claims has no index open/)]]);
});
