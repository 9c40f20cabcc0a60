import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';

/*
 * What code under sweep finds in its globals and in `node:timers`: `Date`, `setTimeout`, `setInterval` and `AbortSignal.timeout` go by the
 * clock of its run. Everything else in the process, the test's own framework included, goes on to see the real ones.
 */

/** The time as some code sees it. */
interface Ambient {
  readonly now: () => number;
  /** Missing in a call to the provider: it takes real time, and its clients' timers have to as well. */
  readonly after?: (ms: number, run: () => void) => () => void;
  /** Ends the sandbox that the code runs in. */
  readonly kill?: (how: string) => void;
}

const ambient = new AsyncLocalStorage<Ambient>();

/** Runs code by this clock, and all that it awaits and starts. */
export const runBy = <T>(clock: Ambient, code: () => T): T => ambient.run(clock, code);

/** Whether it is a handler that asks, and neither its provider nor anything else in the process. */
export const isSwept = (): boolean => ambient.getStore()?.after !== undefined;

/** What ends the sandbox whose code it is that has come this far, if it is a sandbox's. */
export const killOfContext = (): Ambient['kill'] => ambient.getStore()?.kill;

const real = {
  Date,
  setTimeout,
  setInterval,
  clearTimeout,
  clearInterval,
  abortAfter: AbortSignal.timeout,
  sleep: timersPromises.setTimeout,
};

/** The kit's own waits: in real time, whatever clock code under sweep sees. */
export const realTimers = { setTimeout, clearTimeout };

/** A timer of a sandbox: it stands still while the sandbox is frozen, and dies with it. */
class SandboxTimer {
  #cancel: () => void = () => undefined;
  readonly #start: () => void;

  constructor(after: NonNullable<Ambient['after']>, ms: number, run: () => void, repeats: boolean) {
    this.#start = () => {
      this.close();
      this.#cancel = after(ms, () => {
        if (repeats) this.#start();
        run();
      });
    };
    this.#start();
  }
  refresh(): this {
    this.#start();
    return this;
  }
  close(): void {
    this.#cancel();
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  [Symbol.dispose](): void {
    this.close();
  }
}

/** Node takes anything that is no number of milliseconds from 1 to 2^31 - 1 for 1. */
const delayOf = (ms: unknown) => (Number(ms) >= 1 && Number(ms) < 2 ** 31 ? Number(ms) : 1);

function timerOf(original: typeof setTimeout | typeof setInterval, repeats: boolean) {
  function start(callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): unknown {
    const after = ambient.getStore()?.after;
    if (after === undefined) return original(callback, ms, ...args);
    return new SandboxTimer(after, delayOf(ms), () => callback(...args), repeats);
  }
  return start;
}

/** @param original what clears a real one */
const clearOf = (original: (timer: never) => void) => (timer: unknown) =>
  timer instanceof SandboxTimer ? timer.close() : original(timer as never);

/** Puts the clocks of sweeps into the globals and `node:timers`, until the returned function is called. */
export function installAmbient(): () => void {
  const now = () => ambient.getStore()?.now() ?? real.Date.now();
  const timeout = timerOf(real.setTimeout, false);

  function sleep<T>(ms?: number, value?: T, options: { readonly signal?: AbortSignal } = {}): Promise<T | undefined> {
    if (!isSwept()) return real.sleep(ms, value, options);
    const { signal } = options;
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal?.reason);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      timeout(() => resolve(value), ms);
    });
  }

  function abortAfter(ms: number): AbortSignal {
    if (!isSwept()) return real.abortAfter.call(AbortSignal, ms);
    const controller = new AbortController();
    timeout(() => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms);
    return controller.signal;
  }

  const date = new Proxy(real.Date, {
    construct: (target, args, self) => Reflect.construct(target, args.length > 0 ? args : [now()], self),
    apply: () => new real.Date(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  const ours = {
    setTimeout: Object.defineProperty(timeout, promisify.custom, { value: sleep }),
    setInterval: timerOf(real.setInterval, true),
    clearTimeout: clearOf(real.clearTimeout),
    clearInterval: clearOf(real.clearInterval),
  };
  const restores = [
    replace(globalThis, { Date: date, ...ours }),
    replace(timers, ours),
    replace(timersPromises, { setTimeout: sleep }),
    replace(AbortSignal, { timeout: abortAfter }),
  ];
  syncBuiltinESMExports();
  return () => {
    for (const restore of restores) restore();
    syncBuiltinESMExports();
  };
}

/** @returns what puts back what was there */
function replace(owner: object, by: Readonly<Record<string, unknown>>): () => void {
  const found = Object.fromEntries(Object.keys(by).map((name) => [name, Reflect.get(owner, name)]));
  Object.assign(owner, by);
  return () => void Object.assign(owner, found);
}
