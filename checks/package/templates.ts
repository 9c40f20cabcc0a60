import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeWith } from './laws.ts';
import { type Project, peers, ROOT } from './project.ts';

const PAWL = 'node_modules/pawl/dist/cli/main.js';
const CLIENTS = ['cloudformation', 'dynamodb', 'iam', 'lambda', 'sqs'].map((name) => `@aws-sdk/client-${name}`);

/** The commands, where no client is installed: they help, they print templates, and the others name what to install. */
export function commandsProject(): Project {
  const helpful = ['claims', 'claim', 'resolve', 'dlq', 'redrive', 'doctor', 'template', 'completion'];
  const reading = [
    ['claims', '--table', 'claims'],
    ['claim', '--table', 'claims', 'send-email#17'],
    ['dlq', '--stack', 'mails'],
    ['redrive', '--stack', 'mails'],
    ['doctor', 'mails'],
  ];
  return {
    name: 'commands, without a client',
    has: peers('highest', 'yaml'),
    absent: [...CLIENTS, '@middy/core', 'aws-cdk-lib'],
    files: {},
    steps: [
      { args: [PAWL, '--help'] },
      ...helpful.map((command) => ({ args: [PAWL, command, '--help'] })),
      ...['sam', 'terraform', 'serverless', 'cloudformation'].map((tool) => ({ args: [PAWL, 'template', tool] })),
      ...reading.map((args) => ({
        args: [PAWL, ...args],
        failsWith: `pawl ${args[0]} needs: npm install --save-dev ${CLIENTS.join(' ')}`,
      })),
    ],
  };
}

/** The handler of docs/guides/templates.md, bundled by the command of that page. */
export function bundledHandlerProject(): Project {
  const page = readFileSync(join(ROOT, 'docs/guides/templates.md'), 'utf8');
  const [command] = /npx esbuild src\/index\.ts[\s\S]*?(?=\n```)/.exec(page) ?? [];
  if (command === undefined) throw new Error('docs/guides/templates.md has no command that bundles src/index.ts.');
  const given = 'const sendEmail = async (order: { orderId: string }) => console.log(order.orderId);\n';
  return {
    name: 'bundled handler of docs/guides/templates.md',
    has: ['esbuild', ...peers('highest', '@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs')],
    absent: ['aws-cdk-lib', '@middy/core', 'typescript'],
    files: { 'src/index.ts': given + codeWith(page, 'eachMessage<') },
    steps: [
      { args: ['-e', `require('node:child_process').execSync(${JSON.stringify(command)}, { stdio: 'inherit' })`] },
      {
        args: ['-e', "import('./dist/index.mjs').then(({ handler }) => console.log(typeof handler))"],
        prints: 'function',
      },
    ],
  };
}
