import { type Outcome, type Sandbox, startSandbox } from './sandbox.ts';
import { REGION } from './template.ts';

export type { Outcome } from './sandbox.ts';

export interface FunctionDefinition {
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
  /** How many sandboxes it may have at once; further invocations wait. */
  readonly maxSandboxes: number;
  /** In place of its code: what an invocation returns. It runs in no sandbox. */
  readonly stub?: (event: unknown) => unknown;
}

export interface LambdaOptions {
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
  readonly onEnd?: (invocation: Invocation, outcome: Outcome) => void;
}

/** One function, as its invokers see it. */
export interface LocalFunction {
  readonly name: string;
  /** @param qualifier the alias or the version by which it is invoked */
  invoke(event: unknown, qualifier?: string): Promise<Outcome>;
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
  /** Kills every sandbox, frozen ones too. Invocations end as crashed; later ones fail. */
  stop(): void;
}

/** The service from the inside of this file. */
interface Service {
  readonly options: LambdaOptions;
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

export function createLambda(options: LambdaOptions = {}): LambdaLocal {
  const stats = { started: 0, killed: 0, timedOut: 0, invocations: 0, busy: 0 };
  const service: Service = { options, alive: new Map(), stats, stopped: false };
  return {
    createFunction(definition) {
      const state: FunctionState = { service, definition, warm: [], waiting: [], seats: 0 };
      return {
        name: definition.name,
        invoke: (event, qualifier) => invoke(state, event, qualifier),
        deploy: (change) => deploy(state, change),
      };
    },
    kill: (id) => kill(service, id),
    stall: (id, forMs) => service.alive.get(id)?.stall(forMs) ?? false,
    stats,
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

async function invoke(state: FunctionState, event: unknown, qualifier: string | undefined): Promise<Outcome> {
  const { service } = state;
  await takeSeat(state);
  if (service.stopped) throw new Error('The Lambda stand-in was stopped.');
  service.stats.invocations += 1;
  service.stats.busy += 1;
  const { stub } = state.definition;
  const outcome = await (stub === undefined ? inSandbox(state, event, qualifier) : inStub(state, stub, event));
  service.stats.busy -= 1;
  if (outcome.kind === 'timed-out') service.stats.timedOut += 1;
  giveSeatUp(state);
  return outcome;
}

/** Runs an invocation, and shows it to those who watch. */
async function watched(
  { service: { options }, definition: { name, construct = name } }: FunctionState,
  given: Omit<Invocation, 'construct'>,
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  const invocation = { ...given, construct };
  options.watch?.onBegin?.(invocation);
  const outcome = await run();
  options.watch?.onEnd?.(invocation, outcome);
  return outcome;
}

async function inSandbox(state: FunctionState, event: unknown, qualifier: string | undefined): Promise<Outcome> {
  const { definition } = state;
  const sandbox = takeWarm(state) ?? startFor(state);
  const outcome = await watched(state, { sandbox: sandbox.id, event }, () => sandbox.invoke(event, qualifier));
  if (sandbox.dead) forget(state, sandbox);
  else if (state.definition === definition) state.warm.push(sandbox);
  else retire(state, sandbox);
  return outcome;
}

function inStub(state: FunctionState, stub: (event: unknown) => unknown, event: unknown): Promise<Outcome> {
  return watched(state, { sandbox: '', event }, async () => {
    try {
      const value = await stub(event);
      return { kind: 'response', value: value === undefined ? null : value };
    } catch (thrown) {
      const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
      return { kind: 'error', error: { name, message } };
    }
  });
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

function startFor({ service, definition }: FunctionState): Sandbox {
  const { options, stats } = service;
  stats.started += 1;
  // Local servers tell sandboxes apart by the access key in the signature: every AWS request carries it.
  const id = `SANDBOX${String(stats.started).padStart(4, '0')}`;
  const sandbox = startSandbox({
    id,
    timeoutMs: definition.timeoutMs,
    onLog: (line) => options.onLog?.(line, id),
    environment: {
      ...options.environment,
      ...definition.environment,
      _HANDLER: definition.handler,
      LAMBDA_TASK_ROOT: definition.folder,
      NODE_OPTIONS: '--enable-source-maps',
      AWS_REGION: REGION,
      AWS_DEFAULT_REGION: REGION,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      TZ: ':UTC',
      AWS_ACCESS_KEY_ID: id,
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_LAMBDA_FUNCTION_NAME: definition.name,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMb ?? 128),
    },
  });
  service.alive.set(id, sandbox);
  return sandbox;
}
