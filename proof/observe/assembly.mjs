/*
 * The five apps as a rehearsal sees a CDK app: a cloud assembly. Each is there once for every circumstance, side by side, with a queue and a table of its own.
 * Without the CDK, a synth takes a moment instead of seconds.
 */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimsTableDefinition, keyAttributes } from '../../lib/pawl/deployment/table-definition.ts';

const out = process.env.CDK_OUTDIR;
const { apps, circumstances, bundles, batchSize, timeout, visibility, receives } = JSON.parse(
  process.env.CDK_CONTEXT_JSON,
);

const Resources = {};
const add = (path, Type, Properties) => {
  const name = path.replaceAll(/\W/g, '');
  Resources[name] = { Type, Properties, Metadata: { 'aws:cdk:path': `Observed/${path}/Resource` } };
  return name;
};
const key = ({ name }, KeyType) => ({ AttributeName: name, KeyType });
const arn = (name) => ({ 'Fn::GetAtt': [name, 'Arn'] });

for (const app of apps) {
  cpSync(bundles[app], join(out, `asset.${app}`), { recursive: true });
  for (const circumstance of circumstances) {
    const at = `${circumstance}-${app}`;
    const hasTable = circumstance === 'healthy' || circumstance === 'away';
    const table = hasTable
      ? add(`${at}/Claims`, 'AWS::DynamoDB::Table', {
          KeySchema: [key(claimsTableDefinition.key, 'HASH')],
          AttributeDefinitions: keyAttributes(claimsTableDefinition).map(({ name, type }) => ({
            AttributeName: name,
            AttributeType: type,
          })),
          GlobalSecondaryIndexes: claimsTableDefinition.indexes.map(({ name, partitionKey, sortKey }) => ({
            IndexName: name,
            KeySchema: [key(partitionKey, 'HASH'), key(sortKey, 'RANGE')],
            Projection: { ProjectionType: 'ALL' },
          })),
        })
      : undefined;
    const fn = add(`${at}/Ship`, 'AWS::Lambda::Function', {
      Code: { S3Bucket: 'assets', S3Key: `${app}.zip` },
      Handler: 'index.handler',
      Runtime: 'nodejs24.x',
      Timeout: timeout,
      Environment: {
        Variables: {
          OBSERVED: String(circumstance !== 'without'),
          TABLE: table === undefined ? 'no-such-table' : { Ref: table },
          PROVIDER_URL: 'https://provider.example',
        },
      },
    });
    if (app === 'http') {
      const ApiId = { Ref: add(`${at}/Api`, 'AWS::ApiGatewayV2::Api', { Name: at, ProtocolType: 'HTTP' }) };
      const integration = add(`${at}/Integration`, 'AWS::ApiGatewayV2::Integration', {
        ApiId,
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: arn(fn),
        PayloadFormatVersion: '2.0',
      });
      const Target = { 'Fn::Join': ['', ['integrations/', { Ref: integration }]] };
      add(`${at}/Route`, 'AWS::ApiGatewayV2::Route', { ApiId, RouteKey: 'POST /orders', Target });
      add(`${at}/Stage`, 'AWS::ApiGatewayV2::Stage', { ApiId, StageName: '$default', AutoDeploy: true });
      continue;
    }
    const isFifo = app === 'each' ? { FifoQueue: true } : {};
    const dead = add(`${at}/Dead`, 'AWS::SQS::Queue', isFifo);
    const queue = add(`${at}/Orders`, 'AWS::SQS::Queue', {
      ...isFifo,
      VisibilityTimeout: visibility,
      RedrivePolicy: { deadLetterTargetArn: arn(dead), maxReceiveCount: receives },
    });
    add(`${at}/FromOrders`, 'AWS::Lambda::EventSourceMapping', {
      EventSourceArn: arn(queue),
      FunctionName: { Ref: fn },
      BatchSize: app === 'plain' ? 1 : batchSize,
      ...(app === 'plain' ? {} : { FunctionResponseTypes: ['ReportBatchItemFailures'] }),
    });
  }
}

const write = (name, content) => writeFileSync(join(out, name), JSON.stringify(content));
write('manifest.json', {
  version: '36.0.0',
  artifacts: {
    Observed: {
      type: 'aws:cloudformation:stack',
      environment: 'aws://unknown-account/unknown-region',
      properties: { templateFile: 'Observed.template.json' },
    },
  },
});
write('Observed.template.json', { Resources });
write('Observed.assets.json', {
  files: Object.fromEntries(
    apps.map((app) => [app, { source: { path: `asset.${app}` }, destinations: { here: { objectKey: `${app}.zip` } } }]),
  ),
});
