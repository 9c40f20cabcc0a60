import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { killWithUs } from '../children.ts';
import type { Measure } from '../machine.ts';
import { momentMs, type Time, timeOf } from '../time.ts';
import type { FromSandbox } from './sandbox-messages.ts';

/* The process of a sandbox: its life, from its start to its end by a signal, and what it says. What an invocation is, `sandbox.ts` knows. */

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

/** How long a process that was stalled past its invocation may go on. Its late writes are what a stall is for. */
const afterlifeMs = 4_000;

/** How long to wait for the last lines of a process that has ended. Another process may hold its output open. */
const lastLinesMs = 1_000;

/** In the package it is JavaScript, as this file is. */
const runtime = fileURLToPath(new URL(`./sandbox-runtime${extname(import.meta.url)}`, import.meta.url));

/** A sandbox from the inside of this file. */
export interface SandboxState {
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

export type Heard = FromSandbox | 'ended' | 'late';

/** Starts the process of a sandbox. It loads the handler. */
export function startProcess(options: SandboxOptions): SandboxState {
  const child = killWithUs(
    fork(runtime, [], {
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
  const state: SandboxState = {
    ...{ options, child, ended, closed, loading, ready },
    ...{ killed: false, killedByFault: false, isHandling: false, spoke: false, frozen: false, stall: 'none' },
  };
  forwardLines(state);
  child.on('message', (message: FromSandbox) => {
    if (message.kind === 'refused') options.onRefused?.(message.address);
  });
  void ended.then(options.onEnded);
  return state;
}

/** Dead from the signal on: until the exit arrives here, a killed sandbox would be taken for a warm one and fail a second batch. */
export function isDead({ killed, child }: SandboxState): boolean {
  return killed || child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

export function kill(state: SandboxState): boolean {
  if (isDead(state)) return false;
  state.killed = state.child.kill('SIGKILL');
  return state.killed;
}

export function killByFault(state: SandboxState): boolean {
  const killed = kill(state);
  if (killed) state.killedByFault = true;
  return killed;
}

export function stall(state: SandboxState, forMs: number): boolean {
  if (isDead(state) || state.stall !== 'none') return false;
  state.stall = 'stalled';
  // A process that is stopped while it loads would only be late, as one that takes long to load.
  void state.ready.then(() => state.child.kill('SIGSTOP'));
  setTimeout(() => endStall(state), forMs).unref();
  return true;
}

function endStall(state: SandboxState): void {
  if (isDead(state)) return;
  // It has responded in the last moment, and is not used again.
  if (state.frozen) return void kill(state);
  state.child.kill('SIGCONT');
  if (state.stall === 'abandoned') setTimeout(() => kill(state), afterlifeMs).unref();
  else state.stall = 'none';
}

/** What a process has printed says whether it was at work, and may arrive after its end. Of one that the rehearsal killed, that is not asked. */
export async function lastLines({ killedByFault, closed }: SandboxState): Promise<void> {
  if (!killedByFault) await Promise.race([closed, sleep(lastLinesMs, undefined, { ref: false })]);
}

export function thaw(state: SandboxState): void {
  if (state.frozen && state.stall === 'none') state.child.kill('SIGCONT');
  state.frozen = false;
}

/** Frozen, not idle: between invocations a sandbox runs nothing, and promises that its handler did not await go on at the next one. */
export function freeze(state: SandboxState): void {
  state.frozen = state.child.kill('SIGSTOP');
}

/**
 * @param leftMs how much time is left. It is asked again when that is over: there may be more then
 * @param onMore called if there is
 */
export async function nextMessage(
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
      if (left < momentMs) return settle('late');
      onMore(left);
      timer = setTimeout(onTime, left);
    };
    let timer = setTimeout(onTime, leftMs());
    child.on('message', onMessage);
    void ended.then(() => settle('ended'));
  });
}

function forwardLines(state: SandboxState): void {
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
