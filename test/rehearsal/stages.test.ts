import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readAssembly } from '../../lib/rehearsal/engine/app/assembly.ts';
import { onlyAt } from '../../lib/rehearsal/engine/app/constructs.ts';
import { readApp } from '../../lib/rehearsal/engine/app/read-app.ts';
import { services } from '../../lib/rehearsal/services/registry.ts';

/** An app with a stage for each region, as the CDK writes it: regions and accounts stand in names as well as in ARNs. */
function appOf(stages: readonly { readonly account: string; readonly region: string }[], name: (at: string) => object) {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-stages-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const artifacts: Record<string, unknown> = {};
  for (const { account, region } of stages) {
    const stage = `prod-${region}`;
    const directoryName = `assembly-${stage}`;
    mkdirSync(join(folder, directoryName));
    artifacts[directoryName] = { type: 'cdk:cloud-assembly', properties: { directoryName } };
    const arn = { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:sqs:${region}:${account}:${stage}-audit`]] };
    const Resources = {
      Orders: {
        Type: 'AWS::SQS::Queue',
        Properties: name(stage),
        Metadata: { 'aws:cdk:path': `${stage}/Shop/Orders/Resource` },
      },
      Reader: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          Environment: {
            Variables: { AUDIT: arn, QUEUE: `https://sqs.${region}.amazonaws.com/${account}/${stage}-audit` },
          },
        },
        Metadata: { 'aws:cdk:path': `${stage}/Shop/Reader/Resource` },
      },
    };
    const own = {
      type: 'aws:cloudformation:stack',
      environment: `aws://${account}/${region}`,
      displayName: `${stage}/Shop`,
      properties: { templateFile: 'Shop.template.json', stackName: 'Shop' },
    };
    const manifest = { artifacts: { [`${stage}Shop`]: own } };
    writeFileSync(join(folder, directoryName, 'manifest.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, directoryName, 'Shop.template.json'), JSON.stringify({ Resources }));
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ artifacts }));
  return folder;
}

const sqs = { address: (name: string) => ({ url: `http://sqs/${name}`, arn: `arn:aws:sqs:us-east-1:0:${name}` }) };
const stages = [
  { account: '111111111111', region: 'eu-west-1' },
  { account: '222222222222', region: 'us-west-2' },
];

test('stages that are named after their accounts stay two', async () => {
  let at = 0;
  const assembly = await readAssembly(appOf(stages, () => ({ QueueName: `orders-${stages[at++]?.account}` })));
  const { stacks } = readApp(assembly, { sqs: sqs, services: services });
  const names = stacks.flatMap(({ resources }) => resources.filter(({ logicalId }) => logicalId === 'Orders'));
  expect(names.map(({ name }) => name)).toEqual(['orders-111111111111', 'orders-222222222222']);
});

test('stages that are named after their regions stay two, and each is found by its path', async () => {
  const assembly = await readAssembly(appOf(stages, (stage) => ({ QueueName: `${stage}-orders` })));
  const queues = readApp(assembly, { sqs: sqs, services: services })
    .stacks.flatMap(({ resources }) => resources)
    .filter(({ type }) => type === 'AWS::SQS::Queue');
  expect(queues.map(({ name }) => name)).toEqual(['prod-eu-west-1-orders', 'prod-us-west-2-orders']);
  expect(onlyAt(queues, 'prod-us-west-2/Shop/Orders', 'queue').name).toBe('prod-us-west-2-orders');
  expect(onlyAt(queues, 'prod-eu-west-1/Shop/Orders', 'queue').name).toBe('prod-eu-west-1-orders');
});

test('their ARNs and addresses are those of the one place where a rehearsal is, whatever their names hold', async () => {
  const assembly = await readAssembly(appOf(stages, () => ({})));
  const { stacks } = readApp(assembly, { sqs: sqs, services: services });
  const variables = stacks.map(({ resources, resolver }) => {
    const reader = resources.find(({ type }) => type === 'AWS::Lambda::Function');
    const { Variables } = resolver.resolve(reader?.properties['Environment']) as { Variables: unknown };
    return Variables;
  });
  expect(variables).toEqual(
    stages.map(({ region }) => ({
      AUDIT: `arn:aws:sqs:us-east-1:000000000000:prod-${region}-audit`,
      QUEUE: `https://sqs.us-east-1.amazonaws.com/000000000000/prod-${region}-audit`,
    })),
  );
});

test('stacks of one name, and queues of one name, are two if they are in two regions', async () => {
  const assembly = await readAssembly(appOf(stages, () => ({ QueueName: 'orders.fifo', FifoQueue: true })));
  const { stacks } = readApp(assembly, { sqs: sqs, services: services });
  expect(new Set(stacks.map(({ stack }) => stack.stackName)).size).toBe(2);
  const names = stacks.flatMap(({ resources }) => resources.filter(({ logicalId }) => logicalId === 'Orders'));
  expect(new Set(names.map(({ name }) => name)).size).toBe(2);
  for (const { name } of names) expect(name).toMatch(/\.fifo$/);
});
