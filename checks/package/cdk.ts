import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesOfPage } from '../files-of-page.ts';
import { checkTypes, type End, type Project, peers, root, run, typescript } from './project.ts';
import { recordText } from './record.ts';

const types =
  'AWS::CloudWatch::Dashboard AWS::DynamoDB::Table AWS::Lambda::EventSourceMapping AWS::Lambda::EventSourceMapping ' +
  'AWS::Lambda::Function AWS::Lambda::Function AWS::SQS::Queue AWS::SQS::Queue AWS::SQS::Queue AWS::SQS::Queue';

/** A stack with a function that exists, and with one that pawl makes. */
export function stackProject(end: End): Project {
  return {
    name: `stack, ${end} peers`,
    has: [...typescript, ...peers(end, 'aws-cdk-lib', 'constructs'), 'esbuild'],
    absent: ['@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs', '@middy/core'],
    files: {
      'send-letter.ts': 'export const handler = async () => ({ batchItemFailures: [] });\n',
      'app.ts': `
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime, RuntimeFamily } from 'aws-cdk-lib/aws-lambda';
import { ClaimsDashboard, ClaimsTable, Consumer } from '@pawl/cdk';

const app = new App({ outdir: 'cdk.out' });
const stack = new Stack(app, 'Mails');
const claims = new ClaimsTable(stack, 'Claims');
const sendMail = new LambdaFunction(stack, 'SendMail', {
  // By its name: the lowest CDK has no constant for it.
  runtime: new Runtime('nodejs22.x', RuntimeFamily.NODEJS, { supportsInlineCode: true }),
  handler: 'index.handler',
  code: Code.fromInline('exports.handler = async () => {}'),
  timeout: Duration.seconds(30),
});
const mails = new Consumer(stack, 'Once', { claimsTable: claims.table, function: sendMail, operation: 'send-email' });
const letters = new Consumer(stack, 'Letters', { claimsTable: claims.table, entry: 'send-letter.ts', operation: 'send-letter' });
new ClaimsDashboard(stack, 'Dashboard', { claimsTable: claims, consumers: [mails, letters] });
const { template } = app.synth().getStackByName('Mails');
const types = Object.values(template.Resources).map((resource) => (resource as { Type: string }).Type);
console.log(types.filter((type) => /Table|Queue$|Function|Mapping|Dashboard/.test(type)).sort().join(' '));
`,
    },
    steps: [checkTypes, { args: ['app.ts'], prints: types }],
  };
}

const test = `
import * as cdk from 'aws-cdk-lib/core';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { memoryStore } from 'pawl';
import { ClaimsTable, Consumer } from '@pawl/cdk';
import { bodyField, eachMessage } from 'pawl/sqs';

test('a stack with a consumer of pawl is synthesized', () => {
  const stack = new cdk.Stack(new cdk.App(), 'Mails');
  const claims = new ClaimsTable(stack, 'Claims');
  const sendMail = new LambdaFunction(stack, 'SendMail', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {}'),
    timeout: cdk.Duration.seconds(30),
  });
  new Consumer(stack, 'Once', { claimsTable: claims.table, function: sendMail, operation: 'send-email' });
  const template = Template.fromStack(stack);
  template.resourceCountIs('AWS::Lambda::EventSourceMapping', 1);
  template.hasResourceProperties('AWS::SQS::Queue', { VisibilityTimeout: 180 });
});

test('a handler of pawl runs', async () => {
  const sent: unknown[] = [];
  const handler = eachMessage<{ orderId: string }>(
    { operation: 'send-email', store: memoryStore(), key: bodyField('orderId'), onAbandoned: 'retry' },
    ({ body }) => void sent.push(body.orderId),
  );
  const record = (messageId: string) => (${recordText('messageId', `'{"orderId":"17"}'`)});
  await handler({ Records: [record('a'), record('b')] }, { getRemainingTimeInMillis: () => 30_000 });
  expect(sent).toEqual(['17']);
});
`;

/** The project's own compiler reads it, although only the command runs it. */
const rehearsal = `
import { mailer, rehearsal, times } from '@pawl/rehearsal';

const mails = mailer('orderId');

export default rehearsal({
  providers: { MAILER_URL: mails },
  effects: { email: mails },
  traffic: ({ queue }) => times(5, (n) => queue('SendMail').send({ orderId: \`order-\${n}\` }, { intent: \`order-\${n}\` })),
});
`;

/** A project as `cdk init` generates it, with its Jest, and with the files of docs/guides/adopt.md: from an empty folder to a stack, a handler and a sweep. */
export function cdkInitProject(): Project {
  const [section = ''] = readFileSync(join(root, 'docs/guides/adopt.md'), 'utf8').split('\n## In an existing stack\n');
  return {
    name: 'cdk init, with its Jest',
    async begin(folder) {
      mkdirSync(folder);
      const cdk = join(root, 'node_modules/aws-cdk/bin/cdk');
      const named = ['--language', 'typescript', '--project-name', 'mailer'];
      await run(folder, process.execPath, [cdk, 'init', 'app', ...named, '--generate-only']);
    },
    has: [...peers('highest', '@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs', '@aws-sdk/util-dynamodb'), 'esbuild'],
    files: { 'rehearsal.ts': rehearsal, 'test/pawl.test.ts': test, ...Object.fromEntries(filesOfPage(section)) },
    steps: [
      // With the declarations that \`cdk init\` asks for, TypeScript has to name the type of the handler.
      checkTypes,
      { args: ['node_modules/jest/bin/jest.js'] },
      { args: ['node_modules/aws-cdk/bin/cdk', 'synth', '--quiet'] },
      { args: ['-e', count], prints: '1 function, 2 queues' },
      { args: ['-e', "console.log(require.resolve('@pawl/cdk').includes('cjs'))"], prints: 'true' },
    ],
  };
}

const count = `
const { Resources } = require('./cdk.out/MailerStack.template.json');
const types = Object.values(Resources).map(({ Type }) => Type);
const count = (type) => types.filter((found) => found === type).length;
console.log(count('AWS::Lambda::Function') + ' function, ' + count('AWS::SQS::Queue') + ' queues');
`;

/** A batch handler of JavaScript that exists, wrapped and swept as docs/guides/adopt.md has it. */
export function existingHandlerProject(): Project {
  const files = filesOfPage(readFileSync(join(root, 'docs/guides/adopt.md'), 'utf8'));
  return {
    name: 'JavaScript handler of docs/guides/adopt.md',
    has: ['@middy/core@6', ...peers('highest', '@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs')],
    absent: ['aws-cdk-lib', 'constructs', 'typescript'],
    files: {
      'package.json': JSON.stringify({ name: 'fresh', private: true }),
      'mailer.js': "exports.send = async () => { throw new Error('the test must not send'); };\n",
      ...Object.fromEntries([...files].filter(([path]) => path.endsWith('.js'))),
    },
    steps: [{ args: ['--test'] }, { args: ['-p', "typeof require('./index').handler"], prints: 'function' }],
  };
}
