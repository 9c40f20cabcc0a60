import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { permissions } from './support.ts';

// Each run starts Node and loads CDK.
vi.setConfig({ testTimeout: 60_000 });

const app = fileURLToPath(new URL('../../bin/app.ts', import.meta.url));
const outdir = mkdtempSync(join(tmpdir(), 'pawl-app-'));
afterAll(() => rmSync(outdir, { recursive: true }));

/** Runs the app as the CDK command line does, in a folder that is not its own and without any credentials. */
function run(context: Readonly<Record<string, unknown>>) {
  return spawnSync(process.execPath, [app], {
    cwd: outdir,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      // `npm run synth` has it.
      CDK_VALIDATION: process.env['CDK_VALIDATION'],
      CDK_OUTDIR: outdir,
      CDK_CONTEXT_JSON: JSON.stringify({ 'aws:cdk:bundling-stacks': [], ...context }),
    },
  });
}

function synthesize(context: Readonly<Record<string, unknown>>, stack = 'PawlOrders'): Template {
  const { status, stderr } = run(context);
  expect(status, stderr).toBe(0);
  return Template.fromString(readFileSync(join(outdir, `${stack}.template.json`), 'utf8'));
}

describe('the app', () => {
  const template = synthesize({});

  test('is one table, two consumers and a sweep, in whatever account and region it is deployed to', () => {
    template.resourceCountIs('AWS::DynamoDB::Table', 1);
    const functions = Object.keys(template.findResources('AWS::Lambda::Function'));
    expect(functions).toEqual([
      expect.stringContaining('SendEmail'),
      expect.stringContaining('IssueGiftCard'),
      expect.stringContaining('SettleClaims'),
    ]);
    expect(Object.keys(template.findOutputs('*'))).toEqual([
      'SendEmailQueueUrl',
      'IssueGiftCardQueueUrl',
      'ClaimsTableName',
    ]);
    expect(JSON.stringify(template.toJSON())).toContain('"AWS::Region"');
  });

  test('gives each function its own settings, and all the same table', () => {
    const functions = Object.values(template.findResources('AWS::Lambda::Function'));
    const variables = functions.map((resource) => resource['Properties'].Environment.Variables);
    expect(variables).toMatchObject([
      { SENDER_ADDRESS: 'orders@example.com' },
      { GIFT_CARD_API_URL: 'https://gift-cards.example.com' },
      { GIFT_CARD_API_URL: 'https://gift-cards.example.com' },
    ]);
    for (const { CLAIMS_TABLE } of variables) expect(CLAIMS_TABLE).toEqual(variables[0].CLAIMS_TABLE);
    expect(variables[0].DEAD_LETTER_QUEUE_URL).not.toEqual(variables[1].DEAD_LETTER_QUEUE_URL);
  });

  test('delivers 5 emails or 10 gift cards at once', () => {
    const mappings = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
    expect(mappings.map((mapping) => mapping['Properties'].BatchSize)).toEqual([5, 10]);
  });

  test('may send as the one sender, and has no permission on everything', () => {
    const statements = permissions(template);
    const [ses] = statements.filter(({ actions }) => actions.includes('ses:SendEmail'));
    expect(JSON.stringify(ses?.resource)).toMatch(/:identity\/orders@example\.com.*:identity\/example\.com/);
    for (const { resource } of statements) expect(JSON.stringify(resource)).not.toContain('*');
  });
});

test('context as numbers, as the local stack hands it in, sets both timeouts, and the visibility follows', () => {
  const template = synthesize({ functionTimeoutSeconds: 3 });
  template.resourcePropertiesCountIs('AWS::Lambda::Function', { Timeout: 3 }, 2);
  template.resourcePropertiesCountIs('AWS::SQS::Queue', { VisibilityTimeout: 18 }, 2);
});

test('the queue of account changes keeps their order, and so does its dead-letter queue', () => {
  const template = synthesize({ accountsApiUrl: 'https://accounts.example.org/v1' }, 'PawlAccounts');
  template.resourcePropertiesCountIs('AWS::SQS::Queue', { FifoQueue: true }, 2);
  template.hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: { ACCOUNTS_API_URL: 'https://accounts.example.org/v1', CHANGE_TIMEOUT_MS: '15000' } },
  });
});

test.each([1, 900])(
  'with a timeout of %i s, a kept lock outlasts the invisible message and no request that waits',
  (timeout) => {
    const template = synthesize({ functionTimeoutSeconds: timeout }, 'PawlRepayments');
    const [queue] = Object.values(
      template.findResources('AWS::SQS::Queue', { Properties: { RedrivePolicy: Match.anyValue() } }),
    );
    const [fn] = Object.values(template.findResources('AWS::Lambda::Function'));
    const { VisibilityTimeout, RedrivePolicy } = queue?.['Properties'] ?? {};
    const { LOCK_KEEP_SECONDS, BACKOFF_SECONDS } = fn?.['Properties'].Environment.Variables ?? {};
    expect(Number(LOCK_KEEP_SECONDS)).toBeGreaterThan(VisibilityTimeout);
    expect(Number(LOCK_KEEP_SECONDS)).toBeLessThan((RedrivePolicy.maxReceiveCount - 1) * Number(BACKOFF_SECONDS));
  },
);

test('context as strings, as `cdk -c` hands it in, reaches the functions and the permission', () => {
  const template = synthesize({
    functionTimeoutSeconds: '12',
    senderAddress: 'shop@mail.example.org',
    giftCardApiUrl: 'http://127.0.0.1:8080',
  });
  template.hasResourceProperties('AWS::Lambda::Function', {
    Timeout: 12,
    Environment: { Variables: { SENDER_ADDRESS: 'shop@mail.example.org' } },
  });
  template.hasResourceProperties('AWS::Lambda::Function', {
    Timeout: 12,
    Environment: { Variables: { GIFT_CARD_API_URL: 'http://127.0.0.1:8080' } },
  });
  expect(JSON.stringify(permissions(template))).toContain(':identity/mail.example.org');
});

test.each([
  ['functionTimeoutSeconds', '0', 'a whole number from 1 to 900'],
  ['functionTimeoutSeconds', 'soon', 'a whole number from 1 to 900'],
  ['functionTimeoutSeconds', 901, 'a whole number from 1 to 900'],
  ['functionTimeoutSeconds', 2.5, 'a whole number from 1 to 900'],
  ['senderAddress', 'Orders <orders@example.com>', 'a bare email address'],
  ['giftCardApiUrl', 'gift-cards.example.com', 'an http or https URL'],
  ['accountsApiUrl', 'accounts.example.com', 'an http or https URL'],
  // All that `-c` leaves of a key with line breaks.
  ['processorPublicKey', '-----BEGIN PUBLIC KEY-----', 'a whole key in PEM'],
])('%s %j is refused', (name, value, expected) => {
  const { status, stderr } = run({ [name]: value });
  expect(status).toBe(1);
  expect(stderr).toContain(`Context ${name} must be ${expected}`);
  expect(stderr).toContain(`got '${value}'`);
});

describe('what runs on a schedule', () => {
  /** All that a role may do, `action on resource`, without the permission to write its own logs. */
  function rightsOf(template: Template, role: string): readonly string[] {
    const policies = Object.values(template.findResources('AWS::IAM::Policy')).filter(({ Properties }) =>
      Properties.Roles.some(({ Ref }: { readonly Ref: string }) => Ref.startsWith(role)),
    );
    const attached = Object.entries(template.findResources('AWS::IAM::Role')).filter(([id]) => id.startsWith(role));
    expect(attached.map(([, { Properties }]) => Properties.ManagedPolicyArns)).toEqual([undefined]);
    const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
    expect(statements.map(({ Effect }) => Effect)).toEqual(statements.map(() => 'Allow'));
    return statements
      .flatMap(({ Action, Resource }) =>
        [Action].flat().map((action) => `${action} on ${JSON.stringify(Resource).replaceAll(/[0-9A-F]{8}"/g, '"')}`),
      )
      .filter((right) => !right.startsWith('logs:'))
      .toSorted();
  }

  /** What the one rule with a name that begins so calls, and who may call that. */
  function scheduleOf(template: Template, name: string) {
    const rules = Object.entries(template.findResources('AWS::Events::Rule')).filter(([id]) => id.startsWith(name));
    const [[id, { Properties }] = ['', { Properties: {} }]] = rules;
    const allowed = Object.values(template.findResources('AWS::Lambda::Permission')).map((one) => one['Properties']);
    const ofRule = allowed.filter(({ SourceArn }) => JSON.stringify(SourceArn).includes(id));
    return { rules: rules.length, schedule: Properties, allowed: ofRule };
  }

  const table = '{"Fn::GetAtt":["ClaimsTable","Arn"]}';
  const index = `{"Fn::Join":["",[${table},"/index/open"]]}`;

  test('is the sweep, which may list, read and resolve claims, and no more', () => {
    const template = synthesize({});
    expect(rightsOf(template, 'SettleClaimsRole')).toEqual([
      `dynamodb:BatchGetItem on ${table}`,
      `dynamodb:DescribeTable on ${table}`,
      `dynamodb:GetItem on ${table}`,
      `dynamodb:PartiQLUpdate on ${table}`,
      `dynamodb:Query on ${index}`,
    ]);
    const { rules, schedule, allowed } = scheduleOf(template, 'SettleClaims');
    const called = { 'Fn::GetAtt': [expect.stringMatching(/^SettleClaimsFunction/), 'Arn'] };
    expect(rules).toBe(1);
    expect(schedule).toMatchObject({
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
      Targets: [{ Arn: called }],
    });
    expect(allowed).toMatchObject([
      { Action: 'lambda:InvokeFunction', FunctionName: called, Principal: 'events.amazonaws.com' },
    ]);
  });

  test('is the comparison with the statement, which may read its ledger, complete claims and keep notes, and no more', () => {
    const template = synthesize({}, 'PawlPayments');
    expect(rightsOf(template, 'LedgerDriftRole')).toEqual([
      `dynamodb:BatchGetItem on ${table}`,
      `dynamodb:DescribeTable on ${table}`,
      `dynamodb:GetItem on ${table}`,
      `dynamodb:PartiQLInsert on ${table}`,
      `dynamodb:PartiQLUpdate on ${table}`,
      `dynamodb:PutItem on ${table}`,
      `dynamodb:Query on ${index}`,
      'dynamodb:Scan on [{"Fn::GetAtt":["Ledger","Arn"]}]',
    ]);
    const { rules, schedule, allowed } = scheduleOf(template, 'Statements');
    const called = { 'Fn::GetAtt': [expect.stringMatching(/^LedgerDriftFunction/), 'Arn'] };
    expect(rules).toBe(1);
    expect(schedule).toMatchObject({ ScheduleExpression: 'rate(1 day)', State: 'ENABLED', Targets: [{ Arn: called }] });
    expect(allowed).toMatchObject([
      { Action: 'lambda:InvokeFunction', FunctionName: called, Principal: 'events.amazonaws.com' },
    ]);
  });
});
