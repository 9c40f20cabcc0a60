import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rehearsedRegion } from '../app/template.ts';
import { createMachine, type Machine, type Measure } from '../machine.ts';
import { ownAddresses } from './callers.ts';
import { type Circumstances, type Invoked, type Outcome, type Sandbox, startSandbox } from './sandbox.ts';
import type { StubInvoke } from './stub.ts';

export type { Circumstances, Outcome } from './sandbox.ts';

interface FunctionDefinition {
  readonly name: string;
  /** The path of its construct, for those who watch. @default its name */
  readonly construct?: string;
  /** The folder of its bundle. */
  readonly folder: string;
  /** `file.export`, as Lambda has it. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly memoryMb?: number;
  /** Lambda's runtime for it: 22 of `nodejs22.x`. @default the newest */
  readonly node?: number;
  /** How many sandboxes it may have at once; further invocations wait. */
  readonly maxSandboxes: number;
  /** In place of its code: what an invocation returns. It runs in no sandbox. */
  readonly stub?: StubInvoke;
}

export interface LambdaOptions {
  /** Says how much time the machine gave. @default what this machine says */
  readonly machine?: Machine;
  /** A folder for what Node has compiled of a function, so that only its first sandbox compiles it. @default each does */
  readonly compiled?: string;
  /** Given to every sandbox, e.g. where the local servers are. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly onLog?: (line: string, sandbox: string) => void;
  readonly watch?: InvocationWatch;
}

/** One invocation, on its way into a sandbox. */
export interface Invocation {
  /** Empty for a stub, which runs in none. */
  readonly sandbox: string;
  /** The path of the function's construct. */
  readonly construct: string;
  readonly event: unknown;
}

/** Sees every invocation of every function. */
export interface InvocationWatch {
  readonly onBegin?: (invocation: Invocation) => void;
  readonly onEnd?: (invocation: Invocation, outcome: Outcome, circumstances: Circumstances) => void;
}

/** One function, as its invokers see it. */
export interface LocalFunction {
  readonly name: string;
  /**
   * @param qualifier the alias or the version by which it is invoked
   * @param measure of the time that the machine takes away from the caller; it follows the sandbox from then on. @default one of its own
   */
  invoke(event: unknown, qualifier?: string, measure?: Measure): Promise<Outcome>;
  /**
   * Deploys other code, or the same again: invocations from now on get new sandboxes. Those that are under way end in their old ones.
   *
   * @param change what is new of it @default nothing
   */
  deploy(change?: Partial<FunctionDefinition>): void;
}

export interface LambdaStats {
  readonly started: number;
  /** Killed through `kill`, while alive. */
  readonly killed: number;
  readonly timedOut: number;
  readonly invocations: number;
  /** Sandboxes that are handling an invocation right now. */
  readonly busy: number;
}

/** A stand-in for the Lambda service: functions in sandboxes, each a process of its own. */
export interface LambdaLocal {
  createFunction(definition: FunctionDefinition): LocalFunction;
  /** Kills a sandbox now, as a host that dies would. Returns false if no sandbox has this id, or it is dead already. */
  kill(sandbox: string): boolean;
  /** Stops a sandbox in the middle of what it does, and lets it go on later. Returns false if no sandbox has this id, or it is dead already. */
  stall(sandbox: string, forMs: number): boolean;
  readonly stats: LambdaStats;
  /** The addresses of other machines that functions asked for, and how often. None was reached. */
  readonly refused: ReadonlyMap<string, number>;
  /** Kills every sandbox, frozen ones too. Invocations end as crashed; later ones fail. */
  stop(): void;
}

/** Keeps a sandbox from reaching another machine. Required and not imported: a worker gets what is required. In the package it is JavaScript, as this file is. */
const netGuard = fileURLToPath(new URL(`./sandbox-net${extname(import.meta.url)}`, import.meta.url));

/** How long loading a handler may take. Lambda has the same limit, outside the function's own timeout. */
const initTimeoutMs = 10_000;

/** The service from the inside of this file. */
interface Service {
  readonly options: LambdaOptions;
  readonly machine: Machine;
  readonly refused: Map<string, number>;
  /** Every sandbox that may still run, by its id. */
  readonly alive: Map<string, Sandbox>;
  readonly stats: { started: number; killed: number; timedOut: number; invocations: number; busy: number };
  stopped: boolean;
}

/** One function: at most `maxSandboxes` invocations have a seat, the others wait in line. */
interface FunctionState {
  readonly service: Service;
  definition: FunctionDefinition;
  /** Frozen sandboxes, the one that was used last at the end. */
  readonly warm: Sandbox[];
  readonly waiting: (() => void)[];
  seats: number;
}

const stopped = 'The Lambda stand-in was stopped.';

export function createLambda(options: LambdaOptions = {}): LambdaLocal {
  const stats = { started: 0, killed: 0, timedOut: 0, invocations: 0, busy: 0 };
  const { machine = createMachine() } = options;
  const service: Service = { options, machine, refused: new Map(), alive: new Map(), stats, stopped: false };
  return {
    createFunction(definition) {
      const state: FunctionState = { service, definition, warm: [], waiting: [], seats: 0 };
      return {
        name: definition.name,
        invoke: (...given) => invoke(state, ...given),
        deploy: (change) => deploy(state, change),
      };
    },
    kill: (id) => kill(service, id),
    stall: (id, forMs) => service.alive.get(id)?.stall(forMs) ?? false,
    stats,
    refused: service.refused,
    stop() {
      service.stopped = true;
      for (const sandbox of service.alive.values()) sandbox.kill();
    },
  };
}

function kill({ alive, stats }: Service, id: string): boolean {
  const killed = alive.get(id)?.kill() ?? false;
  if (killed) stats.killed += 1;
  return killed;
}

async function invoke(state: FunctionState, event: unknown, qualifier?: string, measure?: Measure): Promise<Outcome> {
  const { service } = state;
  await takeSeat(state);
  if (service.stopped) throw new Error(stopped);
  service.stats.invocations += 1;
  service.stats.busy += 1;
  const { stub } = state.definition;
  const outcome = await (stub === undefined ? inSandbox(state, event, qualifier, measure) : inStub(state, stub, event));
  service.stats.busy -= 1;
  if (outcome.kind === 'timed-out') service.stats.timedOut += 1;
  giveSeatUp(state);
  return outcome;
}

/** Runs an invocation, and shows it to those who watch. */
async function watched(
  { service: { options }, definition: { name, construct = name } }: FunctionState,
  given: Omit<Invocation, 'construct'>,
  run: () => Promise<Invoked>,
): Promise<Outcome> {
  const invocation = { ...given, construct };
  options.watch?.onBegin?.(invocation);
  const { outcome, circumstances } = await run();
  options.watch?.onEnd?.(invocation, outcome, circumstances);
  return outcome;
}

async function inSandbox(
  state: FunctionState,
  event: unknown,
  qualifier: string | undefined,
  given: Measure | undefined,
): Promise<Outcome> {
  const { definition, service } = state;
  const measure = given ?? service.machine.measure();
  const sandbox = takeWarm(state) ?? (await startFor(state, measure));
  const outcome = await watched(state, { sandbox: sandbox.id, event }, () => sandbox.invoke(event, measure, qualifier));
  measure.follow(undefined);
  if (given === undefined) measure.end();
  if (sandbox.dead) forget(state, sandbox);
  else if (state.definition === definition) state.warm.push(sandbox);
  else retire(state, sandbox);
  return outcome;
}

/** A stub runs in no sandbox: nothing is done to it. */
const circumstancesInStub: Circumstances = { killed: false, loaded: true, spoke: false, machine: 'gave' };

function inStub(state: FunctionState, stub: StubInvoke, event: unknown): Promise<Outcome> {
  const { definition } = state;
  const environment = environmentOf(state, 'STUB');
  return watched(state, { sandbox: '', event }, async () => ({
    outcome: await stub({ event, environment, timeoutMs: definition.timeoutMs }),
    circumstances: circumstancesInStub,
  }));
}

/** A definition of its own for each deployment: a sandbox of an earlier one is not used again. */
function deploy(state: FunctionState, change: Partial<FunctionDefinition> = {}): void {
  state.definition = { ...state.definition, ...change };
  for (const sandbox of state.warm.splice(0)) retire(state, sandbox);
}

/** Ends a sandbox with old code. No fault did it, so it does not count as killed. */
function retire(state: FunctionState, sandbox: Sandbox): void {
  sandbox.kill();
  forget(state, sandbox);
}

/** A sandbox that is stalled has an end to come, and must be found when all is stopped. */
function forget({ service }: FunctionState, sandbox: Sandbox): void {
  if (!sandbox.stalled) service.alive.delete(sandbox.id);
}

async function takeSeat(state: FunctionState): Promise<void> {
  if (state.seats < state.definition.maxSandboxes) state.seats += 1;
  else await new Promise<void>((resolve) => state.waiting.push(resolve));
}

/** The seat goes to the next in line: if it were free for a moment, an invocation that arrives then would exceed the limit. */
function giveSeatUp(state: FunctionState): void {
  const next = state.waiting.shift();
  if (next === undefined) state.seats -= 1;
  else next();
}

function takeWarm(state: FunctionState): Sandbox | undefined {
  for (;;) {
    const sandbox = state.warm.pop();
    if (sandbox === undefined || !sandbox.dead) return sandbox;
    forget(state, sandbox);
  }
}

async function startFor(state: FunctionState, measure: Measure): Promise<Sandbox> {
  const { service, definition } = state;
  const { options, stats, machine } = service;
  stats.started += 1;
  const id = `SANDBOX${String(stats.started).padStart(4, '0')}`;
  const { environment, release } = await ownAddresses(id, environmentOf(state, id));
  if (service.stopped) {
    release();
    throw new Error(stopped);
  }
  const sandbox = startSandbox({
    id,
    timeoutMs: definition.timeoutMs,
    initMs: initTimeoutMs * machine.slowness(),
    measure,
    onLog: (line) => options.onLog?.(line, id),
    onEnded: release,
    onRefused: (address) => service.refused.set(address, (service.refused.get(address) ?? 0) + 1),
    environment: {
      ...environment,
      _HANDLER: definition.handler,
      ...(definition.node === undefined ? {} : { PAWL_RUNTIME_OF_NODE: String(definition.node) }),
      LAMBDA_TASK_ROOT: definition.folder,
      ...(options.compiled === undefined ? {} : { NODE_COMPILE_CACHE: options.compiled }),
      NODE_OPTIONS: `--enable-source-maps --require=${JSON.stringify(netGuard)}`,
    },
  });
  service.alive.set(id, sandbox);
  return sandbox;
}

/** What a function finds in its environment. Local servers tell sandboxes apart by the access key. */
function environmentOf({ service, definition }: FunctionState, id: string): Readonly<Record<string, string>> {
  return {
    ...service.options.environment,
    ...definition.environment,
    AWS_REGION: rehearsedRegion,
    AWS_DEFAULT_REGION: rehearsedRegion,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    TZ: ':UTC',
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_LAMBDA_FUNCTION_NAME: definition.name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMb ?? 128),
  };
}
