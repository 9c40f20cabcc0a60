import type { Doors } from '../services/api/doors.ts';
import type { HttpRoute } from '../services/api/http-api.ts';
import { bucketOf } from '../services/s3/buckets.ts';
import { scheduleOf } from '../services/schedules/schedules.ts';
import { deliverToFunction } from '../services/sns/topic-functions.ts';
import { type DeliveryFaults, startEventSource } from '../services/sqs/event-source.ts';
import { type StreamFaults, startStreamSource } from '../services/streams/stream.ts';
import { streamClient } from '../services/streams/stream-client.ts';
import type { Assembly } from './app/assembly.ts';
import { onlyAt } from './app/constructs.ts';
import type { Destinations } from './destinations.ts';
import type { HttpServer } from './http.ts';
import type { Asynchronous } from './lambda/asynchronous.ts';
import { type FunctionPlace, type Functions, functionFor } from './lambda/functions.ts';
import type { LambdaLocal } from './lambda/lambda.ts';
import type { Machine } from './machine.ts';
import type { Consumer, Parts, RehearsedBucket, RehearsedSchedule, RehearsedTopic, StreamConsumer } from './parts.ts';
import type { Provisioned, ProvisionOptions } from './provision.ts';
import type { InStack, ProvisionedApi, ProvisionedEventSource, ProvisionedStreamMapping } from './provisioned.ts';
import type { Servers } from './servers/servers.ts';
import type { TapHooks } from './servers/tap.ts';

/** A queue that feeds a function: the construct of the mapping, and that of the function. */
export interface ConsumerPlace extends FunctionPlace {
  readonly handler: string;
}

export interface RehearsalFaults {
  /** What happens to the requests of functions to DynamoDB. */
  readonly dynamodb?: TapHooks;
  /** What happens to the requests of functions to SQS; not to those that go to the URL of a queue itself. */
  readonly sqs?: TapHooks;
  /** What happens to the requests of functions to SNS. */
  readonly sns?: TapHooks;
  /** What happens to the requests of functions to S3. */
  readonly s3?: TapHooks;
  /** What happens to the messages of a consumer. */
  readonly delivery?: (consumer: ConsumerPlace) => DeliveryFaults | undefined;
  /** What happens to the records of a consumer of a stream. */
  readonly streamDelivery?: (consumer: FunctionPlace) => StreamFaults | undefined;
}

/** A rehearsal while it is started, and what it stands on. */
export interface Starting {
  readonly faults: RehearsalFaults;
  readonly machine: Machine;
  readonly servers: Servers;
  readonly lambda: LambdaLocal;
  readonly functions: Functions;
  readonly doors: Doors;
  readonly destinations: Destinations;
  readonly asynchronous: Asynchronous;
  readonly provisioned: Provisioned;
  /** What the author says of the app's templates. */
  readonly options: ProvisionOptions;
  /** Removes the folder of an assembly with the rehearsal. */
  readonly keep: (assembly: Assembly) => Assembly;
  /** What hands events to functions. All of it ends together. */
  readonly sources: { stop(): Promise<void> }[];
}

/** What runs, by its kind. */
export interface Running {
  readonly provisioned: Provisioned;
  readonly functions: Functions;
  readonly consumers: readonly Consumer[];
  readonly streamConsumers: readonly StreamConsumer[];
  readonly apis: readonly (ProvisionedApi & { readonly server: HttpServer })[];
  readonly topics: readonly RehearsedTopic[];
  readonly buckets: readonly RehearsedBucket[];
  readonly schedules: readonly RehearsedSchedule[];
}

export async function startRunning(starting: Starting): Promise<Running> {
  const { provisioned, functions, doors, servers, destinations } = starting;
  const consumers: Consumer[] = [];
  for (const mapping of provisioned.eventSources) consumers.push(await startConsumer(starting, mapping));
  const streamConsumers: StreamConsumer[] = [];
  for (const mapping of provisioned.streams) streamConsumers.push(await startStreamConsumer(starting, mapping));
  for (const fn of provisioned.topicFunctions) startTopicFunction(starting, fn);
  const apis = await Promise.all(
    provisioned.apis.map(async (api) => {
      const { kind, stages, name: apiId, binary } = api;
      const server = doors.open(api.host, await routesOf(starting, api), { kind, stages, apiId, binary });
      // The address of a REST API has its stage, as that of AWS.
      const endpoint = kind === 'rest' ? [server.endpoint, ...stages.slice(0, 1)].join('/') : server.endpoint;
      return { ...api, server: { ...server, endpoint } };
    }),
  );
  return {
    provisioned,
    functions,
    consumers,
    streamConsumers,
    apis,
    topics: provisioned.topics.map((topic) => ({
      ...topic,
      publish: (message, options) => servers.sns.publish(topic.arn, message, options),
    })),
    buckets: provisioned.buckets.map((bucket) => bucketOf(bucket, servers.quiet.s3)),
    schedules: provisioned.schedules.map((schedule) => scheduleOf(schedule, destinations)),
  };
}

/**
 * How many sandboxes of its function a mapping may use. Mappings that received messages for all of them would wait for each other, and a message that
 * waits for a sandbox comes back after its visibility timeout.
 */
function shareOf(
  mapping: ProvisionedEventSource,
  { provisioned }: Pick<Starting, 'provisioned'>,
  sandboxes: number,
): number {
  const { stack, logicalId } = mapping.function;
  const mates = provisioned.eventSources.filter(
    ({ enabled, function: fn }) => enabled && fn.stack === stack && fn.logicalId === logicalId,
  );
  const at = mates.indexOf(mapping);
  const more = at < sandboxes % mates.length ? 1 : 0;
  return Math.max(1, Math.floor(sandboxes / mates.length) + more);
}

async function startConsumer(starting: Starting, mapping: ProvisionedEventSource): Promise<Consumer> {
  const { faults, machine, servers, functions, sources, provisioned } = starting;
  const { stack, logicalId, construct, queue, qualifier, maximumConcurrency, enabled } = mapping;
  const fn = await functionFor(functions, mapping.function);
  const delivery = faults.delivery?.({ stack, construct, handler: mapping.function.construct });
  const source = startEventSource({
    ...mapping,
    client: servers.sqs.client,
    invoke: (event, measure) => fn.invoke(event, qualifier, measure),
    patience: { machine, extend: (receipts, ms) => servers.sqs.extend(queue.name, receipts, ms) },
    concurrency: enabled
      ? Math.min(shareOf(mapping, starting, fn.maxSandboxes), maximumConcurrency ?? fn.maxSandboxes)
      : 0,
    ...(delivery ? { faults: delivery } : {}),
  });
  sources.push(source);
  const deadLetterQueue = provisioned.queues.find(({ arn }) => arn === queue.deadLetterArn);
  return { stack, logicalId, construct, mapping, queue, deadLetterQueue, function: fn, stats: source.stats };
}

const NOTHING_READ = { batches: 0, deliveries: 0, redeliveries: 0, discarded: 0 };

async function startStreamConsumer(starting: Starting, mapping: ProvisionedStreamMapping): Promise<StreamConsumer> {
  const { faults, servers, functions, sources, provisioned, destinations } = starting;
  const { stack, logicalId, construct, table, onFailure } = mapping;
  const fn = await functionFor(functions, mapping.function);
  const failures = provisioned.queues.find(({ arn }) => arn === onFailure);
  const functionConstruct = mapping.function.construct;
  const common = { stack, logicalId, construct, table, failures, function: fn, functionConstruct };
  if (!mapping.enabled || table.streamArn === undefined) {
    return { ...common, stats: NOTHING_READ, lag: async () => 0, waiting: async () => [] };
  }
  const delivery = faults.streamDelivery?.({ stack, construct });
  const { onFailure: _, ...options } = mapping;
  const source = await startStreamSource({
    ...options,
    client: streamClient(servers.quiet.dynamodb),
    streamArn: table.streamArn,
    functionArn: mapping.function.arn,
    invoke: (event) => fn.invoke(event, mapping.qualifier),
    ...(onFailure === undefined ? {} : { onFailure: (message) => destinations.send(onFailure, message) }),
    ...(delivery ? { faults: delivery } : {}),
  });
  sources.push(source);
  const { stats, waiting } = source;
  return { ...common, stats, waiting, lag: async () => (await waiting()).length };
}

/** The queue behind a topic is ours: what it delivers is an asynchronous invocation. */
function startTopicFunction(
  starting: Starting,
  { topicArn, target, queue }: Provisioned['topicFunctions'][number],
): void {
  const { servers, sources, asynchronous } = starting;
  const subscriptionArn = `${topicArn}:${queue.name}`;
  sources.push(
    startEventSource({
      client: servers.sqs.client,
      queue,
      batchSize: 10,
      windowMs: 0,
      reportsBatchItemFailures: false,
      concurrency: 1,
      async invoke(event) {
        for (const body of bodiesOf(event))
          deliverToFunction({ topicArn, subscriptionArn, target }, body, asynchronous);
        return { kind: 'response', value: null };
      },
    }),
  );
}

function bodiesOf(event: { readonly Records: readonly { readonly body: string }[] }): readonly string[] {
  return event.Records.map(({ body }) => body);
}

async function routesOf({ functions }: Starting, { routes }: ProvisionedApi): Promise<readonly HttpRoute[]> {
  return Promise.all(
    routes.map(async ({ key, target, payload, timeoutMs }): Promise<HttpRoute> => {
      const fn = target && (await functionFor(functions, target.function));
      const invoke = fn && ((event: unknown) => fn.invoke(event, target.qualifier));
      return { key, payload, timeoutMs, ...(invoke ? { invoke } : {}) };
    }),
  );
}

/** Finds the parts of one stack, or of the whole app. */
export function partsOf(running: Running, stack?: string): Parts {
  const { provisioned, functions } = running;
  const only = <Item extends InStack>(items: readonly Item[], construct: string, kind: string): Item => {
    const here = items.filter((item) => stack === undefined || item.stack === stack);
    return onlyAt(here, construct, kind, stack === undefined ? 'app' : 'stack');
  };
  const served = (areUrls: boolean) => running.apis.filter(({ kind }) => (kind === 'function-url') === areUrls);
  return {
    table: (construct) => only(provisioned.tables, construct, 'table').name,
    queue: (construct) => only(provisioned.queues, construct, 'queue'),
    topic: (construct) => only(running.topics, construct, 'topic'),
    bucket: (construct) => only(running.buckets, construct, 'bucket'),
    consumer: (construct) => only(running.consumers, construct, 'consumer'),
    streamConsumer: (construct) => only(running.streamConsumers, construct, 'consumer of a stream'),
    api: (construct) => only(served(false), construct, 'API').server,
    functionUrl: (construct) => only(served(true), construct, 'function URL').server,
    schedule: (construct) => only(running.schedules, construct, 'schedule'),
    function: async (construct) => functionFor(functions, provisioned.functionAt(construct, stack)),
  };
}
