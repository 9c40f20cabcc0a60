import { CreateTableCommand, type CreateTableCommandInput, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SqsLocal } from './sqs-local.ts';
import type { Synthesized } from './synthesize.ts';
import { ACCOUNT, createResolver, list, type Names, REGION, type Resolver, record } from './template.ts';

export interface ProvisionedTable {
  readonly logicalId: string;
  readonly name: string;
}

export interface ProvisionedQueue {
  readonly logicalId: string;
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  /** The ARN of the queue that takes what was received too often. */
  readonly deadLetterArn: string | undefined;
}

export interface ProvisionedFunction {
  readonly logicalId: string;
  readonly name: string;
  /** The folder of its bundle. */
  readonly folder: string;
  /** `file.export`, as Lambda has it. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

export interface ProvisionedEventSource {
  readonly logicalId: string;
  readonly queue: ProvisionedQueue;
  readonly function: ProvisionedFunction;
  readonly batchSize: number;
  readonly windowMs: number;
  readonly reportsBatchItemFailures: boolean;
  readonly maximumConcurrency: number | undefined;
}

export interface Provisioned {
  readonly tables: readonly ProvisionedTable[];
  readonly queues: readonly ProvisionedQueue[];
  /** Only where a queue feeds a function: functions that the CDK brings for itself have nothing to do here. */
  readonly eventSources: readonly ProvisionedEventSource[];
  /** The function of a construct, whoever calls it. @throws when there is none */
  functionOf(construct: string): ProvisionedFunction;
}

/** Creates the tables and queues of a template on the local servers, and reads what its functions need. */
export async function provision(app: Synthesized, dynamo: DynamoDBClient, sqs: SqsLocal): Promise<Provisioned> {
  const names = nameResources(app, sqs);
  const resolver = createResolver(app.template, app.stackName, names);
  const each = (...types: string[]) =>
    Object.entries(app.template.Resources)
      .filter(([, { Type }]) => types.includes(Type))
      .map(([logicalId, { Properties }]) => ({
        logicalId,
        name: physicalName(names, logicalId),
        properties: Properties ?? {},
      }));

  const tables = await Promise.all(
    each('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable').map(async ({ logicalId, name, properties }) => {
      await dynamo.send(new CreateTableCommand(tableInput(name, properties, resolver)));
      return { logicalId, name };
    }),
  );
  const queues = await Promise.all(
    each('AWS::SQS::Queue').map(async ({ logicalId, name, properties }) => {
      const attributes = queueAttributes(record(resolver.resolve(properties)));
      const { url, arn } = await sqs.createQueue(name, attributes);
      const redrive = record(JSON.parse(attributes['RedrivePolicy'] ?? '{}'));
      const target = redrive['deadLetterTargetArn'];
      return { logicalId, name, url, arn, deadLetterArn: typeof target === 'string' ? target : undefined };
    }),
  );
  const eventSources = each('AWS::Lambda::EventSourceMapping').map(({ logicalId, properties }) => {
    const read = record(resolver.resolve(properties));
    const queue = queues.find(({ arn }) => arn === read['EventSourceArn']);
    if (queue === undefined) throw new Error(`${logicalId} reads from something that is not a queue of this stack.`);
    const mapped = each('AWS::Lambda::Function').find(({ name }) => name === read['FunctionName']);
    if (mapped === undefined) throw new Error(`${logicalId} feeds a function that is not in this stack.`);
    const concurrency = record(read['ScalingConfig'])['MaximumConcurrency'];
    return {
      logicalId,
      queue,
      function: readFunction(mapped.logicalId, mapped.name, mapped.properties, app, resolver),
      batchSize: Number(read['BatchSize'] ?? 10),
      windowMs: Number(read['MaximumBatchingWindowInSeconds'] ?? 0) * 1_000,
      reportsBatchItemFailures: list(read['FunctionResponseTypes']).includes('ReportBatchItemFailures'),
      maximumConcurrency: concurrency === undefined ? undefined : Number(concurrency),
    };
  });

  function functionOf(construct: string): ProvisionedFunction {
    const found = each('AWS::Lambda::Function').find(({ logicalId }) => logicalId.startsWith(construct));
    if (found === undefined) throw new Error(`The stack has no function of ${construct}.`);
    return readFunction(found.logicalId, found.name, found.properties, app, resolver);
  }

  return { tables, queues, eventSources, functionOf };
}

/** Names everything before anything exists, as CloudFormation does: a queue may name a dead-letter queue further down. */
function nameResources(app: Synthesized, sqs: SqsLocal): ReadonlyMap<string, Names> {
  const names = new Map<string, Names>();
  for (const [logicalId, { Type, Properties }] of Object.entries(app.template.Resources)) {
    const own = Properties?.['TableName'] ?? Properties?.['QueueName'] ?? Properties?.['FunctionName'];
    const suffix = Properties?.['FifoQueue'] === true && typeof own !== 'string' ? '.fifo' : '';
    const mayBeNamed = Type !== 'AWS::Lambda::EventSourceMapping' && typeof own === 'string';
    const name = mayBeNamed ? own : `${app.stackName}-${logicalId}${suffix}`.replaceAll(/[^\w.-]/g, '-');
    if (Type === 'AWS::SQS::Queue') {
      const { url, arn } = sqs.address(name);
      names.set(logicalId, { ref: url, attributes: { Arn: arn, QueueName: name, QueueUrl: url } });
    } else {
      const arn = `arn:aws:${Type.split('::')[1]?.toLowerCase()}:${REGION}:${ACCOUNT}:${name}`;
      names.set(logicalId, { ref: name, attributes: { Arn: arn } });
    }
  }
  return names;
}

function physicalName(names: ReadonlyMap<string, Names>, logicalId: string): string {
  const known = names.get(logicalId);
  return known?.attributes['QueueName'] ?? known?.ref ?? logicalId;
}

function tableInput(name: string, properties: unknown, resolver: Resolver): CreateTableCommandInput {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = record(resolver.resolve(properties));
  // The shapes are the API's own: CloudFormation took them from there. Everything else about a table is for production.
  const shape = { KeySchema, AttributeDefinitions, ...(GlobalSecondaryIndexes ? { GlobalSecondaryIndexes } : {}) };
  return { TableName: name, BillingMode: 'PAY_PER_REQUEST', ...(shape as Omit<CreateTableCommandInput, 'TableName'>) };
}

const NOT_AN_ATTRIBUTE = new Set(['QueueName', 'Tags']);

function queueAttributes(properties: Readonly<Record<string, unknown>>): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(properties)) {
    if (NOT_AN_ATTRIBUTE.has(name) || value === undefined) continue;
    attributes[name] = typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  return attributes;
}

function readFunction(
  logicalId: string,
  name: string,
  properties: Readonly<Record<string, unknown>>,
  app: Synthesized,
  resolver: Resolver,
): ProvisionedFunction {
  // Only what a sandbox needs is resolved: a role or a layer may refer to things that exist in AWS alone.
  const key = resolver.text(record(properties['Code'])['S3Key']);
  const folder = app.assets.get(key);
  if (folder === undefined) throw new Error(`The code of ${logicalId} is not among the assets of the app.`);
  const variables = record(record(properties['Environment'])['Variables']);
  return {
    logicalId,
    name,
    folder,
    handler: resolver.text(properties['Handler']),
    environment: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, resolver.text(value)])),
    timeoutMs: Number(properties['Timeout'] ?? 3) * 1_000,
    memoryMb: Number(properties['MemorySize'] ?? 128),
  };
}
