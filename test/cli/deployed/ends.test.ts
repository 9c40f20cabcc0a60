import { Template } from 'aws-cdk-lib/assertions';
import { Alias, Version } from 'aws-cdk-lib/aws-lambda';
import { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, it, test, vi } from 'vitest';
import { ClaimsTable, ExecutionEnds, OpenClaimsSweep, type StartedWorkflow } from '../../../lib/cdk/index.ts';
import { readDeployed } from '../../../lib/cli/deployed/read.ts';
import { checkEnds } from '../../../lib/pawl/deployment/doctor/check-ends.ts';
import { type HandlerNeeds, storeActions, workflowActions } from '../../../lib/pawl/deployment/needs.ts';
import type { ends } from '../../../lib/pawl/deployment/rules/ends.ts';
import { emptyStack, entryFile, lockFile } from '../../cdk/support.ts';
import { arn, type DescribedAccount, describedTable, useDescribedAccounts } from '../../support/described-account.ts';
import { durable } from '../../support/durable-functions.ts';
import { runCommand } from '../../support/in-process.ts';
import { machines } from '../../support/step-functions.ts';

/** The pattern of the rule that the construct makes. */
function madePattern(workflow: 'machine' | 'function'): string {
  const stack = emptyStack('eu-west-1', '123456789012');
  const claimsTable = new ClaimsTable(stack, 'Claims').table;
  const made = { entry: entryFile, depsLockFilePath: lockFile, claimsTable };
  const sweep = new OpenClaimsSweep(stack, 'Sweep', made).function;
  const aliasVersion = Version.fromVersionArn(stack, 'Seven', `${durable.unqualified}:7`);
  const started: StartedWorkflow =
    workflow === 'machine'
      ? StateMachine.fromStateMachineArn(stack, 'Settle', machines.standard)
      : Alias.fromAliasAttributes(stack, 'Live', { aliasName: 'live', aliasVersion });
  new ExecutionEnds(stack, 'Ends', { ...made, workflow: started, sweep });
  const rules = Object.values(Template.fromStack(stack).findResources('AWS::Events::Rule'));
  return JSON.stringify(rules.map((one) => one['Properties'].EventPattern).find((pattern) => pattern !== undefined));
}

const target = arn('lambda', 'function:settled');
const ofMachine = { target, State: 'ENABLED', EventPattern: madePattern('machine') };
const ofFunction = { target, State: 'ENABLED', EventPattern: madePattern('function') };
const settled = (WORKFLOW_ARN: string) => ({
  FunctionName: 'settled',
  FunctionArn: target,
  Role: 'arn:aws:iam::123456789012:role/settled',
  Environment: { Variables: { CLAIMS_TABLE: 'claims', WORKFLOW_ARN } },
});

const sound: DescribedAccount = {
  stacks: { Shop: [['AWS::Lambda::Function', 'settled']] },
  functions: { settled: settled(machines.standard) },
  mappings: [],
  queues: {},
  table: describedTable,
  rules: { ends: ofMachine },
  decisionOn: () => 'allowed',
};

const describeAccount = useDescribedAccounts();

async function examine(change: Partial<DescribedAccount> = {}, needs: HandlerNeeds = {}) {
  await describeAccount({ ...sound, ...change });
  const { ends: found } = await readDeployed('Shop', { config: { region: 'eu-west-1' }, ...needs });
  return found.flatMap((facts) => checkEnds(facts));
}

const count = storeActions.length;
test.each([
  ['a state machine', {}, machines.standard, count + 2],
  [
    'a durable function',
    { functions: { settled: settled(durable.alias) }, rules: { ends: ofFunction } },
    durable.alias,
    count + 3,
  ],
])('finds nothing wrong with what the construct makes for %s', async (_, change, workflowArn, needed) => {
  expect(await examine(change)).toEqual([
    { level: 'ok', about: 'ends', text: `told of the ends of ${workflowArn}` },
    expect.objectContaining({ level: 'ok', text: `${needed} of ${needed} that it needs, as IAM simulates them` }),
  ]);
});

interface Case {
  readonly says: RegExp;
  readonly broken: readonly Partial<DescribedAccount>[];
  readonly narrow: Partial<DescribedAccount>;
}

const cases: Readonly<Record<keyof typeof ends, Case>> = {
  endsRule: {
    says: /No enabled rule of EventBridge tells settled the ends of arn:aws:states:/,
    broken: [
      { rules: {} },
      { rules: { ends: { ...ofMachine, State: 'DISABLED' } } },
      { rules: { ends: { ...ofMachine, target: `${target}-other` } } },
      { rules: { ends: ofFunction } },
      { rules: { ends: { ...ofMachine, EventPattern: ofMachine.EventPattern.replace('settle', 'other') } } },
      { rules: { ends: { target, State: 'ENABLED', ScheduleExpression: 'rate(5 minutes)' } } },
    ],
    narrow: { rules: { off: { ...ofMachine, State: 'DISABLED' }, all: { ...ofMachine, EventPattern: allOfStates() } } },
  },
};

function allOfStates(): string {
  return JSON.stringify({ source: ['aws.states'] });
}

describe.each(Object.entries(cases))('the rule %s', (rule, { says, broken, narrow }) => {
  it('is broken, and narrowly kept', async () => {
    for (const change of broken) {
      const found = (await examine(change)).filter(({ level }) => level !== 'ok');
      expect(found).toEqual([expect.objectContaining({ level: 'warning', rule, text: expect.stringMatching(says) })]);
    }
    expect((await examine(narrow)).filter(({ level }) => level !== 'ok')).toEqual([]);
  });
});

it.each(['states:StartExecution', 'states:DescribeExecution', 'dynamodb:PutItem'])('misses %s', async (missing) => {
  const found = await examine({ decisionOn: (action) => (action === missing ? 'implicitDeny' : 'allowed') });
  expect(found.filter(({ level }) => level !== 'ok')).toEqual([
    expect.objectContaining({ level: 'problem', text: expect.stringContaining(missing) }),
  ]);
});

it.each([
  ...workflowActions.durableFunction.start,
  ...workflowActions.durableFunction.list,
  ...workflowActions.durableFunction.look,
])('misses %s on a durable function', async (missing) => {
  const found = await examine({
    functions: { settled: settled(durable.alias) },
    rules: { ends: ofFunction },
    decisionOn: (action) => (action === missing ? 'implicitDeny' : 'allowed'),
  });
  expect(found.filter(({ level }) => level !== 'ok')).toEqual([
    expect.objectContaining({ level: 'problem', text: expect.stringContaining(missing) }),
  ]);
});

it('asks for what its store calls, and on the keys of its operation', async () => {
  const noStatements = (action: string) => (action.startsWith('dynamodb:PartiQL') ? 'implicitDeny' : 'allowed');
  const isWrong = ({ level }: { readonly level: string }) => level !== 'ok';
  expect((await examine({ decisionOn: noStatements })).filter(isWrong)).toHaveLength(1);
  expect((await examine({ decisionOn: noStatements }, { individualStore: true })).filter(isWrong)).toEqual([]);
  const limited = (action: string, keys?: readonly string[]) =>
    !action.startsWith('dynamodb:') || keys?.every((key) => key.startsWith('settle#')) === true
      ? 'allowed'
      : 'implicitDeny';
  expect((await examine({ decisionOn: limited }, { operations: ['settle'] })).filter(isWrong)).toEqual([]);
  expect((await examine({ decisionOn: limited }, { operations: ['other'] })).filter(isWrong)).toHaveLength(1);
});

it('says nothing of ends about a sweep that has the variable: it looks executions up, and is told of none', async () => {
  const { Environment, ...rest } = settled(machines.standard);
  const Variables = { ...Environment.Variables, PAWL_SCHEDULED: '[{"kind":"sweep"}]' };
  const functions = { settled: { ...rest, Environment: { Variables } } };
  expect(await examine({ rules: {}, functions })).toEqual([]);
});

describe('a function that starts executions for a request of HTTP', () => {
  const starts = { functions: { settled: settled(machines.standard) }, rules: {} };

  it('is not accused: nothing tells it ends, and nothing says that it should be told', async () => {
    const [told] = await examine(starts);
    expect(told?.text).toContain('If it only starts executions, nothing is missing.');
    const [disabled] = await examine({ rules: { ends: { ...ofMachine, State: 'DISABLED' } } });
    expect(disabled?.text).not.toContain('nothing is missing');
  });

  it('needs no permission to look executions up: they may be express', async () => {
    const decisionOn = (action: string) => (action === 'states:DescribeExecution' ? 'implicitDeny' : 'allowed');
    expect((await examine({ ...starts, decisionOn })).filter(({ level }) => level === 'problem')).toEqual([]);
    const found = await examine({
      ...starts,
      decisionOn: (action) => (action === 'states:StartExecution' ? 'implicitDeny' : 'allowed'),
    });
    expect(found.filter(({ level }) => level === 'problem')).toHaveLength(1);
  });
});

it('asks nothing about a variable that holds no ARN', async () => {
  expect(await examine({ functions: { settled: settled('deploy.yml') } })).toEqual([]);
});

it('says what it could not read', async () => {
  expect((await examine({ rules: 'denied' })).map(({ level }) => level)).toContain('unknown');
});

it('is in the report of pawl doctor', async () => {
  await describeAccount({ ...sound, rules: {} });
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  const { code, out } = await runCommand(['doctor', 'Shop']);
  expect(out).toMatch(/settled\n {2}with the workflow arn:aws:states:\S+\n {2}warning +ends +No enabled rule/);
  expect(code).toBe(0);
});
