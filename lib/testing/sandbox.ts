import { nodeHost } from 'pawl/internal';
import type { Host } from 'pawl/kernel';
import { runBy } from './ambient.ts';
import type { Clock } from './clock.ts';
import { callFaults, type Fault } from './faults.ts';

/** What a sandbox needs of the run that it is part of. */
export interface Surroundings {
  readonly clock: Clock;
  /** Counts an await boundary. @returns what is to go wrong there */
  reach(worker: number, name: string, faults: readonly Fault[]): Fault | undefined;
  /** Waits for a call that takes real time. The clock stands still meanwhile. */
  make<T>(name: string, call: () => Promise<T> | T): Promise<T>;
  /** Makes a call after so many milliseconds. Its sender has given it up: the request is still on its way. */
  makeLate(worker: number, name: string, call: () => unknown, ms: number): void;
  /** What a call throws that fails, or whose response is lost. */
  errorOf(name: string): unknown;
  randomId(): string;
  tell(worker: number, what: string): void;
  /** The code of this sandbox is about to run. */
  enter(sandbox: Sandbox): void;
}

/** How a call to the outside goes, in milliseconds of the virtual clock. */
export interface HowCalled {
  readonly takesMs: number;
  /** How long after its sender gave it up a request may still be applied. */
  readonly lateMs?: number;
  readonly faults?: readonly Fault[];
}

/** A call to the outside, its fault if it has one, and who waits for it. */
interface CallUnderWay<T> {
  readonly name: string;
  readonly call: () => Promise<T> | T;
  readonly takesMs: number;
  readonly lateMs: number;
  readonly fault: Fault | undefined;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

export const createSandbox = (surroundings: Surroundings, worker: number): Sandbox => new Sandbox(surroundings, worker);

/**
 * A worker's sandbox. Once it is killed, none of its calls returns and none of its timers goes off: its code ends where it waits.
 * Between invocations it is frozen: what it did not wait for goes on when it is invoked again, if it ever is.
 */
export class Sandbox {
  readonly worker: number;
  readonly host: Host;
  readonly #surroundings: Surroundings;
  #state: 'running' | 'frozen' | 'dead' = 'frozen';
  /** What came due while it was frozen. */
  #frozen: (() => void)[] = [];
  /** Ends the invocation that is under way. */
  #onDeath: (() => void) | undefined;

  constructor(surroundings: Surroundings, worker: number) {
    this.#surroundings = surroundings;
    this.worker = worker;
    this.host = {
      now: surroundings.clock.now,
      random: () => 0.5,
      randomId: surroundings.randomId,
      sha256: nodeHost.sha256,
      after: this.#after,
    };
  }

  get isAlive(): boolean {
    return this.#state !== 'dead';
  }

  /** Gives it work. @param died is called when it does not live to see the end of it */
  thaw(died: () => void): void {
    this.#state = 'running';
    this.#onDeath = died;
    const thawed = this.#frozen;
    this.#frozen = [];
    for (const run of thawed) this.#after(0, run);
  }

  freeze(): void {
    if (this.#state === 'running') this.#state = 'frozen';
  }

  readonly kill = (how: string): void => {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    this.#surroundings.tell(this.worker, how);
    this.#onDeath?.();
  };

  /** Runs code of this sandbox: its timers are the sandbox's. */
  inside<T>(code: () => T): T {
    return runBy({ now: this.host.now, after: this.#after, kill: this.kill }, code);
  }

  /** Makes a call to the outside, unless something else is to happen to it. */
  io<T>(name: string, call: () => Promise<T> | T, how: HowCalled): Promise<T> {
    const { takesMs, lateMs = 0, faults = callFaults } = how;
    return new Promise((resolve, reject) => {
      if (this.#state === 'dead') return;
      const fault = this.#surroundings.reach(this.worker, name, faults);
      const underWay = { name, call, takesMs, lateMs, fault, resolve, reject };
      this.#after(takesMs / 2, () => this.#arrive(underWay));
    });
  }

  /** A call has reached the other side. */
  #arrive<T>(underWay: CallUnderWay<T>): void {
    const { name, call, lateMs, fault, resolve, reject } = underWay;
    if (fault === 'kill-before') {
      this.kill('is killed');
      return;
    }
    if (fault === 'apply-late' || fault === 'apply-again') {
      this.#surroundings.makeLate(this.worker, name, call, lateMs);
    }
    if (fault === 'throw' || fault === 'apply-late') {
      this.#fail(underWay);
      return;
    }
    this.#makeOnceOrTwice(underWay).then(
      (value) => this.#applied(underWay, () => resolve(value)),
      (error) => this.#applied(underWay, () => reject(error)),
    );
  }

  async #makeOnceOrTwice<T>({ name, call, fault }: CallUnderWay<T>): Promise<T> {
    // What becomes of the first of two, its sender never hears.
    if (fault === 'resend') await this.#surroundings.make(name, call).catch(() => undefined);
    return this.#surroundings.make(name, call);
  }

  /** The other side has done what was asked. */
  #applied<T>(underWay: CallUnderWay<T>, respond: () => void): void {
    const { fault, takesMs } = underWay;
    if (fault === 'hang' || this.#state === 'dead') return;
    if (fault === 'kill-after') this.kill('is killed');
    else this.#after(takesMs / 2, fault === 'lose-answer' ? () => this.#fail(underWay) : respond);
  }

  #fail<T>({ name, reject }: CallUnderWay<T>): void {
    reject(this.#surroundings.errorOf(name));
  }

  readonly #after = (ms: number, run: () => void): (() => void) =>
    this.#surroundings.clock.after(ms, () => this.#enter(run));

  #enter(run: () => void): void {
    if (this.#state === 'dead') return;
    if (this.#state === 'frozen') {
      this.#frozen.push(run);
      return;
    }
    this.#surroundings.enter(this);
    try {
      this.inside(run);
    } catch (error) {
      // An exception that is not caught ends a Node process.
      this.kill(`dies of an uncaught ${String(error)}`);
    }
  }
}
