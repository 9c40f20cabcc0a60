import { expect, test } from 'vitest';
import { grantClaims, grantLocks } from '../../lib/cdk/index.ts';
import { decideAccess } from '../../lib/pawl/deployment/policy.ts';
import { arn, type DescribedAccount, describedTable, useDescribedAccounts } from '../support/described-account.ts';
import { runPawlHere } from '../support/in-process.ts';
import { grantedBy } from '../support/judged.ts';

/* What a step of CI sees of `pawl doctor`: the exit code, and one JSON object. */

const dead = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders-dead-letters';

const orders = {
  FunctionName: 'orders',
  FunctionArn: arn('lambda', 'function:orders'),
  Role: 'arn:aws:iam::123456789012:role/orders-consumer',
  Runtime: 'nodejs24.x',
  Timeout: 30,
  Environment: { Variables: { CLAIMS_TABLE: 'claims', DEAD_LETTER_QUEUE_URL: dead } },
};

const mapping = {
  FunctionArn: arn('lambda', 'function:orders'),
  EventSourceArn: arn('sqs', 'orders'),
  ...{ UUID: '1', FunctionResponseTypes: ['ReportBatchItemFailures'], State: 'Enabled' },
};

/** A consumer of Terraform: its function has a name, and is in no stack. */
const account: DescribedAccount = {
  stacks: { orders: 'denied', Shop: [['AWS::Lambda::Function', 'orders']] },
  functions: {
    orders,
  },
  mappings: [mapping],
  queues: {
    orders: {
      VisibilityTimeout: '180',
      MessageRetentionPeriod: '345600',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn('sqs', 'orders-dead-letters'), maxReceiveCount: '5' }),
    },
    'orders-dead-letters': { VisibilityTimeout: '30', MessageRetentionPeriod: '1209600' },
  },
  table: describedTable,
  decisionOn: () => 'allowed',
};

const describeAccount = useDescribedAccounts();

async function run(change: Partial<DescribedAccount>, ...args: readonly string[]) {
  await describeAccount({ ...account, ...change });
  return runPawlHere('doctor', ...args, '--region', 'eu-west-1');
}

test('0: everything was looked at, and there is no problem', async () => {
  const { code, out, error } = await run({}, 'Shop', '--json');
  expect([code, error]).toEqual([0, '']);
  expect(JSON.parse(out)).toMatchObject({
    name: 'Shop',
    exitCode: 0,
    problems: 0,
    warnings: 0,
    unknown: 0,
    examined: [{ functionName: 'orders', queueName: 'orders' }],
    skipped: [],
  });
});

test('0: a function is checked by its name, also if the caller may not see stacks', async () => {
  const { code, out } = await run({}, 'orders');
  expect(code).toBe(0);
  expect(out).toContain('0 problems, 0 warnings.');
});

test('1: a problem, with the name of its rule in the JSON', async () => {
  const queues = { ...account.queues, orders: { ...account.queues['orders'], VisibilityTimeout: '179' } };
  const { code, out } = await run({ queues }, 'Shop', '--json');
  expect(code).toBe(1);
  const { exitCode, problems, examined } = JSON.parse(out);
  expect([exitCode, problems]).toEqual([1, 1]);
  expect(examined[0].findings).toContainEqual(
    expect.objectContaining({ level: 'problem', rule: 'visibility', about: 'wiring' }),
  );
});

test('2: nothing is wrong with what was looked at, and something could not be looked at', async () => {
  const { code, out } = await run({ functions: { orders: { ...orders, Role: undefined } } }, 'Shop', '--json');
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({ exitCode: 2, problems: 0, unknown: 1 });
});

test('2: there is nothing of that name, and the JSON says so', async () => {
  const { code, out, error } = await run({}, 'mails', '--json');
  expect(code).toBe(2);
  expect(error).toMatch(/neither a stack nor a function called mails.*cloudformation:ListStackResources/);
  const [json] = out.split('\n').map((line) => line && JSON.parse(line));
  expect(json).toEqual({
    kind: 'error',
    exitCode: 2,
    error: expect.stringMatching(/neither a stack nor a function called mails/),
  });
});

test('2: a nested stack that cannot be read is not left out in silence', async () => {
  const nested = [['AWS::CloudFormation::Stack', 'orders']] as const;
  const { code, error } = await run({ stacks: { ...account.stacks, Shop: nested } }, 'Shop');
  expect(code).toBe(2);
  expect(error).toContain('nested in Shop');
});

test('a role that is limited to some operations is checked for those that are named', async () => {
  const rights = grantedBy((table, role) => {
    grantClaims(table, role, { operations: ['send-email'] });
    grantLocks(table, role, { operations: ['send-email'] });
  });
  const decisionOn = (action: string, leadingKeys?: readonly string[]) => {
    if (!action.startsWith('dynamodb:')) return 'allowed';
    const policies = { ofRole: rights, ofResource: [], boundary: undefined, roleArn: undefined };
    return decideAccess(policies, action, 'claims', leadingKeys) === 'allowed' ? 'allowed' : 'limited';
  };
  const RedrivePolicy = JSON.stringify({
    deadLetterTargetArn: arn('sqs', 'orders-dead-letters'),
    maxReceiveCount: '50',
  });
  const queues = { ...account.queues, orders: { ...account.queues['orders'], RedrivePolicy } };
  const unnamed = await run({ decisionOn, queues }, 'orders', '--locks');
  expect(unnamed).toMatchObject({ code: 1, out: expect.stringMatching(/except under a condition.*--operation/s) });
  const named = await run({ decisionOn, queues }, 'orders', '--locks', '--operation', 'send-email');
  expect(named).toMatchObject({ code: 0, out: expect.stringContaining('as IAM simulates them') });
  const other = await run(
    { decisionOn, queues },
    'orders',
    '--operation',
    'send-email',
    '--operation',
    'issue-gift-card',
  );
  expect(other.code).toBe(1);
  expect(other.out.replaceAll(/\s+/g, ' ')).toContain("claims table, for claims of 'issue-gift-card'. Grant it.");
  expect(other.out).not.toContain("for claims of 'send-email'");
});

test('operations are those of one function: a stack with several is refused', async () => {
  const functions = {
    ...account.functions,
    bills: { ...orders, FunctionName: 'bills', FunctionArn: arn('lambda', 'function:bills') },
  };
  const stacks = { Shop: ['orders', 'bills'].map((name) => ['AWS::Lambda::Function', name] as const) };
  const mappings = ['orders', 'bills'].map((name) => ({ ...mapping, FunctionArn: arn('lambda', `function:${name}`) }));
  const ended = run({ functions, stacks, mappings }, 'Shop', '--operation', 'send-email');
  await expect(ended).resolves.toMatchObject({
    code: 2,
    error: expect.stringContaining('Give the name of the function'),
  });
});
