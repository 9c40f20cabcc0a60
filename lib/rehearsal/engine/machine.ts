import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pageAt } from 'pawl/kernel';
import { killWithUs } from './children.ts';

/*
 * How much time the machine gave.
 *
 * Owns: what a measure counts as taken away. On a busy machine a sandbox stands ready and does not run, and neither does this process, which
 * serves what the sandbox asks, nor a server beside it, which then answers late. That is no time of the function, and no time of its messages.
 * Does not own: what follows from it. Timeouts and visibility timeouts ask here.
 *
 * 1. Of each moment, what is taken away is never more than the moment: this process and the sandbox may wait at the same time.
 * 2. A process that sleeps waits for nothing that the machine owes it: a handler that waits for a provider uses its time up.
 */

/** A measure of the time that was taken away from one piece of work. */
export interface Measure {
  /** How much was taken away since it began, in milliseconds. */
  stolenMs(): number;
  /** Counts the waiting of this process as well, from now on; of `all`, the waiting of each process that another measure counts. */
  follow(pid: number | 'all' | undefined): void;
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
  /** Waits for an answer of a server of the rehearsal: what it takes beyond what a service takes, the machine owes. */
  serving<Answer>(answer: Promise<Answer>): Promise<Answer>;
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

/** No rehearsal on this machine could be believed. */
export class MachineTooSlowError extends Error {
  override readonly name = 'MachineTooSlowError';

  constructor(why: string) {
    super(`This machine is too slow to judge an app: ${why}. ${whatToDo}`);
  }
}

export const whatToDo = `End what else is running, or set sandboxesPerFunction to 1, and run it again. See ${pageAt('docs/reference/rehearse-command.md#a-slow-machine')}.`;

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

/** A measure from the inside of this file. */
interface MachineState {
  readonly onStolen: ((ms: number) => void) | undefined;
  pid: number | 'all' | undefined;
  at: number;
  ours: number;
  /** How long each process that it follows had waited when it was last looked at. */
  theirs: ReadonlyMap<number, number>;
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
  const late = createLate(now);
  const ours = () => (waitedMs() ?? lag.totalMs()) + late.totalMs();
  const measures = new Set<MachineState>();
  const waitedBy = (followed: MachineState['pid']) => {
    const pids = followed === 'all' ? [...measures].map(({ pid }) => pid) : [followed];
    const waits = pids.map((pid) => [pid, typeof pid === 'number' ? waitedMs(pid) : undefined] as const);
    return new Map(waits.filter((wait): wait is [number, number] => wait[1] !== undefined));
  };
  let timer: NodeJS.Timeout | undefined;
  const sample = () => {
    const waited = ours();
    for (const one of measures) take(one, now(), waited, waitedBy);
  };
  return {
    sample,
    serving: late.serving,
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
    const one: MachineState = { onStolen, pid: undefined, at: now(), ours: ours(), theirs: new Map(), stolen: 0 };
    measures.add(one);
    timer ??= setInterval(sample, betweenSamplesMs).unref();
    return {
      stolenMs() {
        if (measures.has(one)) take(one, now(), ours(), waitedBy);
        return one.stolen;
      },
      follow(pid) {
        take(one, now(), ours(), waitedBy);
        one.pid = pid;
        one.theirs = waitedBy(pid);
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

function take(
  one: MachineState,
  at: number,
  ours: number,
  waitedBy: (pid: MachineState['pid']) => ReadonlyMap<number, number>,
): void {
  const theirs = waitedBy(one.pid);
  const passed = at - one.at;
  const waits = [...theirs].map(([pid, waited]) => waited - (one.theirs.get(pid) ?? waited));
  const stolen = Math.min(passed, Math.max(ours - one.ours, ...waits));
  one.at = at;
  one.ours = ours;
  // What could not be read this time is compared with what it was before.
  one.theirs = new Map([...one.theirs, ...theirs]);
  if (!(stolen > 0)) return;
  one.stolen += stolen;
  one.onStolen?.(stolen);
}

/** What a service takes for an answer, at the most. */
const usualAnswerMs = 100;

/** The time in which at least one answer was late. */
function createLate(now: () => number) {
  const begun = new Set<{ readonly at: number }>();
  let counted = 0;
  let total = 0;
  const totalMs = () => {
    const from = Math.max(counted, Math.min(...[...begun].map(({ at }) => at)) + usualAnswerMs);
    if (now() > from) {
      total += now() - from;
      counted = now();
    }
    return total;
  };
  return {
    totalMs,
    async serving<Answer>(answer: Promise<Answer>): Promise<Answer> {
      const one = { at: now() };
      begun.add(one);
      try {
        return await answer;
      } finally {
        totalMs();
        begun.delete(one);
      }
    },
  };
}

/** A timer may be so much too early. */
export const momentMs = 1;

/** So much is taken away on an idle machine, too. */
const trifleMs = 100;

/**
 * How many times its limit something may take at the most, however little of it the machine gave. Beyond that, what else runs here and goes by
 * the clock would not fit any more.
 */
const longest = 5;

/** What looks at the clock, to begin nothing that it cannot end, begins less when so much is taken away. */
const slowedShare = 0.1;

/** The time that something has. */
export interface Time {
  leftMs(): number;
  /** Whether it has gone beyond its end, since it had time back. */
  isStretched(): boolean;
  /** Whether so much of it was taken away that it may have done less than it would have. */
  isSlowed(): boolean;
  /** Whether it has not had its time. Asked when there is none left. */
  isStarved(): boolean;
}

/** Time as the machine gives it, from now on: what it takes away does not count, up to a limit. */
export function timeOf(measure: Measure, limitMs: number): Time {
  const [begun, before] = [performance.now(), measure.stolenMs()];
  const passedMs = () => performance.now() - begun;
  const stolenMs = () => measure.stolenMs() - before;
  return {
    leftMs: () => Math.min(limitMs + stolenMs(), longest * limitMs) - passedMs(),
    isStretched: () => passedMs() > limitMs && stolenMs() > trifleMs,
    isSlowed: () => stolenMs() > Math.max(trifleMs, limitMs * slowedShare),
    isStarved: () => passedMs() - stolenMs() < limitMs - momentMs,
  };
}

async function startNode(): Promise<void> {
  const child = killWithUs(spawn(process.execPath, ['-e', ''], { stdio: 'ignore' }));
  await once(child, 'exit');
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

/** A process that waits for more than this share of so long a time cannot serve anybody. Beside four busy programs for two cores, it is about a half. */
const tooMuch = 0.85;
const looksInAWhile = 20;

async function watchOver(
  measure: Measure,
  { now, aWhileMs }: Required<Pick<MachineOptions, 'now' | 'aWhileMs'>>,
  signal: AbortSignal,
): Promise<never> {
  const looks: { readonly at: number; readonly stolen: number }[] = [];
  try {
    for (;;) {
      looks.push({ at: now(), stolen: measure.stolenMs() });
      const [first, last] = [looks[0], looks.at(-1)];
      const passed = (last?.at ?? 0) - (first?.at ?? 0);
      const stolen = (last?.stolen ?? 0) - (first?.stolen ?? 0);
      if (passed >= aWhileMs) {
        if (stolen > tooMuch * passed) {
          throw new MachineTooSlowError(
            `of the last ${seconds(passed)} s, the rehearsal itself stood ready for ${seconds(stolen)} s and did not run`,
          );
        }
        looks.shift();
      }
      await sleep(aWhileMs / looksInAWhile, undefined, { ref: false, signal });
    }
  } finally {
    measure.end();
  }
}

/** The second number is what a thread has spent on a run queue, in nanoseconds. Of a process, it is that of its main thread, which runs the handler. */
function waitedOnLinux(pid?: number): number | undefined {
  try {
    const text = readFileSync(pid === undefined ? '/proc/thread-self/schedstat' : `/proc/${pid}/schedstat`, 'utf8');
    const waited = Number(text.split(' ')[1]) / 1e6;
    return Number.isFinite(waited) ? waited : undefined;
  } catch {
    // Another system, a kernel without it, or the process has ended.
    return undefined;
  }
}

const tickMs = 20;
/** What a timer is late on an idle machine. */
const usualLagMs = 5;

/** Where the system does not say it: how late the timers of this process are. A machine that is late here is late for its sandboxes. */
function createLag(now: () => number) {
  let timer: NodeJS.Timeout | undefined;
  let expected = 0;
  let total = 0;
  const late = () => (timer === undefined ? 0 : Math.max(0, now() - expected - usualLagMs));
  return {
    totalMs: () => total + late(),
    start() {
      if (timer !== undefined) return;
      expected = now() + tickMs;
      timer = setInterval(() => {
        total += late();
        expected = now() + tickMs;
      }, tickMs).unref();
    },
    stop() {
      total += late();
      clearInterval(timer);
      timer = undefined;
    },
  };
}
