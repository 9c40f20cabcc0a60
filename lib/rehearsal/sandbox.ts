import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { killWithUs } from './children.ts';

/** What happened to one invocation, as the service sees it. */
export type Outcome =
  | { readonly kind: 'response'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: { readonly name: string; readonly message: string } }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'crashed' };

/** A call on its way into a sandbox. The event is JSON: by reference, a handler could change the event of a later delivery. */
export interface ToSandbox {
  readonly requestId: string;
  readonly event: string;
  /** When the invocation ends, in epoch milliseconds. */
  readonly deadline: number;
  /** The alias or the version by which the function was invoked. */
  readonly qualifier?: string;
}

export type FromSandbox =
  | { readonly kind: 'ready' }
  | { readonly kind: 'response'; readonly requestId: string; readonly value: string }
  | { readonly kind: 'error'; readonly requestId: string; readonly name: string; readonly message: string };

export interface SandboxOptions {
  readonly id: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly onLog: (line: string) => void;
}

/** One execution environment: a process that handles one invocation at a time and is frozen in between. */
export interface Sandbox {
  readonly id: string;
  invoke(event: unknown, qualifier?: string): Promise<Outcome>;
  /** Kills the process at once, whatever it is doing. Returns false if it was dead already. */
  kill(): boolean;
  /**
   * Stops the process for a while, whatever it is doing. An invocation that ends meanwhile ends as timed out, as on a host that hangs; the
   * process goes on afterwards, for a few seconds, without an invocation. Returns false if it was dead already.
   */
  stall(forMs: number): boolean;
  /** No further invocation may be given to it. */
  readonly dead: boolean;
  /** It is stopped, or goes on without an invocation. */
  readonly stalled: boolean;
}

/** How long a process that was stalled past its invocation may go on. Its late writes are what a stall is for. */
const AFTERLIFE_MS = 4_000;

/** How long loading a handler may take. Lambda has the same limit, outside the function's own timeout. */
const INIT_TIMEOUT_MS = 10_000;

/** In the package it is JavaScript, as this file is. */
const RUNTIME = fileURLToPath(new URL(`./sandbox-runtime${extname(import.meta.url)}`, import.meta.url));

/** A sandbox from the inside of this file. */
interface State {
  readonly options: SandboxOptions;
  readonly child: ChildProcess;
  /** Resolves when the process has ended, or could not be started. */
  readonly ended: Promise<void>;
  /** Resolves when the handler is loaded, or never will be. */
  readonly ready: Promise<FromSandbox | 'ended' | 'late'>;
  killed: boolean;
  frozen: boolean;
  /** `abandoned`: its invocation has ended without it. */
  stall: 'none' | 'stalled' | 'abandoned';
}

/** Starts a process that loads the handler. It takes invocations at once; the first one waits until the handler is loaded. */
export function startSandbox(options: SandboxOptions): Sandbox {
  const child = killWithUs(
    fork(RUNTIME, [], {
      execArgv: [],
      // Nothing of our own environment: a function that works only here would pass.
      env: { ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    }),
  );
  forwardLines(child, options.onLog);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const ready = nextMessage(child, ended, (message) => message.kind === 'ready', INIT_TIMEOUT_MS);
  const state: State = { options, child, ended, ready, killed: false, frozen: false, stall: 'none' };
  return {
    id: options.id,
    invoke: (event, qualifier) => invoke(state, event, qualifier),
    kill: () => kill(state),
    stall: (forMs) => stall(state, forMs),
    get dead() {
      return isDead(state) || state.stall !== 'none';
    },
    get stalled() {
      return !isDead(state) && state.stall !== 'none';
    },
  };
}

/** Dead from the signal on: until the exit arrives here, a killed sandbox would be taken for a warm one and fail a second batch. */
function isDead({ killed, child }: State): boolean {
  return killed || child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

function kill(state: State): boolean {
  if (isDead(state)) return false;
  state.killed = state.child.kill('SIGKILL');
  return state.killed;
}

function stall(state: State, forMs: number): boolean {
  if (isDead(state) || state.stall !== 'none') return false;
  state.stall = 'stalled';
  // A process that is stopped while it loads would only be late, as one that takes long to load.
  void state.ready.then(() => state.child.kill('SIGSTOP'));
  setTimeout(() => endStall(state), forMs).unref();
  return true;
}

function endStall(state: State): void {
  if (isDead(state)) return;
  // It has responded in the last moment, and is not used again.
  if (state.frozen) return void kill(state);
  state.child.kill('SIGCONT');
  if (state.stall === 'abandoned') setTimeout(() => kill(state), AFTERLIFE_MS).unref();
  else state.stall = 'none';
}

async function invoke(state: State, event: unknown, qualifier: string | undefined): Promise<Outcome> {
  const begun = await state.ready;
  if (begun === 'late') kill(state);
  if (begun === 'ended' || begun === 'late' || isDead(state)) return { kind: 'crashed' };
  thaw(state);
  const message = await call(state, event, qualifier);
  if (message === 'late') {
    if (state.stall === 'stalled') state.stall = 'abandoned';
    else kill(state);
    return { kind: 'timed-out' };
  }
  if (message === 'ended' || message.kind === 'ready') return { kind: 'crashed' };
  freeze(state);
  return message.kind === 'response'
    ? { kind: 'response', value: JSON.parse(message.value) }
    : { kind: 'error', error: { name: message.name, message: message.message } };
}

async function call({ child, ended, options: { timeoutMs } }: State, event: unknown, qualifier: string | undefined) {
  const requestId = randomUUID();
  const request: ToSandbox = {
    requestId,
    event: JSON.stringify(event),
    deadline: Date.now() + timeoutMs,
    ...(qualifier === undefined ? {} : { qualifier }),
  };
  const isResponse = (message: FromSandbox) => message.kind !== 'ready' && message.requestId === requestId;
  const response = nextMessage(child, ended, isResponse, timeoutMs);
  // If the sandbox was killed between two invocations, the send fails, and `response` reports that the process has ended.
  child.send(request, () => undefined);
  return response;
}

function thaw(state: State): void {
  if (state.frozen && state.stall === 'none') state.child.kill('SIGCONT');
  state.frozen = false;
}

/** Frozen, not idle: between invocations a sandbox runs nothing, and promises that its handler did not await go on at the next one. */
function freeze(state: State): void {
  state.frozen = state.child.kill('SIGSTOP');
}

async function nextMessage(
  child: ChildProcess,
  ended: Promise<void>,
  wanted: (message: FromSandbox) => boolean,
  withinMs: number,
): Promise<FromSandbox | 'ended' | 'late'> {
  return new Promise((resolve) => {
    const settle = (result: FromSandbox | 'ended' | 'late') => {
      clearTimeout(timer);
      child.off('message', onMessage);
      resolve(result);
    };
    const onMessage = (message: FromSandbox) => {
      if (wanted(message)) settle(message);
    };
    const timer = setTimeout(() => settle('late'), withinMs);
    child.on('message', onMessage);
    void ended.then(() => settle('ended'));
  });
}

function forwardLines(child: ChildProcess, onLog: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', onLog);
  }
}
