import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { killWithUs } from './children.ts';

/** What happened to one invocation, as the service sees it. */
export type Outcome =
  | { readonly kind: 'response'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: { readonly name: string; readonly message: string } }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'crashed' };

/** A call on its way into a sandbox. As JSON: by reference, a handler could change the event of a later delivery. */
export interface ToSandbox {
  readonly requestId: string;
  readonly event: string;
  /** When the invocation ends, in epoch milliseconds. */
  readonly deadline: number;
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
  invoke(event: unknown): Promise<Outcome>;
  /** Kills the process at once, whatever it is doing. False when it was dead already. */
  kill(): boolean;
  readonly dead: boolean;
}

/** How long loading a handler may take. Lambda has the same limit, outside the function's own timeout. */
const INIT_TIMEOUT_MS = 10_000;

const RUNTIME = fileURLToPath(new URL('./sandbox-runtime.ts', import.meta.url));

export function startSandbox(options: SandboxOptions): Sandbox {
  const child = killWithUs(
    fork(RUNTIME, [], {
      execArgv: [],
      // Nothing of our own environment: a function that works only here would pass.
      env: { ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    }),
  );
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let killed = false;
  // Dead from the signal on: until the exit arrives here, a killed sandbox would be taken for a warm one and fail a second batch.
  const dead = () => killed || child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  const kill = (): boolean => {
    if (dead()) return false;
    killed = child.kill('SIGKILL');
    return killed;
  };
  forwardLines(child, options.onLog);
  const ready = nextMessage(child, ended, (message) => message.kind === 'ready', INIT_TIMEOUT_MS);
  let frozen = false;

  async function invoke(event: unknown): Promise<Outcome> {
    const begun = await ready;
    if (begun === 'late') kill();
    if (begun === 'ended' || begun === 'late' || dead()) return { kind: 'crashed' };
    if (frozen) child.kill('SIGCONT');
    frozen = false;
    const requestId = randomUUID();
    const call: ToSandbox = { requestId, event: JSON.stringify(event), deadline: Date.now() + options.timeoutMs };
    const answered = nextMessage(
      child,
      ended,
      (message) => message.kind !== 'ready' && message.requestId === requestId,
      options.timeoutMs,
    );
    // A sandbox killed between two invocations cannot take the call; its end is told by `answered`.
    child.send(call, () => undefined);
    const message = await answered;
    if (message === 'late') {
      kill();
      return { kind: 'timed-out' };
    }
    if (message === 'ended' || message.kind === 'ready') return { kind: 'crashed' };
    // Frozen, not idle: between invocations a sandbox runs nothing, and what it left un-awaited goes on at the next one.
    frozen = child.kill('SIGSTOP');
    return message.kind === 'response'
      ? { kind: 'response', value: JSON.parse(message.value) }
      : { kind: 'error', error: { name: message.name, message: message.message } };
  }

  return {
    id: options.id,
    invoke,
    kill,
    get dead() {
      return dead();
    },
  };
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
