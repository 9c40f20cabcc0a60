import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { killWithUs } from './children.ts';
import { MachineTooSlowError, seconds, watchOver } from './too-slow.ts';
import { createLag, createLate, type Late, waitedOnLinux } from './waits.ts';

/*
 * How much time the machine gave.
 *
 * Owns: what a measure counts as taken away. On a busy machine a sandbox stands ready and does not run, and neither does this process, which
 * serves what the sandbox asks, nor a server beside it, which then answers late. That is no time of the function, and no time of its messages.
 * Does not own: how a wait is read (`waits.ts`), what follows from it (`time.ts`), and when nothing can be judged (`too-slow.ts`).
 *
 * 1. Of each moment, what is taken away is never more than the moment: this process and the sandbox may wait at the same time.
 * 2. A process that sleeps waits for nothing that the machine owes it: a handler that waits for a provider uses its time up.
 */

/** A measure of the time that was taken away from one piece of work. */
export interface Measure {
  /** How much was taken away since it began, in milliseconds. */
  stolenMs(): number;
  /** Counts the waiting of this process as well, from now on, and that of the sandbox for late answers; of `all`, what each other measure counts. */
  follow(pid: number | 'all' | undefined, sandbox?: string): void;
  end(): void;
}

export interface Machine {
  /**
   * Begins a measure.
   *
   * @param onStolen gets each bit as it is found, in milliseconds
   */
  measure(onStolen?: (ms: number) => void): Measure;
  /** Brings all measures up to date. */
  sample(): void;
  /** Waits for the answer of a server of the rehearsal to a sandbox: what it takes beyond what a service takes, the machine owes to it. */
  serving<Answer>(answer: Promise<Answer>, sandbox: string | undefined): Promise<Answer>;
  /**
   * Finds out how fast a process starts here.
   *
   * @throws MachineTooSlowError if it takes so long that no timeout of a function means anything
   */
  calibrate(): Promise<void>;
  /**
   * Watches this process, which serves what the sandboxes ask, until the signal. Rejects with `MachineTooSlowError` when it has hardly run for a while:
   * whatever goes wrong then shows nothing.
   */
  tooSlow(signal: AbortSignal): Promise<never>;
  /** How many times longer a process takes to start than on a machine that is not slow. 1 if the system says how long each waits. */
  slowness(): number;
}

export interface MachineOptions {
  /**
   * How long a process has stood ready and has not run since its start, in milliseconds; without a process, the caller itself. `undefined` if
   * that is not known. @default what Linux says
   */
  readonly waitedMs?: (pid?: number) => number | undefined;
  /** Starts an empty process, and waits for its end. @default a process of Node */
  readonly start?: () => Promise<unknown>;
  /** How long this process may hardly run before the machine is too slow, in milliseconds. @default 20000 */
  readonly aWhileMs?: number;
  /** Milliseconds of a clock that is never set. @default `performance.now` */
  readonly now?: () => number;
}

/** The processes and the sandboxes that a measure counts. */
type Followed = 'all' | readonly (number | string)[];
type Waits = ReadonlyMap<number | string, number>;

/** A measure from the inside of this file. */
interface MachineState {
  readonly onStolen: ((ms: number) => void) | undefined;
  followed: Followed;
  at: number;
  ours: number;
  /** How long each process, and each sandbox, that it follows had waited when it was last looked at. */
  theirs: Waits;
  stolen: number;
}

const betweenSamplesMs = 200;

/** What an empty process of Node takes to start on a machine that is not slow; and what is too much for anything. */
const usualStartMs = 150;
const longestStartMs = 10_000;

export function createMachine(options: MachineOptions = {}): Machine {
  const { waitedMs = waitedOnLinux, start = startNode, aWhileMs = 20_000, now = () => performance.now() } = options;
  let slowness = 1;
  const lag = createLag(now);
  const isKnown = waitedMs() !== undefined;
  const late = new Map<string, Late>();
  const ours = () => waitedMs() ?? lag.totalMs();
  const measures = new Set<MachineState>();
  const waitOf = (one: number | string) => (typeof one === 'number' ? waitedMs(one) : late.get(one)?.totalMs());
  const waitedBy = (followed: Followed): Waits => {
    const all = followed === 'all' ? [...[...measures].flatMap((one) => one.followed), ...late.keys()] : followed;
    const waits = all.map((one) => [one, waitOf(one)] as const);
    return new Map(waits.filter((wait): wait is [number | string, number] => wait[1] !== undefined));
  };
  let timer: NodeJS.Timeout | undefined;
  const sample = () => {
    const waited = ours();
    for (const one of measures) take(one, now(), waited, waitedBy);
  };
  return {
    sample,
    serving(answer, sandbox) {
      if (sandbox === undefined) return answer;
      const its = late.get(sandbox) ?? createLate(now);
      late.set(sandbox, its);
      return its.serving(answer);
    },
    slowness: () => slowness,
    tooSlow: (signal) => watchOver(measure(), { now, aWhileMs }, signal),
    async calibrate() {
      const begun = now();
      await start();
      const startMs = now() - begun;
      if (startMs > longestStartMs)
        throw new MachineTooSlowError(`an empty process took ${seconds(startMs)} s to start`);
      if (!isKnown) slowness = Math.max(1, startMs / usualStartMs);
    },
    measure,
  };

  function measure(onStolen?: (ms: number) => void): Measure {
    if (!isKnown) lag.start();
    const one: MachineState = { onStolen, followed: [], at: now(), ours: ours(), theirs: new Map(), stolen: 0 };
    measures.add(one);
    timer ??= setInterval(sample, betweenSamplesMs).unref();
    return {
      stolenMs() {
        if (measures.has(one)) take(one, now(), ours(), waitedBy);
        return one.stolen;
      },
      follow(pid, sandbox) {
        take(one, now(), ours(), waitedBy);
        one.followed = pid === 'all' ? pid : [pid, sandbox].filter((which) => which !== undefined);
        one.theirs = waitedBy(one.followed);
      },
      end() {
        measures.delete(one);
        if (measures.size > 0) return;
        clearInterval(timer);
        timer = undefined;
        lag.stop();
      },
    };
  }
}

function take(one: MachineState, at: number, ours: number, waitedBy: (followed: Followed) => Waits): void {
  const theirs = waitedBy(one.followed);
  const passed = at - one.at;
  // Of a process that was not looked at before, nobody knows when it waited; of a sandbox, its answers were not late before.
  const before = (which: number | string, waited: number) =>
    one.theirs.get(which) ?? (typeof which === 'number' ? waited : 0);
  const waits = [...theirs].map(([which, waited]) => waited - before(which, waited));
  const stolen = Math.min(passed, Math.max(ours - one.ours, ...waits));
  one.at = at;
  one.ours = ours;
  // What could not be read this time is compared with what it was before.
  one.theirs = new Map([...one.theirs, ...theirs]);
  if (!(stolen > 0)) return;
  one.stolen += stolen;
  one.onStolen?.(stolen);
}

async function startNode(): Promise<void> {
  const child = killWithUs(spawn(process.execPath, ['-e', ''], { stdio: 'ignore' }));
  await once(child, 'exit');
}
