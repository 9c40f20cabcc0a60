import { CreateTableCommand, type CreateTableCommandInput, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type AtConstruct, constructOf, onlyAt } from './constructs.ts';
import { nameResources, physicalName } from './names.ts';
import type { SqsLocal } from './sqs-local.ts';
import type { Synthesized } from './synthesize.ts';
import { createResolver, list, type Names, type Resolver, record } from './template.ts';

export interface ProvisionedTable extends AtConstruct {
  readonly name: string;
}

export interface ProvisionedQueue extends AtConstruct {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  /** The ARN of the queue that takes what was received too often. */
  readonly deadLetterArn: string | undefined;
  /** How often it may be received before that. */
  readonly maxReceiveCount: number | undefined;
  readonly visibilitySeconds: number;
}

export interface ProvisionedFunction extends AtConstruct {
  readonly name: string;
  /** The folder of its bundle. */
  readonly folder: string;
  /** `file.export`, as Lambda has it. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** How many sandboxes the template reserves for it, and therefore allows it; `undefined` if it reserves none. */
  readonly reservedConcurrency: number | undefined;
}

export interface ProvisionedEventSource extends AtConstruct {
  readonly queue: ProvisionedQueue;
  readonly function: ProvisionedFunction;
  readonly batchSize: number;
  readonly windowMs: number;
  readonly reportsBatchItemFailures: boolean;
  readonly maximumConcurrency: number | undefined;
}

/** An HTTP API, and the function behind each of its routes. */
export interface ProvisionedApi extends AtConstruct {
  readonly routes: readonly { readonly key: string; readonly function: ProvisionedFunction }[];
}

/** One stack, as far as it exists on this machine. */
export interface Provisioned {
  readonly stackName: string;
  readonly tables: readonly ProvisionedTable[];
  readonly queues: readonly ProvisionedQueue[];
  readonly eventSources: readonly ProvisionedEventSource[];
  readonly apis: readonly ProvisionedApi[];
  /**
   * The function of a construct. Read only when it is wanted: a function that the CDK brings for itself may refer to things
   * that exist in AWS alone.
   *
   * @throws Error if there is none
   */
  functionAt(construct: string): ProvisionedFunction;
}

/** A stack while it is read. */
interface Reading {
  readonly app: Synthesized;
  readonly names: ReadonlyMap<string, Names>;
  readonly resolver: Resolver;
}

/** One resource of the template. */
interface Resource extends AtConstruct {
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Creates the tables and queues of a template on the local servers, and reads what its functions need. */
export async function provision(app: Synthesized, dynamo: DynamoDBClient, sqs: SqsLocal): Promise<Provisioned> {
  const names = nameResources(app, sqs);
  const reading: Reading = { app, names, resolver: createResolver(app.template, app.stackName, names) };
  const tables = await Promise.all(
    resources(reading, 'AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable').map((table) =>
      createTable(reading, table, dynamo),
    ),
  );
  const queues = await Promise.all(
    resources(reading, 'AWS::SQS::Queue').map((queue) => createQueue(reading, queue, sqs)),
  );
  return {
    stackName: app.stackName,
    tables,
    queues,
    eventSources: resources(reading, 'AWS::Lambda::EventSourceMapping').map((mapping) =>
      readEventSource(reading, mapping, queues),
    ),
    apis: resources(reading, 'AWS::ApiGatewayV2::Api')
      .filter(({ properties }) => properties['ProtocolType'] === 'HTTP')
      .map((api) => readApi(reading, api)),
    functionAt: (construct) => readFunction(reading, onlyAt(functions(reading), construct, 'function')),
  };
}

function resources({ app, names }: Reading, ...types: readonly string[]): readonly Resource[] {
  return Object.entries(app.template.Resources)
    .filter(([, { Type }]) => types.includes(Type))
    .map(([logicalId, resource]) => ({
      logicalId,
      construct: constructOf(logicalId, resource),
      name: physicalName(names, logicalId),
      properties: resource.Properties ?? {},
    }));
}

function functions(reading: Reading): readonly Resource[] {
  return resources(reading, 'AWS::Lambda::Function');
}

async function createTable(
  { resolver }: Reading,
  { logicalId, construct, name, properties }: Resource,
  dynamo: DynamoDBClient,
): Promise<ProvisionedTable> {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = record(resolver.resolve(properties));
  // The shapes are the API's own: CloudFormation took them from there. Everything else about a table is for production.
  const shape = { KeySchema, AttributeDefinitions, ...(GlobalSecondaryIndexes ? { GlobalSecondaryIndexes } : {}) };
  const input = { TableName: name, BillingMode: 'PAY_PER_REQUEST', ...shape } as CreateTableCommandInput;
  await dynamo.send(new CreateTableCommand(input));
  return { logicalId, construct, name };
}

async function createQueue(
  { resolver }: Reading,
  { logicalId, construct, name, properties }: Resource,
  sqs: SqsLocal,
): Promise<ProvisionedQueue> {
  const attributes = queueAttributes(record(resolver.resolve(properties)));
  const { url, arn } = await sqs.createQueue(name, attributes);
  const redrive = record(JSON.parse(attributes['RedrivePolicy'] ?? '{}'));
  const target = redrive['deadLetterTargetArn'];
  return {
    logicalId,
    construct,
    name,
    url,
    arn,
    deadLetterArn: typeof target === 'string' ? target : undefined,
    maxReceiveCount: optionalNumber(redrive['maxReceiveCount']),
    visibilitySeconds: Number(attributes['VisibilityTimeout'] ?? 30),
  };
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

function readEventSource(
  reading: Reading,
  { logicalId, construct, properties }: Resource,
  queues: readonly ProvisionedQueue[],
): ProvisionedEventSource {
  const read = record(reading.resolver.resolve(properties));
  const queue = queues.find(({ arn }) => arn === read['EventSourceArn']);
  if (queue === undefined) {
    throw new Error(
      `${construct} reads from something that is not a queue of this stack. A rehearsal has no other source.`,
    );
  }
  const fn = functionNamed(reading, read['FunctionName']);
  if (fn === undefined) throw new Error(`${construct} feeds a function that is not in this stack.`);
  return {
    logicalId,
    construct,
    queue,
    function: fn,
    batchSize: Number(read['BatchSize'] ?? 10),
    windowMs: Number(read['MaximumBatchingWindowInSeconds'] ?? 0) * 1_000,
    reportsBatchItemFailures: list(read['FunctionResponseTypes']).includes('ReportBatchItemFailures'),
    maximumConcurrency: optionalNumber(record(read['ScalingConfig'])['MaximumConcurrency']),
  };
}

function readApi(reading: Reading, { logicalId, construct, name }: Resource): ProvisionedApi {
  const { resolver } = reading;
  const integrations = new Map(
    resources(reading, 'AWS::ApiGatewayV2::Integration').map((integration) => [integration.name, integration]),
  );
  const routes = resources(reading, 'AWS::ApiGatewayV2::Route')
    .filter(({ properties }) => resolver.text(properties['ApiId']) === name)
    .map(({ properties, construct: route }) => {
      const integration = integrations.get(resolver.text(properties['Target']).replace(/^integrations\//, ''));
      const fn = integration && functionNamed(reading, resolver.resolve(integration.properties['IntegrationUri']));
      if (fn === undefined) throw new Error(`The route ${route} does not lead to a function of this stack.`);
      return { key: resolver.text(properties['RouteKey']), function: fn };
    });
  return { logicalId, construct, routes };
}

/** The function of this name or ARN. */
function functionNamed(reading: Reading, nameOrArn: unknown): ProvisionedFunction | undefined {
  const found = functions(reading).find(
    ({ name, logicalId }) => name === nameOrArn || reading.names.get(logicalId)?.attributes['Arn'] === nameOrArn,
  );
  return found && readFunction(reading, found);
}

function readFunction(
  { app, resolver }: Reading,
  { logicalId, construct, name, properties }: Resource,
): ProvisionedFunction {
  // Only what a sandbox needs is resolved: a role or a layer may refer to things that exist in AWS alone.
  const code = record(properties['Code'])['S3Key'];
  const folder = code === undefined ? undefined : app.assets.get(resolver.text(code));
  if (folder === undefined) throw new Error(`The code of ${construct} is not among the assets of the app.`);
  const variables = record(record(properties['Environment'])['Variables']);
  return {
    logicalId,
    construct,
    name,
    folder,
    handler: resolver.text(properties['Handler']),
    environment: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, resolver.text(value)])),
    timeoutMs: Number(properties['Timeout'] ?? 3) * 1_000,
    memoryMb: Number(properties['MemorySize'] ?? 128),
    reservedConcurrency: optionalNumber(properties['ReservedConcurrentExecutions']),
  };
}

function optionalNumber(value: unknown): number | undefined {
  return value === undefined ? undefined : Number(value);
}
