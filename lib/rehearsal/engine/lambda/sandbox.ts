import { randomUUID } from 'node:crypto';
import type { Measure } from '../machine.ts';
import { timeOf } from '../time.ts';
import type { FromSandbox, ToSandbox } from './sandbox-messages.ts';
import {
  freeze,
  type Heard,
  isDead,
  kill,
  killByFault,
  lastLines,
  nextMessage,
  type SandboxOptions,
  type SandboxState,
  stall,
  startProcess,
  thaw,
} from './sandbox-process.ts';

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
   * `starved`: it was ended all the same, without having had its time. `slowed`: it ended in time, and had a good part less of it.
   */
  readonly machine: 'gave' | 'slowed' | 'stretched' | 'starved';
}

export interface Invoked {
  readonly outcome: Outcome;
  readonly circumstances: Circumstances;
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

/** Starts a process that loads the handler. It takes invocations at once; the first one waits until the handler is loaded. */
export function startSandbox(options: SandboxOptions): Sandbox {
  const state = startProcess(options);
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

async function invoke(
  state: SandboxState,
  event: unknown,
  measure: Measure,
  qualifier: string | undefined,
): Promise<Invoked> {
  measure.follow(state.child.pid, state.options.id);
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

async function call(
  state: SandboxState,
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
  if (time.isStretched()) return { message, machine: 'stretched' };
  return { message, machine: time.isSlowed() ? 'slowed' : 'gave' };
}
