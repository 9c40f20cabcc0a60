import { realTimers, runBy } from './ambient.ts';
import { connectionReset, type Fault, inWords } from './faults.ts';
import { breakRun, type RunState, tell } from './run-state.ts';
import type { Surroundings } from './sandbox.ts';

/** How long a call may take in real time. */
const patienceMs = 10_000;

/** What a sandbox of this run reaches outside of itself. */
export function surroundingsOf<Provider>(run: RunState<Provider>): Surroundings {
  return {
    clock: run.clock,
    tell: (worker, what) => tell(run, worker, what),
    errorOf: run.settings.error ?? connectionReset,
    randomId: () => `id-${++run.ids}`,
    enter(sandbox) {
      run.current = sandbox;
    },
    reach: (worker, name, possible) => reach(run, worker, name, possible),
    make: (name, call) => make(run, name, call),
    makeLate: (worker, name, call, ms) => makeLate(run, worker, name, call, ms),
  };
}

/** Counts an await boundary. @returns what goes wrong there in this run */
function reach<Provider>(
  run: RunState<Provider>,
  worker: number,
  name: string,
  possible: readonly Fault[],
): Fault | undefined {
  const at = run.boundaries.push({ name, faults: possible });
  const planned = run.circumstances.faults.find((one) => one.at === at)?.fault;
  const fault = planned !== undefined && possible.includes(planned) ? planned : undefined;
  tell(run, worker, fault === undefined ? `#${at} ${name}` : `#${at} ${name}: ${inWords(fault)}`);
  return fault;
}

/** Makes a call that takes real time, and looks at the order of the effects after it. */
async function make<Provider, T>(run: RunState<Provider>, name: string, call: () => Promise<T> | T): Promise<T> {
  // What throws at once is a call that fails. Its clients' timers are real ones, for the clock stands still.
  const inTime = runBy({ now: run.clock.now }, () => withinPatience(name, (async () => call())()));
  run.underWay.add(inTime);
  try {
    return await inTime;
  } catch (error) {
    // It comes before anything that the handler makes of it.
    if (error instanceof ImpatientError) run.broken = { error };
    throw error;
  } finally {
    run.underWay.delete(inTime);
    look(run);
  }
}

function makeLate<Provider>(
  run: RunState<Provider>,
  worker: number,
  name: string,
  call: () => unknown,
  ms: number,
): void {
  run.onTheirWay++;
  run.clock.after(ms, () => {
    tell(run, worker, `${name}: the late request is applied`);
    const made = make(run, name, call).catch(() => undefined);
    void made.then(() => run.onTheirWay--);
  });
}

function look<Provider>(run: RunState<Provider>): void {
  try {
    run.order.look();
  } catch (error) {
    // `effects` is the test's: what it throws is no failure of the handler.
    breakRun(run, error);
  }
}

class ImpatientError extends Error {}

/** @throws ImpatientError when the call has not ended in time: the run would wait for ever */
async function withinPatience<T>(name: string, called: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const why = `@pawl/testing: ${name} has not ended within ${patienceMs / 1000} s of real time; to make a call hang is the sweep's part`;
    timer = realTimers.setTimeout(() => reject(new ImpatientError(why)), patienceMs);
  });
  try {
    return await Promise.race([called, late]);
  } finally {
    realTimers.clearTimeout(timer);
  }
}
