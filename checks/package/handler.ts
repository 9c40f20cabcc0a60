import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeWith } from './laws.ts';
import { checkTypes, type End, type Project, peers, root, typescript } from './project.ts';
import { recordText } from './record.ts';

const run = `
const record = (messageId: string) => (${recordText('messageId', "JSON.stringify({ orderId: '17' })")});
const context = { getRemainingTimeInMillis: () => 30_000 } as never;
`;

const once = '{"sent":1,"answers":[{"batchItemFailures":[]},{"batchItemFailures":[]}]}';

/** A batch handler that exists, wrapped with Middy, without CDK and without a table. */
export function handlerProject(end: End): Project {
  return {
    name: `handler, ${end} peers`,
    has: [
      ...typescript,
      '@types/aws-lambda',
      ...peers(end, '@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs', '@middy/core'),
    ],
    absent: ['aws-cdk-lib', 'constructs'],
    files: {
      'handler.ts': `
import middy from '@middy/core';
import { logEvents, memoryStore } from 'pawl';
import { dynamoStore } from 'pawl/dynamodb';
import { sqsOnce } from 'pawl/middy';
import { allOf, metricEvents } from 'pawl/observe';
import { bodyField, deadLetterQueue, type SqsEvent } from 'pawl/sqs';

const sent: string[] = [];
async function existingBatchHandler(event: SqsEvent): Promise<void> {
  for (const { body } of event.Records) sent.push(body);
}

// Made, and not used: the handler below runs without a table. What its environment does not name is no reason to fail at import.
dynamoStore({ tableName: process.env['CLAIMS_TABLE'] });
deadLetterQueue(process.env['DEAD_LETTER_QUEUE_URL']);

const handler = middy(existingBatchHandler, { timeoutEarlyInMillis: 0 }).use(
  sqsOnce({
    operation: 'send-email',
    store: memoryStore(),
    key: bodyField('orderId'),
    onAbandoned: 'retry',
    onEvent: allOf(logEvents, metricEvents({ write: () => {} })),
  }),
);
${run}
const answers = [
  await handler({ Records: [record('a')] }, context),
  await handler({ Records: [record('b')] }, context),
];
console.log(JSON.stringify({ sent: sent.length, answers }));
`,
    },
    steps: [checkTypes, { args: ['handler.ts'], prints: once }],
  };
}

/** The quick start of docs/guides/install.md, as it is printed, with no peer. */
export function quickStartProject(): Project {
  const code = codeWith(readFileSync(join(root, 'docs/guides/install.md'), 'utf8'), 'issue-card');
  return {
    name: 'quick start',
    has: typescript,
    absent: ['@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs', 'aws-cdk-lib', '@middy/core'],
    files: {
      'quick-start.mts': code,
      'count.js':
        "import { execFileSync } from 'node:child_process';\n" +
        "const said = execFileSync(process.execPath, ['quick-start.mts'], { encoding: 'utf8' });\n" +
        "console.log(said.match(/issues a card/g).length, said.match(/card: 'card-1'/g).length);\n",
    },
    steps: [checkTypes, { args: ['count.js'], prints: '1 2' }],
  };
}

/**
 * A project of CommonJS with each major of Middy. Middy is an ECMAScript module: version 6 may be required, the others have to be imported.
 */
export function middyProject(version: string): Project {
  return {
    name: `Middy ${version} from CommonJS`,
    has: [...typescript, `@middy/core@${version}`, '@types/aws-lambda', ...peers('highest', '@aws-sdk/client-sqs')],
    absent: ['aws-cdk-lib', 'constructs', '@aws-sdk/client-dynamodb'],
    files: {
      'package.json': JSON.stringify({ name: 'fresh', private: true, type: 'commonjs' }),
      'handler.ts': `
import { memoryStore } from 'pawl';
import { sqsOnce } from 'pawl/middy';
import { bodyField, type SqsEvent } from 'pawl/sqs';

const sent: string[] = [];
${run}
async function main(): Promise<void> {
  const { default: middy } = await import('@middy/core');
  const handler = middy(async (event: SqsEvent) => {
    for (const { body } of event.Records) sent.push(body);
  }, { timeoutEarlyInMillis: 0 }).use(
    sqsOnce({ operation: 'send-email', store: memoryStore(), key: bodyField('orderId'), onAbandoned: 'retry' }),
  );
  const answers = [
    await handler({ Records: [record('a')] }, context),
    await handler({ Records: [record('b')] }, context),
  ];
  console.log(JSON.stringify({ sent: sent.length, answers }));
}
void main();
`,
    },
    steps: [
      { args: ['node_modules/typescript/bin/tsc', '--noEmit', 'false', '--allowImportingTsExtensions', 'false'] },
      { args: ['handler.js'], prints: once },
    ],
  };
}
