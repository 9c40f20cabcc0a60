import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readHttpApis } from '../services/api/read-http-apis.ts';
import { readFunctionUrls, readRestApis } from '../services/api/read-rest-apis.ts';
import { createTables } from '../services/dynamodb/create-tables.ts';
import { createBuckets, type ProvisionedBucket } from '../services/s3/create-buckets.ts';
import { type ProvisionedSchedule, readSchedules } from '../services/schedules/read-schedules.ts';
import { createTopics, type ProvisionedTopic, type ProvisionedTopicFunction } from '../services/sns/create-topics.ts';
import { snsLocal } from '../services/sns/sns-local.ts';
import { createQueues } from '../services/sqs/create-queues.ts';
import { allOrNothing } from './all-or-nothing.ts';
import type { Assembly, Synthesized } from './app/assembly.ts';
import { onlyAt } from './app/constructs.ts';
import { apiHost, functionUrlHost } from './app/names.ts';
import { type AppScopeOptions, readApp } from './app/read-app.ts';
import { readMappings } from './app/read-mappings.ts';
import { findFunction, ofType, placeOf, type Reading, readingOf } from './app/reading.ts';
import { type References, referencesOf } from './app/references.ts';
import { readFunctions } from './lambda/read-functions.ts';
import { refuseOldClients } from './lambda/refuse-old-clients.ts';
import { type NotRun, RefusedAppError, type Stub } from './not-run.ts';
import type {
  FunctionReference,
  ProvisionedApi,
  ProvisionedEventSource,
  ProvisionedFunction,
  ProvisionedQueue,
  ProvisionedStreamMapping,
  ProvisionedTable,
} from './provisioned.ts';
import type { SqsLocal } from './servers/sqs-local.ts';

export type {
  ProvisionedApi,
  ProvisionedEventSource,
  ProvisionedFunction,
  ProvisionedQueue,
  ProvisionedTable,
} from './provisioned.ts';

/** An app, as far as it exists on this machine. */
export interface Provisioned {
  /** The stacks, each with all its names. The first is its own. */
  readonly stacks: readonly { readonly name: string; readonly names: readonly string[] }[];
  readonly tables: readonly ProvisionedTable[];
  readonly queues: readonly ProvisionedQueue[];
  readonly eventSources: readonly ProvisionedEventSource[];
  readonly streams: readonly ProvisionedStreamMapping[];
  readonly apis: readonly ProvisionedApi[];
  readonly topics: readonly ProvisionedTopic[];
  /** Functions that subscribe to topics. */
  readonly topicFunctions: readonly ProvisionedTopicFunction[];
  readonly buckets: readonly ProvisionedBucket[];
  readonly schedules: readonly ProvisionedSchedule[];
  readonly notRun: readonly NotRun[];
  /** All functions that run. */
  readonly functions: readonly ProvisionedFunction[];
  /** What stands in templates for the address of an API, and the address. */
  readonly hosts: ReadonlyMap<string, string>;
  /**
   * The function of an ARN, with or without a version or an alias; `undefined` if a rehearsal does not run it, or it is not in the app.
   */
  functionOf(arn: string): FunctionReference | undefined;
  /**
   * The function of a construct.
   *
   * @param stack only of this one
   * @throws Error if there is none, or a rehearsal does not run it
   */
  functionAt(construct: string, stack?: string): ProvisionedFunction;
}

export interface ProvisionOptions {
  /** What stands for parts of the app that are not run, by their constructs: `{ 'Billing/Machine': { ref: 'arn:…' } }`. */
  readonly stubs?: Readonly<Record<string, Stub>>;
  /** Values of the parameters of templates, in place of their defaults. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /**
   * Changes what the stacks say before anything is made from them: shorter timeouts, for example.
   *
   * @default nothing is changed
   */
  readonly adjust?: (stacks: readonly Synthesized[], references: References) => readonly Synthesized[];
  /** Starts what serves an API, given what the template calls its address. @default the address stays as it is */
  readonly addressOf?: (host: string) => Promise<string>;
}

/**
 * Creates the tables and queues of an app on the local servers, and reads what its functions need.
 *
 * @throws RefusedAppError if the app has something without which a verdict would be wrong
 */
export async function provision(
  assembly: Assembly,
  { dynamo, sqs }: { readonly dynamo: DynamoDBClient; readonly sqs: SqsLocal },
  options: ProvisionOptions = {},
): Promise<Provisioned> {
  const app = readApp(adjusted(assembly, { ...options, sqs }), { ...options, sqs });
  const reading = readingOf(app);
  const hosts = await addresses(reading, options);
  readFunctions(reading, hosts);
  await refuseOldClients(reading, assembly.folder);
  const [tables, queues] = await allOrNothing([createTables(reading, dynamo), createQueues(reading, sqs)]);
  const { ofQueues, ofStreams } = readMappings(reading, { queues, tables });
  const apis = [...readHttpApis(reading), ...readRestApis(reading), ...readFunctionUrls(reading)];
  const { topics, functions: topicFunctions } = await createTopics(reading, {
    sqs,
    sns: snsLocal(sqs.endpoint),
    queues,
  });
  const buckets = await createBuckets(reading, sqs.endpoint);
  const schedules = readSchedules(reading);
  const { listed, refused } = app.findings;
  if (refused.length > 0) throw new RefusedAppError(refused);
  return {
    stacks: app.stacks.map(({ stack: { stackName, alsoCalled = [] } }) => ({
      name: stackName,
      names: [stackName, ...alsoCalled],
    })),
    tables,
    queues,
    eventSources: ofQueues,
    streams: ofStreams,
    apis,
    topics,
    topicFunctions,
    buckets,
    schedules,
    notRun: listed,
    functions: runningFunctions(reading),
    hosts,
    functionOf(arn) {
      const found = findFunction(reading, arn);
      return found?.read.kind === 'runs' ? { function: found.read.function, qualifier: found.qualifier } : undefined;
    },
    functionAt: (construct, stack) => functionAt(reading, construct, stack),
  };
}

/** The functions of another version of an app, as they would run beside the parts that are there. */
export function readFunctionsOf(
  assembly: Assembly,
  sqs: Pick<SqsLocal, 'address'>,
  { hosts, ...options }: Omit<ProvisionOptions, 'addressOf'> & Pick<Provisioned, 'hosts'>,
): readonly ProvisionedFunction[] {
  const reading = readingOf(readApp(adjusted(assembly, { ...options, sqs }), { ...options, sqs }));
  readFunctions(reading, hosts);
  return runningFunctions(reading);
}

function adjusted(assembly: Assembly, options: ProvisionOptions & AppScopeOptions): Assembly {
  const { adjust } = options;
  if (adjust === undefined) return assembly;
  return { ...assembly, stacks: adjust(assembly.stacks, referencesOf(readApp(assembly, options))) };
}

function runningFunctions({ functions }: Reading): readonly ProvisionedFunction[] {
  return [...functions.values()].flatMap((read) => (read.kind === 'runs' ? [read.function] : []));
}

async function addresses(
  reading: Reading,
  { addressOf = async (host) => `https://${host}` }: ProvisionOptions,
): Promise<ReadonlyMap<string, string>> {
  const hosts = [
    ...ofType(reading, 'AWS::ApiGatewayV2::Api', 'AWS::ApiGateway::RestApi').map(({ name }) => apiHost(name)),
    ...ofType(reading, 'AWS::Lambda::Url').map(({ name }) => functionUrlHost(name)),
  ];
  return new Map(await Promise.all(hosts.map(async (host) => [host, await addressOf(host)] as const)));
}

function functionAt(reading: Reading, construct: string, stack: string | undefined): ProvisionedFunction {
  const resources = ofType(reading, 'AWS::Lambda::Function').filter(
    (one) => stack === undefined || one.stack === stack,
  );
  const { stack: found, logicalId } = onlyAt(resources.map(placeOf), construct, 'function');
  const arn =
    resources.find((one) => one.stack === found && one.logicalId === logicalId)?.names.attributes['Arn'] ?? '';
  const read = reading.functions.get(arn);
  if (read?.kind === 'runs') return read.function;
  throw new Error(`A rehearsal does not run the function at ${construct}. ${read?.why ?? ''}`);
}
