import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Installs the packed tarball into fresh projects outside the repository, each with only the peer dependencies that its
 * imports need, in the lowest versions that package.json permits: one wraps a handler and runs it, one synthesizes a
 * stack, one starts `pawl doctor`.
 *
 * It needs `dist/` (`npm run build`) and a registry, and takes about a minute. It cannot tell what a later version of a peer
 * will break.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LONGEST_MS = 240_000;

interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

interface Project {
  readonly name: string;
  readonly peers: readonly string[];
  /** What must not have come along. */
  readonly absent: readonly string[];
  readonly file: string;
  readonly code: string;
  /** What running the file must print. */
  readonly prints: string;
}

const HANDLER: Project = {
  name: 'handler',
  peers: ['@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs', '@middy/core'],
  absent: ['aws-cdk-lib', 'constructs'],
  file: 'handler.ts',
  code: `
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
  prints: '{"sent":1,"answers":[{"batchItemFailures":[]},{"batchItemFailures":[]}]}',
};

const STACK: Project = {
  name: 'stack',
  peers: ['aws-cdk-lib', 'constructs'],
  absent: ['@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs', '@middy/core'],
  file: 'app.ts',
  code: `
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
  prints:
    'AWS::CloudWatch::Dashboard AWS::DynamoDB::Table AWS::Lambda::EventSourceMapping AWS::Lambda::Function ' +
    'AWS::SQS::Queue AWS::SQS::Queue',
};

const DOCTOR: Project = {
  name: 'doctor',
  peers: ['cloudformation', 'dynamodb', 'iam', 'lambda', 'sqs'].map((client) => `@aws-sdk/client-${client}`),
  absent: ['aws-cdk-lib', 'constructs', '@middy/core'],
  file: 'doctor.ts',
  code: `
import { execFileSync } from 'node:child_process';

const help = execFileSync('node_modules/.bin/pawl', ['doctor', '--help'], { encoding: 'utf8' });
console.log(help.split('\\n').find((line) => line.startsWith('Usage')));
`,
  prints: 'Usage: pawl doctor <stack or function> [options]',
};

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
  },
};

/** What is wrong with the package in this project; undefined when nothing is. */
function problemOf(project: Project, tarball: string, scratch: string): string | undefined {
  const folder = join(scratch, project.name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'fresh', private: true, type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  writeFileSync(join(folder, project.file), project.code);

  const lowest = project.peers.map((name) => `${name}@${manifest.peerDependencies[name]?.replace('^', '')}`);
  const tools = ['typescript', '@types/node'].map((name) => `${name}@${manifest.devDependencies[name]}`);
  run(folder, 'npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball, ...lowest, ...tools]);

  const unwanted = project.absent.filter((name) => existsSync(join(folder, 'node_modules', name)));
  if (unwanted.length > 0) return `installs ${unwanted.join(', ')}, which nothing here needs`;
  run(folder, process.execPath, ['node_modules/typescript/bin/tsc']);
  const printed = run(folder, process.execPath, [project.file]).trim().split('\n').at(-1);
  return printed === project.prints ? undefined : `printed ${printed}, and not ${project.prints}`;
}

/** @throws with all that the command said, when it fails or takes too long */
function run(cwd: string, command: string, args: readonly string[]): string {
  // A fresh project knows nothing of this one: neither its settings nor its tools, but its Node.
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_(package|lifecycle)|INIT_CWD)/.test(name));
  const env = {
    ...Object.fromEntries(kept),
    PATH: `${join(process.execPath, '..')}${delimiter}${process.env['PATH']}`,
  };
  try {
    return execFileSync(command, args, { cwd, env, encoding: 'utf8', timeout: LONGEST_MS, stdio: 'pipe' });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

if (import.meta.main) {
  const scratch = mkdtempSync(join(tmpdir(), 'pawl-package-'));
  try {
    run(ROOT, 'npm', ['pack', '--ignore-scripts', '--pack-destination', scratch]);
    const tarball = join(scratch, readdirSync(scratch)[0] ?? 'no tarball');
    for (const project of [HANDLER, STACK, DOCTOR]) {
      const problem = problemOf(project, tarball, scratch);
      if (problem !== undefined) throw new Error(`The ${project.name} project ${problem}.`);
      console.log(
        `The ${project.name} project works with ${project.peers.join(', ')}, and nothing else of pawl's peers.`,
      );
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
