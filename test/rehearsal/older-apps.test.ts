import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readAssembly } from '../../lib/rehearsal/engine/app/assembly.ts';
import { readApp } from '../../lib/rehearsal/engine/app/read-app.ts';
import { services } from '../../lib/rehearsal/services/registry.ts';

/** A stack as version 1 of the CDK writes it: `cdk deploy` uploads the code of a function, and says where it is by parameters. */
function olderApp(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-older-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'asset.c0de'));
  const part = (index: number) => ({ 'Fn::Select': [index, { 'Fn::Split': ['||', { Ref: 'CodeVersionKey' }] }] });
  const Code = { S3Bucket: { Ref: 'CodeBucket' }, S3Key: { 'Fn::Join': ['', [part(0), part(1)]] } };
  const template = {
    Parameters: Object.fromEntries(
      ['CodeBucket', 'CodeVersionKey', 'CodeHash'].map((name) => [name, { Type: 'String' }]),
    ),
    Resources: {
      Reader: { Type: 'AWS::Lambda::Function', Properties: { Runtime: 'nodejs12.x', Handler: 'a.b', Code } },
    },
  };
  const data = {
    path: 'asset.c0de',
    id: 'c0de',
    packaging: 'zip',
    sourceHash: 'c0de',
    s3BucketParameter: 'CodeBucket',
    s3KeyParameter: 'CodeVersionKey',
    artifactHashParameter: 'CodeHash',
  };
  const stack = {
    type: 'aws:cloudformation:stack',
    environment: 'aws://unknown-account/unknown-region',
    properties: { templateFile: 'Shop.template.json' },
    metadata: {
      '/Shop': [{ type: 'aws:cdk:asset', data }],
      '/Shop/Reader': [{ type: 'aws:cdk:logicalId', data: 'Reader' }],
    },
  };
  writeFileSync(join(folder, 'Shop.template.json'), JSON.stringify(template));
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ version: '7.0.0', artifacts: { Shop: stack } }));
  return folder;
}

test('an app of version 1 of the CDK: the code of its functions is found, and no parameter has to be given', async () => {
  const folder = olderApp();
  const assembly = await readAssembly(folder);
  expect([...(assembly.stacks[0]?.assets ?? [])]).toEqual([['c0de', join(folder, 'asset.c0de')]]);
  const address = (name: string) => ({ url: `http://sqs/${name}`, arn: `arn:aws:sqs:us-east-1:0:${name}` });
  const [stack] = readApp(assembly, { sqs: { address }, services: services }).stacks;
  const reader = stack?.resources.find(({ type }) => type === 'AWS::Lambda::Function');
  expect(stack?.resolver.resolve(reader?.properties['Code'])).toEqual({ S3Bucket: 'assets', S3Key: 'c0de' });
});
