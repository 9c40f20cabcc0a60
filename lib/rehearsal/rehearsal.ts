import { rm } from 'node:fs/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { allOrNothing } from './all-or-nothing.ts';
import { type AtConstruct, onlyAt } from './constructs.ts';
import type { DynamoDbLocal } from './dynamodb-local.ts';
import { type DeliveryFaults, type EventSource, type EventSourceStats, startEventSource } from './event-source.ts';
import { type FunctionPlace, type Functions, type FunctionsOptions, functionFor } from './functions.ts';
import type { HttpServer } from './http.ts';
import { startHttpApi } from './http-api.ts';
import { requireJava } from './java.ts';
import {
  createLambda,
  type InvocationWatch,
  type LambdaLocal,
  type LambdaStats,
  type LocalFunction,
} from './lambda.ts';
import {
  type Provisioned,
  type ProvisionedApi,
  type ProvisionedEventSource,
  type ProvisionedQueue,
  type ProvisionedTable,
  provision,
} from './provision.ts';
import { type Servers, startServers } from './servers.ts';
import type { SqsLocal } from './sqs-local.ts';
import { type CdkApp, type Synthesized, synthesize } from './synthesize.ts';
import type { TapHooks } from './tap.ts';

/*
 * A CDK app on this machine, on real parts.
 *
 * Owns: the life of all parts. It synthesizes the app, creates the tables and queues of every stack, starts an event source for each
 * mapping and a server for each HTTP API, and ends all of them.
 * Does not own: what the app is about, and the services that are not AWS's. Their endpoints come in by `context` and `endpoints`,
 * and what goes wrong by `faults`.
 */

export interface RehearsalOptions extends FunctionsOptions {
  readonly app: CdkApp;
  /** The context to synthesize the app with: the endpoints of its providers, for example. */
  readonly context?: Readonly<Record<string, unknown>>;
  /**
   * Where functions find a service of AWS that has no stand-in here, by the name that the SDK gives it in `AWS_ENDPOINT_URL_…`.
   * @example { SESV2: 'http://127.0.0.1:4001' }
   */
  readonly endpoints?: Readonly<Record<string, string>>;
  /** What goes wrong, and where. @default nothing */
  readonly faults?: RehearsalFaults;
  /** Changes what a stack says before anything is made from it: shorter timeouts, for example. @default nothing is changed */
  readonly adjust?: (stack: Synthesized) => Synthesized;
  /** A DynamoDB Local that runs already, and goes on afterwards. Its tables are deleted. @default one that is started, and ends with the rest */
  readonly dynamoDb?: Pick<DynamoDbLocal, 'endpoint'> | undefined;
  /** Sees every invocation. */
  readonly watch?: InvocationWatch;
  /** Gets every line that a sandbox prints. */
  readonly onLog?: (line: string, sandbox: string) => void;
  /** Gets a few words about each thing that is being started. */
  readonly onStarting?: (what: string) => void;
}

export interface RehearsalFaults {
  /** What happens to the requests of functions to DynamoDB. */
  readonly dynamodb?: TapHooks;
  /** What happens to the requests of functions to SQS; not to those that go to the URL of a queue itself. */
  readonly sqs?: TapHooks;
  /** What happens to the messages of a consumer. */
  readonly delivery?: (consumer: FunctionPlace) => DeliveryFaults | undefined;
}

/** A function that a queue feeds. */
export interface Consumer extends AtConstruct {
  /** What its template says. */
  readonly mapping: ProvisionedEventSource;
  readonly queue: ProvisionedQueue;
  readonly deadLetterQueue: ProvisionedQueue | undefined;
  readonly stats: EventSourceStats;
}

export interface RehearsedApi extends AtConstruct {
  readonly server: HttpServer;
}

/** One stack of the app. A construct is named by its path, of which parts at the beginning and at the end may be left out. */
export interface RehearsedStack {
  readonly name: string;
  readonly consumers: readonly Consumer[];
  readonly queues: readonly ProvisionedQueue[];
  readonly tables: readonly ProvisionedTable[];
  readonly apis: readonly RehearsedApi[];
  /** The name of the table of a construct. @throws Error if there is none, or more than one, as for all of these */
  table(construct: string): string;
  queue(construct: string): ProvisionedQueue;
  consumer(construct: string): Consumer;
  /** The server of an HTTP API. */
  api(construct: string): HttpServer;
  /** A function, to be invoked. */
  function(construct: string): Promise<LocalFunction>;
}

/** An app that runs. */
export interface Rehearsal extends AsyncDisposable {
  readonly stacks: readonly RehearsedStack[];
  /** @throws Error if the app has no such stack */
  stack(name: string): RehearsedStack;
  /** Talks to DynamoDB itself, past all faults. */
  readonly dynamo: DynamoDBClient;
  readonly sqs: SqsLocal;
  readonly sandboxes: LambdaStats;
  /** Kills a sandbox, as a host that dies would. Returns false if no sandbox has this id, or it is dead already. */
  kill(sandbox: string): boolean;
  /** Stops a sandbox in the middle of what it does, as a host that hangs would, and lets it go on later. Returns false as `kill` does. */
  stall(sandbox: string, forMs: number): boolean;
  /** Deploys all functions again: in mid-traffic, new invocations get new sandboxes. @param bundleFor the new code @default the same */
  deploy(bundleFor?: NonNullable<FunctionsOptions['bundleFor']>): Promise<void>;
  /** Starts a server that hands every request to a function, as a function URL does. It ends with the rehearsal. */
  serve(fn: LocalFunction): Promise<HttpServer>;
  /** Ends all of it. Calling it again does nothing. */
  stop(): Promise<void>;
}

/** A rehearsal while it is started, and what it stands on. */
interface Starting {
  readonly options: RehearsalOptions;
  readonly servers: Servers;
  readonly lambda: LambdaLocal;
  readonly functions: Functions;
  /** All event sources. They end together. */
  readonly sources: EventSource[];
  /** What is to be stopped. */
  readonly stopping: AsyncDisposableStack;
}

/**
 * Synthesizes a CDK app and runs it on local servers.
 *
 * @throws MissingJavaError if DynamoDB Local cannot run here
 * @throws Error if the app does not synthesize, or has something that a rehearsal does not have. What was started by then is stopped
 */
export async function startRehearsal(options: RehearsalOptions): Promise<Rehearsal> {
  const { onStarting = () => undefined, faults = {} } = options;
  await requireJava();
  await using stopping = new AsyncDisposableStack();
  let lambda: LambdaLocal | undefined;
  const kill = (sandbox: string) => lambda?.kill(sandbox) ?? false;
  onStarting('synthesizing the CDK app, and starting DynamoDB Local and SQS');
  const [assembly, servers] = await allOrNothing([
    synthesize(options.app, options.context).then((made) =>
      stopping.adopt(made, ({ folder }) => rm(folder, { recursive: true, force: true })),
    ),
    startServers({ hooks: faults, kill, dynamoDb: options.dynamoDb }, stopping),
  ]);
  onStarting('creating tables and queues');
  const provisioned = await allOrNothing(
    assembly.stacks.map((stack) => provision(options.adjust?.(stack) ?? stack, servers.dynamo, servers.sqs)),
  );

  lambda = createLambda({
    ...(options.onLog ? { onLog: options.onLog } : {}),
    ...(options.watch ? { watch: options.watch } : {}),
    environment: endpointVariables({
      ...options.endpoints,
      DYNAMODB: servers.tapped.dynamodb,
      SQS: servers.tapped.sqs,
    }),
  });
  const functions: Functions = { lambda, options, created: new Map() };
  const starting: Starting = { options, servers, lambda, functions, sources: [], stopping };
  stopping.defer(() => stopFunctions(starting));
  const stacks: RehearsedStack[] = [];
  for (const stack of provisioned) stacks.push(await startStack(starting, stack));
  return running(starting, stacks, stopping.move());
}

function endpointVariables(endpoints: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(endpoints).map(([name, url]) => [`AWS_ENDPOINT_URL_${name}`, url]));
}

/** All at once: an event source waits for its invocations, and one that is not stopping would try again without a function. */
async function stopFunctions({ lambda, sources }: Starting): Promise<void> {
  lambda.stop();
  await Promise.all(sources.map((source) => source.stop()));
}

async function startStack(starting: Starting, provisioned: Provisioned): Promise<RehearsedStack> {
  const { stackName, tables, queues } = provisioned;
  const consumers: Consumer[] = [];
  for (const mapping of provisioned.eventSources) {
    consumers.push(await startConsumer(starting, provisioned, mapping));
  }
  const apis: RehearsedApi[] = [];
  for (const api of provisioned.apis) apis.push({ ...api, server: await startApi(starting, stackName, api) });
  return {
    name: stackName,
    consumers,
    queues,
    tables,
    apis,
    table: (construct) => onlyAt(tables, construct, 'table').name,
    queue: (construct) => onlyAt(queues, construct, 'queue'),
    consumer: (construct) => onlyAt(consumers, construct, 'consumer'),
    api: (construct) => onlyAt(apis, construct, 'HTTP API').server,
    function: async (construct) => functionFor(starting.functions, stackName, provisioned.functionAt(construct)),
  };
}

async function startConsumer(
  { options, servers, functions, sources }: Starting,
  { stackName, queues }: Provisioned,
  mapping: ProvisionedEventSource,
): Promise<Consumer> {
  const { logicalId, construct, queue, maximumConcurrency } = mapping;
  const fn = await functionFor(functions, stackName, mapping.function);
  const faults = options.faults?.delivery?.({ stack: stackName, construct });
  const source = startEventSource({
    ...mapping,
    client: servers.sqs.client,
    invoke: fn.invoke,
    concurrency: Math.min(fn.maxSandboxes, maximumConcurrency ?? fn.maxSandboxes),
    ...(faults ? { faults } : {}),
  });
  sources.push(source);
  const deadLetterQueue = queues.find(({ arn }) => arn === queue.deadLetterArn);
  return { logicalId, construct, mapping, queue, deadLetterQueue, stats: source.stats };
}

async function startApi({ functions, stopping }: Starting, stack: string, api: ProvisionedApi): Promise<HttpServer> {
  const routes = await Promise.all(
    api.routes.map(async ({ key, function: fn }) => ({
      key,
      invoke: (await functionFor(functions, stack, fn)).invoke,
    })),
  );
  return stopping.adopt(await startHttpApi(routes), (server) => server.stop());
}

function running(
  { servers: { dynamo, sqs }, lambda, functions }: Starting,
  stacks: readonly RehearsedStack[],
  stopping: AsyncDisposableStack,
): Rehearsal {
  const stop = () => stopping.disposeAsync();
  return {
    stacks,
    stack(name) {
      const found = stacks.find((stack) => stack.name === name);
      if (found !== undefined) return found;
      throw new Error(`The app has no stack ${name}. It has: ${stacks.map((stack) => stack.name).join(', ')}.`);
    },
    dynamo,
    sqs,
    sandboxes: lambda.stats,
    kill: (sandbox) => lambda.kill(sandbox),
    stall: (sandbox, forMs) => lambda.stall(sandbox, forMs),
    async deploy(bundleFor) {
      for (const created of functions.created.values()) {
        const fn = await created;
        fn.deploy(await bundleFor?.(fn.place));
      }
    },
    serve: async ({ invoke }) =>
      stopping.adopt(await startHttpApi([{ key: '$default', invoke }]), (server) => server.stop()),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
