import { hash } from 'node:crypto';
import type { Host } from '../../../lib/pawl/kernel/host.ts';
import { type World, worldBegins } from '../world/world.ts';

/** How a request that a sandbox has made is answered. */
interface Settle<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** What is going to happen to a sandbox at one of its requests. */
interface Ambush {
  /** Which of the requests from now on, from 0. */
  readonly call: number;
  /** Before the request leaves, or right after. */
  readonly sent: boolean;
  readonly strike: () => void;
}

/**
 * A process that runs a consumer. Whatever goes in or out passes through here: when it is killed, nothing of it is ever
 * heard again, and nobody needs to know where in its code it was; when it stands still, all waits until it goes on.
 */
export interface Sandbox {
  readonly name: string;
  readonly host: Host;
  readonly alive: boolean;
  readonly frozen: boolean;
  /** Whether nothing that it waits for is ever going to come: no answer, no timer. */
  readonly waitsForNothing: boolean;
  /** Its clock, in epoch milliseconds. */
  clock(): number;
  setClock(offsetMs: number): void;
  /** A request: `send` is called when it leaves. */
  call<T>(send: (settle: Settle<T>) => void): Promise<T>;
  /** Runs inside the process: now, when it goes on, or never. */
  deliver(run: () => void): void;
  /** A timer of the process. */
  after(ms: number, run: () => void): () => void;
  lieInWait(ambush: Ambush | undefined): void;
  /** Runs when it is killed: its connections end. */
  atEnd(run: () => void): void;
  kill(): void;
  freeze(): void;
  thaw(): void;
}

const hashes = new Map<string, string>();

export function createSandbox(world: World, name: string, firstOffset: number): Sandbox {
  let alive = true;
  let frozen = false;
  let offset = firstOffset;
  let ids = 0;
  let calls = 0;
  let waiting: (() => void)[] = [];
  let ambush: Ambush | undefined;
  /** Requests without an answer, and timers. */
  let outstanding = 0;
  const ends: (() => void)[] = [];

  const clock = () => Math.floor(worldBegins + world.time + offset);

  function deliver(run: () => void): void {
    if (!alive) return;
    if (frozen) waiting.push(run);
    else run();
  }

  function after(ms: number, run: () => void): () => void {
    let isOver = false;
    const end = () => {
      if (!isOver) outstanding--;
      isOver = true;
    };
    outstanding++;
    const cancel = world.after(ms, () =>
      deliver(() => {
        if (isOver) return;
        end();
        run();
      }),
    );
    return () => {
      // It may be due already, and wait for the process to go on.
      end();
      cancel();
    };
  }

  function call<T>(send: (settle: Settle<T>) => void): Promise<T> {
    outstanding++;
    const promise = new Promise<T>((resolve, reject) =>
      deliver(() => {
        const trap = ambush?.call === calls++ ? ambush : undefined;
        if (trap && !trap.sent) trap.strike();
        // Struck down before: it never left. Made to stand still before: it leaves when the process goes on.
        deliver(() => send({ resolve, reject }));
        if (trap?.sent) trap.strike();
      }),
    );
    const answered = () => {
      outstanding--;
    };
    promise.then(answered, answered);
    return promise;
  }

  const host: Host = {
    now: clock,
    random: world.random.next,
    randomId: () => `${name}.${++ids}`,
    sha256,
    after,
  };

  return {
    name,
    host,
    get alive() {
      return alive;
    },
    get frozen() {
      return frozen;
    },
    get waitsForNothing() {
      return outstanding === 0 && waiting.length === 0;
    },
    clock,
    setClock(offsetMs) {
      offset = offsetMs;
    },
    call,
    deliver,
    after,
    lieInWait(next) {
      ambush = next;
      calls = 0;
    },
    atEnd: (run) => void ends.push(run),
    kill() {
      alive = false;
      waiting = [];
      for (const end of ends.splice(0)) end();
    },
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
      const due = waiting;
      waiting = [];
      // One after the other, each with all that follows from it, as after a freeze all timers and answers are due at once.
      for (const run of due) world.after(0, () => deliver(run));
    },
  };
}

/** The same few texts are hashed over and over. */
export function sha256(text: string): string {
  let known = hashes.get(text);
  if (known === undefined) {
    if (hashes.size > 10_000) hashes.clear();
    known = hash('sha256', text);
    hashes.set(text, known);
  }
  return known;
}
