import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { killWithUs } from '../children.ts';
import { type Measure, MOMENT_MS, type Time, timeOf } from '../machine.ts';

/** What happened to one invocation, as the service sees it. */
export type Outcome =
  | { readonly kind: 'response'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: { readonly name: string; readonly message: string } }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'crashed' };

/** What an invocation was like, besides its outcome: what is not the app's doing, and what shows that the app was at work. */
export interface Circumstances {
  /** The rehearsal has killed the sandbox: no fault of the app. */
  readonly killed: boolean;
  /** Its handler was loaded. */
  readonly loaded: boolean;
  /** Why it has no handler, if its code has none: no other sandbox of the same code would. */
  readonly unloadable?: string;
  /** It printed a line of its own while it handled the event. */
  readonly spoke: boolean;
  /**
   * Whether the machine took part of its time away. `stretched`: it had that time back, and ran beyond the end that it was told at first.
   * `starved`: it was ended all the same, without having had its time.
   */
  readonly machine: 'gave' | 'stretched' | 'starved';
}

export interface Invoked {
  readonly outcome: Outcome;
  readonly circumstances: Circumstances;
}

/** A call on its way into a sandbox. The event is JSON: by reference, a handler could change the event of a later delivery. */
export interface Call {
  readonly kind: 'call';
  readonly requestId: string;
  readonly event: string;
  /** When the invocation ends, in epoch milliseconds. */
  readonly deadline: number;
  /** The alias or the version by which the function was invoked. */
  readonly qualifier?: string;
}

export type ToSandbox =
  | Call
  /** The invocation ends later than it was told. */
  | { readonly kind: 'extended'; readonly requestId: string; readonly deadline: number };

export type FromSandbox =
  | { readonly kind: 'ready' }
  /** Its code has no handler. */
  | { readonly kind: 'unloadable'; readonly why: string }
  /** It wanted to reach another machine. */
  | { readonly kind: 'refused'; readonly address: string }
  | { readonly kind: 'response'; readonly requestId: string; readonly value: string }
  | { readonly kind: 'error'; readonly requestId: string; readonly name: string; readonly message: string };

export interface SandboxOptions {
  readonly id: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** How long loading the handler may take. */
  readonly initMs: number;
  /** Of the time that the machine takes away while the handler is loaded. */
  readonly measure: Measure;
  readonly onLog: (line: string) => void;
  /** Called when its process has ended. */
  readonly onEnded: () => void;
  /** Called when it wanted to reach another machine. */
  readonly onRefused?: (address: string) => void;
}

/** One execution environment: a process that handles one invocation at a time and is frozen in between. */
export interface Sandbox {
  readonly id: string;
  /** @param measure of the time that the machine takes away from it */
  invoke(event: unknown, measure: Measure, qualifier?: string): Promise<Invoked>;
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

/** How long to wait for the last lines of a process that has ended. Another process may hold its output open. */
const LAST_LINES_MS = 1_000;

/** In the package it is JavaScript, as this file is. */
const RUNTIME = fileURLToPath(new URL(`./sandbox-runtime${extname(import.meta.url)}`, import.meta.url));

/** A sandbox from the inside of this file. */
interface State {
  readonly options: SandboxOptions;
  readonly child: ChildProcess;
  /** Resolves when the process has ended, or could not be started. */
  readonly ended: Promise<void>;
  /** Resolves when all that it has printed is read, too. */
  readonly closed: Promise<void>;
  readonly loading: Time;
  /** Resolves when the handler is loaded, or never will be. */
  readonly ready: Promise<Heard>;
  /** Whether a signal that ends it was sent. */
  killed: boolean;
  /** Whether the rehearsal sent it, and not a timeout. */
  killedByFault: boolean;
  isHandling: boolean;
  spoke: boolean;
  frozen: boolean;
  /** `abandoned`: its invocation has ended without it. */
  stall: 'none' | 'stalled' | 'abandoned';
}

type Heard = FromSandbox | 'ended' | 'late';

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
  const endedBy = (event: 'exit' | 'close') =>
    new Promise<void>((resolve) => {
      child.once(event, () => resolve());
      child.once('error', () => resolve());
    });
  const [ended, closed] = [endedBy('exit'), endedBy('close')];
  options.measure.follow(child.pid);
  const loading = timeOf(options.measure, options.initMs);
  const ready = nextMessage(child, ended, ({ kind }) => kind === 'ready' || kind === 'unloadable', loading.leftMs);
  const state: State = {
    ...{ options, child, ended, closed, loading, ready },
    ...{ killed: false, killedByFault: false, isHandling: false, spoke: false, frozen: false, stall: 'none' },
  };
  forwardLines(state);
  child.on('message', (message: FromSandbox) => {
    if (message.kind === 'refused') options.onRefused?.(message.address);
  });
  void ended.then(options.onEnded);
  return {
    id: options.id,
    invoke: (event, measure, qualifier) => invoke(state, event, measure, qualifier),
    kill: () => killByFault(state),
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

function killByFault(state: State): boolean {
  const killed = kill(state);
  if (killed) state.killedByFault = true;
  return killed;
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

async function invoke(state: State, event: unknown, measure: Measure, qualifier: string | undefined): Promise<Invoked> {
  measure.follow(state.child.pid);
  const begun = await state.ready;
  const told = (outcome: Outcome, machine: Circumstances['machine'], loaded = true): Invoked => {
    const { killedByFault: killed, spoke } = state;
    return { outcome, circumstances: { killed, loaded, spoke, machine } };
  };
  if (typeof begun === 'object' && begun.kind === 'unloadable') {
    kill(state);
    state.options.onLog(`The function cannot run: ${begun.why}`);
    const { killedByFault: killed } = state;
    const circumstances = { killed, loaded: false, unloadable: begun.why, spoke: false, machine: 'gave' } as const;
    return { outcome: { kind: 'crashed' }, circumstances };
  }
  if (begun === 'late') kill(state);
  if (begun === 'ended' || begun === 'late' || isDead(state)) {
    await lastLines(state);
    return told(
      { kind: 'crashed' },
      begun === 'late' && state.loading.isStarved() ? 'starved' : 'gave',
      typeof begun === 'object',
    );
  }
  thaw(state);
  state.isHandling = true;
  state.spoke = false;
  const { message, machine } = await call(state, event, measure, qualifier);
  state.isHandling = false;
  if (message === 'late') {
    if (state.stall === 'stalled') state.stall = 'abandoned';
    else kill(state);
    return told({ kind: 'timed-out' }, machine);
  }
  if (message === 'ended' || !('requestId' in message)) {
    await lastLines(state);
    return told({ kind: 'crashed' }, machine);
  }
  freeze(state);
  return told(
    message.kind === 'response'
      ? { kind: 'response', value: JSON.parse(message.value) }
      : { kind: 'error', error: { name: message.name, message: message.message } },
    machine,
  );
}

/** What a process has printed says whether it was at work, and may arrive after its end. Of one that the rehearsal killed, that is not asked. */
async function lastLines({ killedByFault, closed }: State): Promise<void> {
  if (!killedByFault) await Promise.race([closed, sleep(LAST_LINES_MS, undefined, { ref: false })]);
}

async function call(
  state: State,
  event: unknown,
  measure: Measure,
  qualifier: string | undefined,
): Promise<{ readonly message: Heard; readonly machine: Circumstances['machine'] }> {
  const { child, options } = state;
  const time = timeOf(measure, options.timeoutMs);
  const requestId = randomUUID();
  const request: ToSandbox = {
    kind: 'call',
    requestId,
    event: JSON.stringify(event),
    deadline: Date.now() + options.timeoutMs,
    ...(qualifier === undefined ? {} : { qualifier }),
  };
  const isResponse = (message: FromSandbox) => 'requestId' in message && message.requestId === requestId;
  const say = (extended: ToSandbox) => child.send(extended, () => undefined);
  const response = nextMessage(child, state.ended, isResponse, time.leftMs, (leftMs) =>
    say({ kind: 'extended', requestId, deadline: Date.now() + leftMs }),
  );
  // If the sandbox was killed between two invocations, the send fails, and `response` reports that the process has ended.
  say(request);
  const message = await response;
  // The plan has stopped it beyond its time: whatever the machine took away in it, that is not why it is late.
  if (message === 'late' && state.stall === 'stalled') return { message, machine: 'gave' };
  if (message === 'late' && time.isStarved()) return { message, machine: 'starved' };
  return { message, machine: time.isStretched() ? 'stretched' : 'gave' };
}

function thaw(state: State): void {
  if (state.frozen && state.stall === 'none') state.child.kill('SIGCONT');
  state.frozen = false;
}

/** Frozen, not idle: between invocations a sandbox runs nothing, and promises that its handler did not await go on at the next one. */
function freeze(state: State): void {
  state.frozen = state.child.kill('SIGSTOP');
}

/**
 * @param leftMs how much time is left. It is asked again when that is over: there may be more then
 * @param onMore called if there is
 */
async function nextMessage(
  child: ChildProcess,
  ended: Promise<void>,
  wanted: (message: FromSandbox) => boolean,
  leftMs: () => number,
  onMore: (leftMs: number) => void = () => undefined,
): Promise<Heard> {
  return new Promise((resolve) => {
    const settle = (result: Heard) => {
      clearTimeout(timer);
      child.off('message', onMessage);
      resolve(result);
    };
    const onMessage = (message: FromSandbox) => {
      if (wanted(message)) settle(message);
    };
    const onTime = () => {
      const left = leftMs();
      if (left < MOMENT_MS) return settle('late');
      onMore(left);
      timer = setTimeout(onTime, left);
    };
    let timer = setTimeout(onTime, leftMs());
    child.on('message', onMessage);
    void ended.then(() => settle('ended'));
  });
}

function forwardLines(state: State): void {
  const { child, options } = state;
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      // On the other stream, Node itself says why a process ends.
      if (stream === child.stdout && state.isHandling) state.spoke = true;
      options.onLog(line);
    });
  }
}
