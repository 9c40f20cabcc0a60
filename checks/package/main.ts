import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lawsProject } from './laws.ts';
import { check, type Project, ROOT, run } from './project.ts';

/**
 * Installs the packed tarball into fresh projects outside the repository, each with only the peer dependencies that its
 * imports need, in the lowest versions that package.json permits: one wraps a handler and runs it, one synthesizes a
 * stack, one starts `pawl doctor`, one holds a store of its own to the laws.
 *
 * It needs `dist/` (`npm run build`) and a registry, and takes about two minutes. It cannot tell what a later version of a peer
 * will break.
 */

const HANDLER: Project = {
  name: 'handler',
  peers: ['@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs', '@middy/core'],
  absent: ['aws-cdk-lib', 'constructs'],
  files: {
    'handler.ts': `
import middy from '@middy/core';
import { logEvents, memoryStore } from 'pawl';
import { dynamoStore } from 'pawl/dynamodb';
import { sqsOnce } from 'pawl/middy';
import { allOf, metricEvents } from 'pawl/observe';
import { bodyField, type SqsEvent } from 'pawl/sqs';

const sent: string[] = [];
async function existingBatchHandler(event: SqsEvent): Promise<void> {
  for (const { body } of event.Records) sent.push(body);
}

// Made, and not used: the handler below runs without a table.
dynamoStore({ tableName: 'claims' });

const handler = middy(existingBatchHandler, { timeoutEarlyInMillis: 0 }).use(
  sqsOnce({
    operation: 'send-email',
    store: memoryStore(),
    key: bodyField('orderId'),
    onAbandoned: 'retry',
    onEvent: allOf(logEvents, metricEvents({ write: () => {} })),
  }),
);

const record = (messageId: string) => ({
  messageId,
  receiptHandle: messageId,
  body: JSON.stringify({ orderId: '17' }),
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '1800000000000',
    SenderId: 'shop',
    ApproximateFirstReceiveTimestamp: '1800000000000',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:mails',
  awsRegion: 'eu-west-1',
});
const context = { getRemainingTimeInMillis: () => 30_000 } as never;
const answers = [
  await handler({ Records: [record('a')] }, context),
  await handler({ Records: [record('b')] }, context),
];
console.log(JSON.stringify({ sent: sent.length, answers }));
`,
  },
  steps: [{ args: ['handler.ts'], prints: '{"sent":1,"answers":[{"batchItemFailures":[]},{"batchItemFailures":[]}]}' }],
};

const STACK: Project = {
  name: 'stack',
  peers: ['aws-cdk-lib', 'constructs'],
  absent: ['@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs', '@middy/core'],
  files: {
    'app.ts': `
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { ClaimsDashboard, ClaimsTable, Consumer } from 'pawl/constructs';

const app = new App({ outdir: 'cdk.out' });
const stack = new Stack(app, 'Mails');
const claims = new ClaimsTable(stack, 'Claims');
const sendMail = new LambdaFunction(stack, 'SendMail', {
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  code: Code.fromInline('exports.handler = async () => {}'),
  timeout: Duration.seconds(30),
});
const consumer = new Consumer(stack, 'Once', { claimsTable: claims.table, function: sendMail, operation: 'send-email' });
new ClaimsDashboard(stack, 'Dashboard', { claimsTable: claims, consumers: [consumer] });
const { template } = app.synth().getStackByName('Mails');
const types = Object.values(template.Resources).map((resource) => (resource as { Type: string }).Type);
console.log(types.filter((type) => /Table|Queue$|Function|Mapping|Dashboard/.test(type)).sort().join(' '));
`,
  },
  steps: [
    {
      args: ['app.ts'],
      prints:
        'AWS::CloudWatch::Dashboard AWS::DynamoDB::Table AWS::Lambda::EventSourceMapping AWS::Lambda::Function ' +
        'AWS::SQS::Queue AWS::SQS::Queue',
    },
  ],
};

const DOCTOR: Project = {
  name: 'doctor',
  peers: ['cloudformation', 'dynamodb', 'iam', 'lambda', 'sqs'].map((client) => `@aws-sdk/client-${client}`),
  absent: ['aws-cdk-lib', 'constructs', '@middy/core'],
  files: {
    'doctor.ts': `
import { execFileSync } from 'node:child_process';

const help = execFileSync('node_modules/.bin/pawl', ['doctor', '--help'], { encoding: 'utf8' });
console.log(help.split('\\n').find((line) => line.startsWith('Usage')));
`,
  },
  steps: [{ args: ['doctor.ts'], prints: 'Usage: pawl doctor <stack or function> [options]' }],
};

if (import.meta.main) {
  const scratch = mkdtempSync(join(tmpdir(), 'pawl-package-'));
  try {
    run(ROOT, 'npm', ['pack', '--ignore-scripts', '--pack-destination', scratch]);
    const tarball = join(scratch, readdirSync(scratch)[0] ?? 'no tarball');
    for (const project of [HANDLER, STACK, DOCTOR, lawsProject()]) {
      try {
        check(project, tarball, scratch);
      } catch (error) {
        throw new Error(`The ${project.name} project does not work.`, { cause: error });
      }
      console.log(
        `The ${project.name} project works with ${project.peers.join(', ') || 'no peer'}, and nothing else of pawl's peers.`,
      );
    }
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
