import { forgetHandlersLater } from 'pawl/internal';
import { killOfContext, runBy } from './ambient.ts';
import { createClock } from './clock.ts';
import type { Boundary, FaultAt } from './faults.ts';
import type { CrashSweepSettings } from './options.ts';
import { listenToRejections } from './rejections.ts';
import { breakRun, type Circumstances, createRunState, type RunState, storyOf } from './run-state.ts';
import { type Delivery, type Sent, settle } from './traffic.ts';
import { work } from './workers.ts';

/*
 * Owns the course of one run: who is handed work when, and when the virtual clock goes on.
 *
 * 1. The clock moves only when all that is ready has happened, and no call to the outside is under way.
 * 2. A run ends when all messages have their fate, no invocation is under way and no late request is on its way; or when it has no end.
 * 3. An error of the test itself ends the run at once. An error of the handler never does.
 */

/** How one run ended. */
export interface Run<Provider> {
  readonly delivery: Delivery;
  readonly faults: readonly FaultAt[];
  readonly boundaries: readonly Boundary[];
  readonly messages: readonly Sent[];
  readonly provider: Provider;
  /** Claims that pawl has granted, or refused for their own sake, by their ids. */
  readonly attended: ReadonlySet<string>;
  /** Claims that pawl parked, or found parked. */
  readonly parked: ReadonlySet<string>;
  /** Messages whose effect came before that of an earlier one of their group, by their numbers. */
  readonly outOfOrder: ReadonlySet<number>;
  readonly maxReceiveCount: number;
  /** What happened, line by line. */
  readonly story: readonly string[];
}

/** As long as SQS keeps a message by default, in milliseconds. */
const longestMs = 4 * 24 * 3600_000;
/** Before less than this passes on the virtual clock, nothing real is waited for. In milliseconds. */
const longMs = 1000;

/** Runs a handler in a world of its own, with these faults, until every message has its fate. */
export function runOnce<Provider>(
  settings: CrashSweepSettings<Provider>,
  circumstances: Circumstances,
): Promise<Run<Provider>> {
  const clock = createClock();
  return runBy({ now: clock.now }, async () => {
    const run = createRunState(clock, settings, circumstances);
    const forgetHandlers = forgetHandlersLater();
    try {
      await drive(run);
    } finally {
      forgetHandlers();
    }
    return resultOf(run);
  });
}

/** @throws the error of the test, if it has one */
async function drive<Provider>(run: RunState<Provider>): Promise<void> {
  const stopListening = listenToRejections((reason) => endByRejection(run, reason));
  try {
    for (;;) {
      handOver(run);
      await settleAll(run);
      if (run.broken !== undefined) throw run.broken.error;
      if (isOver(run)) return;
      const until = nextAt(run);
      await hesitate(run, until);
      // Something else has come up meanwhile.
      if (nextAt(run) < until) continue;
      if (run.clock.nextAt() <= until) run.clock.step();
      else run.clock.goTo(until);
    }
  } finally {
    stopListening();
  }
}

/** Gives all work that is due to workers, as far as there are any. */
function handOver<Provider>(run: RunState<Provider>): void {
  while (canInvoke(run) && run.traffic.nextAt() <= run.clock.now()) {
    const delivered = run.traffic.receive();
    if (delivered === undefined) return;
    void work(run, delivered);
  }
}

const canInvoke = <Provider>(run: RunState<Provider>): boolean =>
  run.running < run.sandboxes && run.invocations < run.mostInvocations;

/** When the next thing happens. */
const nextAt = <Provider>(run: RunState<Provider>): number =>
  canInvoke(run) ? Math.min(run.clock.nextAt(), run.traffic.nextAt()) : run.clock.nextAt();

function isOver<Provider>(run: RunState<Provider>): boolean {
  const { traffic, clock, settings } = run;
  if (run.running > 0 || run.onTheirWay > 0) return false;
  const hasNoEnd = run.invocations >= run.mostInvocations || clock.elapsedMs() > longestMs + settings.longestWaitMs;
  return traffic.isEmpty() || hasNoEnd;
}

/** Lets everything happen that waits for nothing but its turn. */
async function settleAll<Provider>({ underWay }: RunState<Provider>): Promise<void> {
  await turn();
  while (underWay.size > 0) {
    await Promise.race(underWay).catch(() => undefined);
    await turn();
  }
}

/**
 * A handler that waits for something the kit does not see has a few more turns, and real work under way some real time, before much of
 * the clock's time passes.
 */
async function hesitate<Provider>(run: RunState<Provider>, until: number): Promise<void> {
  const { clock, underWay, circumstances } = run;
  if (run.running === 0 || until - clock.now() < longMs) return;
  const before = clock.nextAt();
  const isQuiet = () => clock.nextAt() === before && underWay.size === 0;
  await circumstances.realWork.settle();
  for (let turns = 0; turns < 20 && isQuiet(); turns++) {
    await turn();
    await circumstances.realWork.settle();
  }
  await settleAll(run);
}

/** In Lambda, a rejection that is not handled ends the worker. */
function endByRejection<Provider>(run: RunState<Provider>, reason: unknown): void {
  // Node says in whose context a promise was made; where it does not, it was most likely the one that ran last.
  const kill = killOfContext() ?? (run.running > 0 ? run.current?.kill : undefined);
  if (kill === undefined) breakRun(run, reason);
  else kill(`dies of an unhandled rejection: ${String(reason)}`);
}

function resultOf<Provider>(run: RunState<Provider>): Run<Provider> {
  const { circumstances, traffic, boundaries, provider, attended, parked, order, settings } = run;
  const { delivery, faults, only } = circumstances;
  for (const one of traffic.all) if (one.fate === undefined) settle(one, 'stuck');
  const isLate = faults.some(({ fault }) => fault === 'apply-late' || fault === 'apply-again');
  return {
    delivery,
    faults,
    boundaries,
    messages: only === undefined ? traffic.all : traffic.all.filter(({ number }) => number === only),
    provider,
    attended,
    parked,
    // What a network delays, no handler can put in order.
    outOfOrder: isLate ? new Set() : order.outOfOrder(),
    maxReceiveCount: settings.maxReceiveCount,
    get story() {
      return storyOf(run);
    },
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
