import { nodeHost } from '../host.ts';
import type { Host } from '../kernel/host.ts';
import { runBy } from './ambient.ts';
import type { Clock } from './clock.ts';
import { callFaults, type Fault } from './faults.ts';

/** What a sandbox needs of the run that it is part of. */
export interface Surroundings {
  readonly clock: Clock;
  /** Counts an await boundary; answers what is to go wrong there. */
  reach(worker: number, name: string, faults: readonly Fault[]): Fault | undefined;
  /** Waits for a call that takes real time. The clock stands still meanwhile. */
  make<T>(name: string, call: () => Promise<T> | T): Promise<T>;
  /** Makes a call in so many milliseconds that nobody waits for: its request is still on its way. */
  makeLate(worker: number, name: string, call: () => unknown, ms: number): void;
  /** What a call throws that fails, or whose answer is lost. */
  errorOf(name: string): unknown;
  randomId(): string;
  tell(worker: number, what: string): void;
  /** The sandbox whose code is about to run. */
  enter(sandbox: Sandbox): void;
}

/** How a call to the outside goes, in milliseconds of the virtual clock. */
export interface HowCalled {
  readonly takesMs: number;
  /** How long after a caller gave it up a request may still be applied. */
  readonly lateMs?: number;
  readonly faults?: readonly Fault[];
}

export type Sandbox = ReturnType<typeof createSandbox>;

/**
 * A worker's sandbox. Killed, it never gets another answer, and its timers never go off: its code ends where it waits.
 * Between invocations it is frozen: what it did not wait for goes on when it is invoked again, if it ever is.
 */
export function createSandbox(surroundings: Surroundings, worker: number) {
  const { clock } = surroundings;
  let state: 'running' | 'frozen' | 'dead' = 'frozen';
  let frozen: (() => void)[] = [];
  /** Ends the invocation that is under way. */
  let onDeath: (() => void) | undefined;

  function enter(run: () => void): void {
    if (state === 'dead') return;
    if (state === 'frozen') {
      frozen.push(run);
      return;
    }
    surroundings.enter(sandbox);
    try {
      inside(run);
    } catch (error) {
      // An exception that nobody catches ends a Node process.
      sandbox.kill(`dies of an uncaught ${String(error)}`);
    }
  }

  /** Runs code of this sandbox: its timers are the sandbox's. */
  const inside = <T>(code: () => T): T =>
    runBy({ now: clock.now, after: later, kill: (how) => sandbox.kill(how) }, code);

  const later = (ms: number, run: () => void) => clock.after(ms, () => enter(run));

  const host: Host = {
    now: clock.now,
    random: () => 0.5,
    randomId: surroundings.randomId,
    sha256: nodeHost.sha256,
    after: later,
  };

  /** Makes a call to the outside, unless something else is to happen to it. */
  function io<T>(name: string, call: () => Promise<T> | T, how: HowCalled): Promise<T> {
    const { takesMs, lateMs = 0, faults = callFaults } = how;
    return new Promise((resolve, reject) => {
      if (state === 'dead') return;
      const fault = surroundings.reach(worker, name, faults);
      const fail = () => reject(surroundings.errorOf(name));
      const makeLate = () => surroundings.makeLate(worker, name, call, lateMs);

      /** The provider has done with it. */
      function applied(answer: () => void): void {
        if (fault === 'hang' || state === 'dead') return;
        if (fault === 'kill-after') sandbox.kill('is killed');
        else later(takesMs / 2, fault === 'lose-answer' ? fail : answer);
      }

      later(takesMs / 2, () => {
        if (fault === 'kill-before') return sandbox.kill('is killed');
        if (fault === 'apply-late' || fault === 'apply-again') makeLate();
        if (fault === 'throw' || fault === 'apply-late') return fail();
        const resent = fault === 'resend' ? surroundings.make(name, call).catch(() => undefined) : Promise.resolve();
        const made = resent.then(() => surroundings.make(name, call));
        made.then(
          (value) => applied(() => resolve(value)),
          (error) => applied(() => reject(error)),
        );
      });
    });
  }

  const sandbox = {
    worker,
    host,
    io,
    inside,
    isAlive: () => state !== 'dead',
    /** It is given work. @param died is called when it does not live to see the end of it */
    thaw(died: () => void): void {
      state = 'running';
      onDeath = died;
      const thawed = frozen;
      frozen = [];
      for (const run of thawed) later(0, run);
    },
    freeze(): void {
      if (state === 'running') state = 'frozen';
    },
    kill(how: string): void {
      if (state === 'dead') return;
      state = 'dead';
      surroundings.tell(worker, how);
      onDeath?.();
    },
  };
  return sandbox;
}
