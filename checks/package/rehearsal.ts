import { checkTypes, type Project, typescript } from './project.ts';

/** An app of one queue and one function, as far as a rehearsal can see it: it writes a cloud assembly. */
const app = `
import { mkdirSync, writeFileSync } from 'node:fs';
const out = process.env.CDK_OUTDIR;
mkdirSync(\`\${out}/asset.f\`);
writeFileSync(\`\${out}/asset.f/index.js\`, \`exports.handler = async ({ Records }) => {
  for (const { body } of Records) await fetch(process.env.MAILER_URL, { method: 'POST', body });
};\`);
const at = (path) => ({ 'aws:cdk:path': \`Mails/\${path}/Resource\` });
const Resources = {
  Orders: { Type: 'AWS::SQS::Queue', Properties: {}, Metadata: at('Orders') },
  Send: {
    Type: 'AWS::Lambda::Function',
    Properties: { Code: { S3Bucket: 'a', S3Key: 'f.zip' }, Handler: 'index.handler', Runtime: 'nodejs24.x' },
    Metadata: at('Send'),
  },
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: { 'Fn::GetAtt': ['Orders', 'Arn'] }, FunctionName: { Ref: 'Send' } },
    Metadata: at('Send/FromOrders'),
  },
};
const properties = { templateFile: 'Mails.template.json' };
const artifacts = { Mails: { type: 'aws:cloudformation:stack', environment: 'aws://unknown-account/unknown-region', properties } };
writeFileSync(\`\${out}/manifest.json\`, JSON.stringify({ version: '36.0.0', artifacts }));
writeFileSync(\`\${out}/Mails.template.json\`, JSON.stringify({ Resources }));
const files = { f: { source: { path: 'asset.f' }, destinations: { here: { objectKey: 'f.zip' } } } };
writeFileSync(\`\${out}/Mails.assets.json\`, JSON.stringify({ files }));
`;

const file = `
import { mailer, rehearsal, times } from '@pawl/rehearsal';

const emails = mailer('orderId');

export default rehearsal({
  providers: { MAILER_URL: emails },
  effects: { email: emails },
  faults: { duplicate: 1 },
  traffic: ({ queue }) => times(5, (n) => queue('Orders').send({ orderId: \`order-\${n}\` }, { intent: \`order-\${n}\` })),
});
`;

/** A fresh project with an app and a rehearsal file. */
export function rehearsalProject(): Project {
  const rehearse = ['node_modules/.bin/pawl', 'rehearse', '--seed', '1'];
  return {
    name: 'rehearsal',
    has: typescript,
    absent: ['aws-cdk-lib', '@middy/core'],
    files: { 'app.mjs': app, 'cdk.json': '{ "app": "node app.mjs" }', 'rehearsal.ts': file },
    steps: [checkTypes, { args: rehearse, failsWith: '5 doubled, 0 lost' }],
  };
}
