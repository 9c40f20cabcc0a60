import { rm } from 'node:fs/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { allOrNothing } from './all-or-nothing.ts';
import { onlyAt } from './constructs.ts';
import { createDoors } from './doors.ts';
import { type DeliveryFaults, startEventSource } from './event-source.ts';
import { type FunctionPlace, type Functions, type FunctionsOptions, functionFor } from './functions.ts';
import type { HttpServer } from './http.ts';
import { type HttpRoute, startHttpApi } from './http-api.ts';
import { requireJava } from './java.ts';
import { createLambda, type LambdaLocal, type LambdaStats, type LocalFunction } from './lambda.ts';
import type { NotRun } from './not-run.ts';
import type { Consumer, Parts, StreamConsumer } from './parts.ts';
import {
  type Provisioned,
  type ProvisionedApi,
  type ProvisionedEventSource,
  type ProvisionOptions,
  provision,
} from './provision.ts';
import type { InStack } from './provisioned.ts';
import { type Servers, startServers } from './servers.ts';
import type { SqsLocal } from './sqs-local.ts';
import { type Assembly, type CdkApp, copyAssembly, type SynthesizedApp, synthesize } from './synthesize.ts';
import type { TapHooks } from './tap.ts';

export type { NotRun, Stub } from './not-run.ts';
export { RefusedAppError } from './not-run.ts';
export type * from './parts.ts';

/*
 * A CDK app on this machine, on real parts.
 *
 * Owns: the life of all parts. It synthesizes the app, creates the tables and queues of every stack, starts an event source for each
 * mapping and a server for each HTTP API, and ends all of them.
 * Does not own: what the app is about, and the services that are not AWS's. Their endpoints come in by `context` and `endpoints`,
 * and what goes wrong by `faults`.
 */

export interface RehearsalOptions extends FunctionsOptions, Omit<ProvisionOptions, 'addressOf'> {
  /** The app, or the folder of its cloud assembly. */
  readonly app: CdkApp | SynthesizedApp;
  /** The context to synthesize the app with: the endpoints of its providers, for example. */
  readonly context?: Readonly<Record<string, unknown>>;
  /**
   * Where functions find a service of AWS that has no stand-in here, by the name that the SDK gives it in `AWS_ENDPOINT_URL_…`.
   * @example { SESV2: 'http://127.0.0.1:4001' }
   */
  readonly endpoints?: Readonly<Record<string, string>>;
  /** What goes wrong, and where. @default nothing */
  readonly faults?: RehearsalFaults;
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

/** One stack of the app. A construct is named by its path, of which parts at the beginning and at the end may be left out. */
export interface RehearsedStack extends Parts {
  readonly name: string;
  readonly consumers: readonly Consumer[];
  readonly streamConsumers: readonly StreamConsumer[];
}

/** An app that runs. A construct may be asked for without its stack, if it is the only one in the app. */
export interface Rehearsal extends Parts, AsyncDisposable {
  readonly stacks: readonly RehearsedStack[];
  /** @param name of the stack, or its id or path in the app @throws Error if the app has no such stack */
  stack(name: string): RehearsedStack;
  /** What of the app is not run: resources, and properties of resources that are run. */
  readonly notRun: readonly NotRun[];
  /** Talks to DynamoDB itself, past all faults. */
  readonly dynamo: DynamoDBClient;
  readonly sqs: SqsLocal;
  readonly sandboxes: LambdaStats;
  /** Kills a sandbox, as a host that dies would. Returns false if no sandbox has this id, or it is dead already. */
  kill(sandbox: string): boolean;
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
  readonly sources: Stoppable[];
  /** What is to be stopped. */
  readonly stopping: AsyncDisposableStack;
}

interface Stoppable {
  stop(): Promise<void>;
}

/** What runs, by its kind. */
interface Running {
  readonly provisioned: Provisioned;
  readonly consumers: readonly Consumer[];
  readonly streamConsumers: readonly StreamConsumer[];
  readonly apis: readonly (ProvisionedApi & { readonly server: HttpServer })[];
}

/**
 * Synthesizes a CDK app and runs it on local servers.
 *
 * @throws MissingJavaError if DynamoDB Local cannot run here
 * @throws RefusedAppError if the app has something without which the verdict of a rehearsal would be wrong
 * @throws Error if the app does not synthesize. What was started by then is stopped
 */
export async function startRehearsal(options: RehearsalOptions): Promise<Rehearsal> {
  const { onStarting = () => undefined, faults = {} } = options;
  await requireJava();
  await using stopping = new AsyncDisposableStack();
  let lambda: LambdaLocal | undefined;
  const kill = (sandbox: string) => lambda?.kill(sandbox) ?? false;
  onStarting('synthesizing the CDK app, and starting DynamoDB Local and SQS');
  const [assembly, servers] = await allOrNothing([
    assemblyOf(options).then((made) =>
      stopping.adopt(made, ({ folder }) => rm(folder, { recursive: true, force: true })),
    ),
    startServers({ hooks: faults, kill }, stopping),
  ]);
  onStarting('creating tables and queues');
  const doors = createDoors(stopping);
  const provisioned = await provision(assembly, servers, { ...options, addressOf: doors.addressOf });
  lambda = createLambda({
    ...(options.onLog ? { onLog: options.onLog } : {}),
    environment: endpointVariables({
      ...options.endpoints,
      DYNAMODB: servers.tapped.dynamodb,
      SQS: servers.tapped.sqs,
    }),
  });
  const functions: Functions = { lambda, options, scratch: assembly.folder, created: new Map() };
  const starting: Starting = { options, servers, lambda, functions, sources: [], stopping };
  stopping.defer(() => stopFunctions(starting));
  const consumers: Consumer[] = [];
  for (const mapping of provisioned.eventSources) {
    consumers.push(await startConsumer(starting, provisioned, mapping));
  }
  const apis = await Promise.all(
    provisioned.apis.map(async (api) => ({ ...api, server: doors.open(api.host, await routesOf(starting, api)) })),
  );
  return rehearsalOf(starting, { provisioned, consumers, streamConsumers: [], apis }, stopping.move());
}

function assemblyOf({ app, context }: RehearsalOptions): Promise<Assembly> {
  return 'assembly' in app ? copyAssembly(app.assembly) : synthesize(app, context);
}

function endpointVariables(endpoints: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(endpoints).map(([name, url]) => [`AWS_ENDPOINT_URL_${name}`, url]));
}

/** All at once: an event source waits for its invocations, and one that is not stopping would try again without a function. */
async function stopFunctions({ lambda, sources }: Starting): Promise<void> {
  lambda.stop();
  await Promise.all(sources.map((source) => source.stop()));
}

async function startConsumer(
  { options, servers, functions, sources }: Starting,
  { queues }: Provisioned,
  mapping: ProvisionedEventSource,
): Promise<Consumer> {
  const { stack, logicalId, construct, queue, qualifier, maximumConcurrency } = mapping;
  const fn = await functionFor(functions, mapping.function);
  const faults = options.faults?.delivery?.({ stack, construct });
  const source = startEventSource({
    ...mapping,
    client: servers.sqs.client,
    invoke: (event) => fn.invoke(event, qualifier),
    concurrency: mapping.enabled ? Math.min(fn.maxSandboxes, maximumConcurrency ?? fn.maxSandboxes) : 0,
    ...(faults ? { faults } : {}),
  });
  sources.push(source);
  const deadLetterQueue = queues.find(({ arn }) => arn === queue.deadLetterArn);
  return { stack, logicalId, construct, queue, deadLetterQueue, function: fn, stats: source.stats };
}

async function routesOf({ functions }: Starting, { routes }: ProvisionedApi): Promise<readonly HttpRoute[]> {
  return Promise.all(
    routes.map(async ({ key, target }): Promise<HttpRoute> => {
      const fn = target && (await functionFor(functions, target.function));
      return { key, ...(fn ? { invoke: (event) => fn.invoke(event, target.qualifier) } : {}) };
    }),
  );
}

function rehearsalOf(starting: Starting, running: Running, stopping: AsyncDisposableStack): Rehearsal {
  const { servers, lambda } = starting;
  const { provisioned } = running;
  const stop = () => stopping.disposeAsync();
  const stacks = provisioned.stacks.map(({ name }) => ({
    name,
    consumers: running.consumers.filter(({ stack }) => stack === name),
    streamConsumers: running.streamConsumers.filter(({ stack }) => stack === name),
    ...partsOf(starting, running, name),
  }));
  return {
    ...partsOf(starting, running),
    stacks,
    stack(wanted) {
      const named = provisioned.stacks.find(({ names }) => names.includes(wanted))?.name;
      const found = stacks.find(({ name }) => name === named);
      if (found !== undefined) return found;
      throw new Error(`The app has no stack ${wanted}. It has: ${stacks.map(({ name }) => name).join(', ')}.`);
    },
    notRun: provisioned.notRun,
    dynamo: servers.dynamo,
    sqs: servers.sqs,
    sandboxes: lambda.stats,
    kill: (sandbox) => lambda.kill(sandbox),
    serve: async ({ invoke }) =>
      stopping.adopt(await startHttpApi([{ key: '$default', invoke }]), (server) => server.stop()),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Finds the parts of one stack, or of the whole app. */
function partsOf({ functions }: Starting, running: Running, stack?: string): Parts {
  const { provisioned } = running;
  const only = <Item extends InStack>(items: readonly Item[], construct: string, kind: string): Item => {
    const here = items.filter((item) => stack === undefined || item.stack === stack);
    return onlyAt(here, construct, kind, stack === undefined ? 'app' : 'stack');
  };
  return {
    table: (construct) => only(provisioned.tables, construct, 'table').name,
    queue: (construct) => only(provisioned.queues, construct, 'queue'),
    consumer: (construct) => only(running.consumers, construct, 'consumer'),
    streamConsumer: (construct) => only(running.streamConsumers, construct, 'consumer of a stream'),
    api: (construct) => {
      const apis = running.apis.filter(({ kind }) => kind !== 'function-url');
      return only(apis, construct, 'HTTP API').server;
    },
    functionUrl: (construct) => {
      const urls = running.apis.filter(({ kind }) => kind === 'function-url');
      return only(urls, construct, 'function URL').server;
    },
    topic: (construct) => only([], construct, 'topic'),
    bucket: (construct) => only([], construct, 'bucket'),
    schedule: (construct) => only([], construct, 'schedule'),
    function: async (construct) => functionFor(functions, provisioned.functionAt(construct, stack)),
  };
}
