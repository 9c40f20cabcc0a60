import { type Project, peers } from './project.ts';

/** The stack with everything that pawl makes, or makes of what exists. */
const app = `
import { writeFileSync } from 'node:fs';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime, RuntimeFamily } from 'aws-cdk-lib/aws-lambda';
import { ClaimsDashboard, ClaimsTable, Consumer, OpenClaimsSweep, StatementCheck } from '@pawl/cdk';

const app = new App({ outdir: process.argv[2] + '.out' });
const stack = new Stack(app, 'Mails');
const claims = new ClaimsTable(stack, 'Claims');
new ClaimsTable(stack, 'Encrypted', { encryptionKey: new Key(stack, 'Key') });
const sendMail = new LambdaFunction(stack, 'SendMail', {
  runtime: new Runtime('nodejs22.x', RuntimeFamily.NODEJS, { supportsInlineCode: true }),
  handler: 'index.handler',
  code: Code.fromInline('exports.handler = async () => {}'),
  timeout: Duration.seconds(30),
});
const claimsTable = claims.table;
const pollers = { provisionedPollerConfig: { minimumPollers: 2, maximumPollers: 5 } };
const mails = new Consumer(stack, 'Once', { claimsTable, function: sendMail, operation: 'send-email', ...pollers });
const letters = new Consumer(stack, 'Letters', { claimsTable, entry: 'send-letter.ts', operation: 'send-letter', fifo: true, maxConcurrency: 5 });
new OpenClaimsSweep(stack, 'Sweep', { claimsTable, entry: 'send-letter.ts' });
new StatementCheck(stack, 'Check', { claimsTable, function: sendMail, operation: 'send-email' });
new ClaimsDashboard(stack, 'Dashboard', { claimsTable: claims, consumers: [mails, letters] });
claims.grantOperate(sendMail);
claims.grantRestore(sendMail);
writeFileSync(process.argv[2] + '.json', JSON.stringify(app.synth().getStackByName('Mails').template));
`;

/** Each import of CDK leads to the package of another name. */
const hook = `
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (name, context, next) => next(name.replace(/^aws-cdk-lib(?=$|\\/)/, 'newest-cdk'), context),
});
`;

const compare = `
import { readFileSync } from 'node:fs';

/** Without what protects nothing: a default that is written out, the hash of an asset, a widget's look, an option of version 2 of the SDK. */
const same = (key, value) => {
  if (['Metadata', 'S3Key', 'DashboardBody', 'AWS_NODEJS_CONNECTION_REUSE_ENABLED'].includes(key)) return undefined;
  if ((key === 'FifoQueue' && value === false) || (key === 'ReturnData' && value === true)) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
};
const properties = (value, path = '') =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, part]) => properties(part, path + '/' + key))
    : [path + ' ' + value];
const read = (end) =>
  properties(JSON.parse(JSON.stringify(JSON.parse(readFileSync(end + '.json', 'utf8')).Resources, same)));
const [lowest, newest] = [read('lowest'), read('newest')];
const differences = [
  ...lowest.filter((one) => !newest.includes(one)).map((one) => 'lowest alone: ' + one),
  ...newest.filter((one) => !lowest.includes(one)).map((one) => 'newest alone: ' + one),
];
if (lowest.length < 300) throw new Error('the stack has ' + lowest.length + ' properties, and should have more');
if (differences.length > 0) throw new Error(differences.join('\\n'));
`;

/** One stack, synthesized by the lowest CDK that is permitted and by the newest one: the same protections, property by property. */
export function bothEndsProject(): Project {
  const [newest = ''] = peers('highest', 'aws-cdk-lib');
  return {
    name: 'stack, the same on both ends of CDK',
    has: [...peers('lowest', 'aws-cdk-lib'), `newest-cdk@npm:${newest}`, ...peers('highest', 'constructs'), 'esbuild'],
    files: {
      'send-letter.ts': 'export const handler = async () => ({ batchItemFailures: [] });\n',
      'app.ts': app,
      'newest.mjs': hook,
      'compare.mjs': compare,
    },
    steps: [
      { args: ['app.ts', 'lowest'] },
      { args: ['--import', './newest.mjs', 'app.ts', 'newest'] },
      { args: ['compare.mjs'] },
    ],
  };
}
