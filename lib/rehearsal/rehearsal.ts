import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { allOrNothing } from './engine/all-or-nothing.ts';
import { type Assembly, type CdkApp, copyAssembly, type SynthesizedApp, synthesize } from './engine/app/synthesize.ts';
import { deploy, type NextVersion } from './engine/deploy.ts';
import { createDestinations } from './engine/destinations.ts';
import type { HttpServer } from './engine/http.ts';
import { createAsynchronous } from './engine/lambda/asynchronous.ts';
import { type Functions, type FunctionsOptions, functionFor } from './engine/lambda/functions.ts';
import {
  createLambda,
  type InvocationWatch,
  type LambdaLocal,
  type LambdaStats,
  type LocalFunction,
} from './engine/lambda/lambda.ts';
import { createMachine, type Machine } from './engine/machine.ts';
import type { NotRun } from './engine/not-run.ts';
import { type Finders, findersOf, itemsOf } from './engine/parts.ts';
import { provision } from './engine/provision.ts';
import type { ProvisionOptions } from './engine/provisioned.ts';
import { createDoors } from './engine/servers/doors.ts';
import type { DynamoDbLocal } from './engine/servers/dynamodb-local.ts';
import { type Servers, startServers } from './engine/servers/servers.ts';
import type { SqsLocal } from './engine/servers/sqs-local.ts';
import type { OnCarriedOut } from './engine/servers/tap.ts';
import type { RefusedCall } from './engine/servers/unknown-services.ts';
import type { Starting } from './engine/service.ts';
import { startHttpApi } from './services/api/http-api.ts';
import type { RehearsedApi } from './services/api/index.ts';
import type { ProvisionedTable } from './services/dynamodb/create-tables.ts';
import { hasTables } from './services/dynamodb/index.ts';
import { type AppPart, type EndpointName, endpoints, type RehearsalFaults, services } from './services/registry.ts';
import { startClock } from './services/schedules/schedules.ts';
import type { Poller } from './services/sqs/consumers.ts';
import type { ProvisionedQueue } from './services/sqs/create-queues.ts';
import type { StreamConsumer } from './services/streams/consumers.ts';

export { RefusedAppError } from './engine/not-run.ts';

export type { RehearsalFaults } from './services/registry.ts';
export type { Poller } from './services/sqs/consumers.ts';

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
  /**
   * How much faster than a clock the schedules with a rate run: with 60, `rate(5 minutes)` runs every five seconds.
   *
   * @default schedules run when a caller runs them
   */
  readonly clockSpeed?: number;
  /** A DynamoDB Local that runs already, and goes on afterwards. Its tables are deleted. @default one that is started, and ends with the rest */
  readonly dynamoDb?: Pick<DynamoDbLocal, 'endpoint'> | undefined;
  /** Says how much time the machine gave. @default what this machine says */
  readonly machine?: Machine;
  /** Sees every invocation. */
  readonly watch?: InvocationWatch;
  /** Gets every line that a sandbox prints. */
  readonly onLog?: (line: string, sandbox: string) => void;
  /** Gets a few words about each thing that is being started. */
  readonly onStarting?: (what: string) => void;
}

type Endpoints = Servers<EndpointName>['quiet'];

/** What is found by its construct: the name of a table, the server of an API, and each of the others itself. */
interface Parts extends Finders<AppPart> {
  /** A function, to be invoked. */
  function(construct: string): Promise<LocalFunction>;
}

/** One stack of the app. A construct is named by its path, of which parts at the beginning and at the end may be left out. */
export interface RehearsedStack extends Parts {
  readonly name: string;
  readonly consumers: readonly Poller[];
  readonly streamConsumers: readonly StreamConsumer[];
  readonly queues: readonly ProvisionedQueue[];
  readonly tables: readonly ProvisionedTable[];
  readonly apis: readonly RehearsedApi[];
}

/** An app that runs. A construct may be asked for without its stack, if it is the only one in the app. */
export interface Rehearsal extends Parts, AsyncDisposable {
  readonly stacks: readonly RehearsedStack[];
  /** @param name of the stack, or its id or path in the app @throws Error if the app has no such stack */
  stack(name: string): RehearsedStack;
  /** What of the app is not run: resources, and properties of resources that are run. */
  readonly notRun: readonly NotRun[];
  /** What functions asked of services of AWS that a rehearsal does not have. Each of these calls was refused. */
  refusedCalls(): readonly RefusedCall[];
  /** The addresses of other machines that functions asked for, and how often. None was reached. */
  refusedAddresses(): ReadonlyMap<string, number>;
  /** How many events of topics, buckets and schedules their functions have not done with. */
  pendingEvents(): number;
  /** Where the servers are, past all faults. */
  readonly endpoints: Endpoints;
  /** Where functions find the servers: what is asked here meets the faults. */
  readonly tapped: Endpoints;
  /** Talks to DynamoDB itself, past all faults. */
  readonly dynamo: DynamoDBClient;
  readonly sqs: SqsLocal;
  readonly sandboxes: LambdaStats;
  /** How much time the machine gave. */
  readonly machine: Machine;
  /** Kills a sandbox, as a host that dies would. Returns false if no sandbox has this id, or it is dead already. */
  kill(sandbox: string): boolean;
  /** Stops a sandbox in the middle of what it does, as a host that hangs would, and lets it go on later. Returns false as `kill` does. */
  stall(sandbox: string, forMs: number): boolean;
  /**
   * Replaces the code of functions in mid-traffic. Invocations that begin from then on run the new code, in new sandboxes; what runs
   * goes on in the old ones. Returns what of the other version is not deployed.
   *
   * @param next another version of the app, or other code for its functions @default the same code again, in new sandboxes
   * @throws Error if the other version does not synthesize, or none of its functions is in this app
   */
  deploy(next?: NextVersion): Promise<readonly NotRun[]>;
  /** Starts a server that hands every request to a function, as a function URL does. It ends with the rehearsal. */
  serve(fn: LocalFunction): Promise<HttpServer>;
  /** Ends all of it. Calling it again does nothing. */
  stop(): Promise<void>;
}

/**
 * Synthesizes a CDK app and runs it on local servers.
 *
 * @throws MissingJavaError if the app has tables, and DynamoDB Local cannot run here
 * @throws MachineTooSlowError if nothing that runs on this machine could be judged
 * @throws RefusedAppError if the app has something without which the verdict of a rehearsal would be wrong
 * @throws Error if the app does not synthesize. What was started by then is stopped
 */
export async function startRehearsal(options: RehearsalOptions): Promise<Rehearsal> {
  const { onStarting = () => undefined, faults = {}, machine = createMachine() } = options;
  await using stopping = new AsyncDisposableStack();
  let lambda: LambdaLocal | undefined;
  let started: Starting | undefined;
  // In a variable of its own: `stopping` is moved to the caller at the end.
  const folders = stopping.use(new AsyncDisposableStack());
  const keep = (made: Assembly) => folders.adopt(made, removeFolder);
  const kill = (sandbox: string) => lambda?.kill(sandbox) ?? false;
  const doors = createDoors(stopping);
  onStarting('synthesizing the CDK app, and starting DynamoDB Local and SQS');
  const assembling = assemblyOf(options).then(keep);
  const [assembly, servers] = await allOrNothing([
    assembling,
    startServers(
      {
        machine,
        endpoints: endpointsOf(() => started),
        hooks: faults,
        kill,
        addressOf: doors.addressOf,
        dynamoDb: options.dynamoDb,
        hasTables: async () => hasTables(await assembling),
      },
      stopping,
    ),
  ]);
  onStarting('creating tables and queues');
  const [provisioned] = await allOrNothing([
    provision(services, assembly, servers, { ...options, addressOf: doors.addressOf }),
    machine.calibrate(),
  ]);
  lambda = createLambda({
    compiled: join(assembly.folder, 'compiled'),
    machine,
    ...(options.onLog ? { onLog: options.onLog } : {}),
    ...(options.watch ? { watch: options.watch } : {}),
    environment: { AWS_ENDPOINT_URL: servers.unknown.server.endpoint, ...endpointVariables(options, servers) },
  });
  const functions: Functions = { lambda, options, scratch: assembly.folder, created: new Map() };
  const destinations = createDestinations(services, servers, (arn, event) => {
    const target = provisioned.functionOf(arn);
    if (target !== undefined) asynchronous.invoke(target, event);
  });
  const asynchronous = createAsynchronous({ destinations, functionFor: (fn) => functionFor(functions, fn) });
  const sources: Starting['sources'] = [asynchronous];
  const starting: Starting = {
    ...{ services: services, machine, options, keep, servers, lambda, functions, doors },
    ...{ destinations, asynchronous, provisioned, sources },
  };
  stopping.defer(() => stopFunctions(starting));
  started = starting;
  const parts = [...provisioned.parts];
  for (const { start } of provisioned.made) parts.push(...((await start?.(starting, faults)) ?? []));
  if (options.clockSpeed !== undefined) sources.push(startClock(itemsOf(parts, 'schedule'), options.clockSpeed));
  return rehearsalOf(starting, { servers, parts }, stopping.move());
}

function endpointsOf(started: () => Starting | undefined) {
  return endpoints.map(({ onCarriedOut, ...rest }) => {
    if (onCarriedOut === undefined) return rest;
    const carriedOut: OnCarriedOut = async (...request) => {
      const at = started();
      if (at !== undefined) await onCarriedOut(at, ...request);
    };
    return { ...rest, onCarriedOut: carriedOut };
  });
}

function assemblyOf({ app, context }: RehearsalOptions): Promise<Assembly> {
  return 'assembly' in app ? copyAssembly(app.assembly) : synthesize(app, context);
}

function removeFolder({ folder }: Assembly): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

function endpointVariables({ endpoints }: RehearsalOptions, { tapped }: Servers): Readonly<Record<string, string>> {
  const ours = Object.entries(tapped).map(([name, url]) => [name.toUpperCase(), url] as const);
  const all = [...Object.entries(endpoints ?? {}), ...ours];
  return Object.fromEntries(all.map(([name, url]) => [`AWS_ENDPOINT_URL_${name}`, url]));
}

/** How long what was being handled may take to end. Its sandboxes are dead by then. */
const lastBatchesMs = 3_000;

/** All at once: an event source waits for its invocations, and one that is not stopping would try again without a function. */
async function stopFunctions({ lambda, sources }: Starting): Promise<void> {
  lambda.stop();
  // A stub may never settle, and what waits for it would wait for ever.
  await Promise.race([
    Promise.all(sources.map((source) => source.stop())),
    sleep(lastBatchesMs, undefined, { ref: false }),
  ]);
}

interface Running {
  readonly servers: Servers<EndpointName>;
  readonly parts: readonly AppPart[];
}

function rehearsalOf(starting: Starting, { servers, parts }: Running, stopping: AsyncDisposableStack): Rehearsal {
  const { machine, lambda, provisioned, functions, asynchronous } = starting;
  const stop = () => stopping.disposeAsync();
  const partsOf = (stack?: string): Parts => ({
    ...findersOf(services, parts, stack),
    function: async (construct) => functionFor(functions, provisioned.functionAt(construct, stack)),
  });
  const stacks = provisioned.stacks.map(({ name }) => {
    const here = parts.filter(({ item }) => item.stack === name);
    return {
      name,
      consumers: itemsOf(here, 'consumer'),
      streamConsumers: itemsOf(here, 'streamConsumer'),
      queues: itemsOf(here, 'queue'),
      tables: itemsOf(here, 'table'),
      apis: itemsOf(here, 'api'),
      ...partsOf(name),
    };
  });
  return {
    ...partsOf(),
    stacks,
    stack(wanted) {
      const named = provisioned.stacks.find(({ names }) => names.includes(wanted))?.name;
      const found = stacks.find(({ name }) => name === named);
      if (found !== undefined) return found;
      throw new Error(`The app has no stack ${wanted}. It has: ${stacks.map(({ name }) => name).join(', ')}.`);
    },
    notRun: provisioned.notRun,
    refusedCalls: () => servers.unknown.refused(),
    refusedAddresses: () => lambda.refused,
    pendingEvents: () => asynchronous.pending,
    endpoints: servers.quiet,
    tapped: servers.tapped,
    dynamo: servers.dynamo,
    sqs: servers.sqs,
    sandboxes: lambda.stats,
    machine,
    kill: (sandbox) => lambda.kill(sandbox),
    stall: (sandbox, forMs) => lambda.stall(sandbox, forMs),
    deploy: (next) => deploy(starting, next),
    serve: async ({ invoke }) =>
      stopping.adopt(await startHttpApi([{ key: '$default', invoke }]), (server) => server.stop()),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
