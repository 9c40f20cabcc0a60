import { memoryStore } from '../stores/memory.ts';
import { createClock } from './clock.ts';
import { type Boundary, connectionReset, type FaultAt, inWords } from './faults.ts';
import { invoke, type SweptHandler } from './invocation.ts';
import type { SweepSettings } from './options.ts';
import { createQueue, type Queued } from './queue.ts';
import { listenToRejections } from './rejections.ts';
import { createSandbox, type Sandbox, type Surroundings } from './sandbox.ts';
import { worldOf } from './world.ts';

/** What came of one run. */
export interface Run<Provider> {
  readonly faults: readonly FaultAt[];
  readonly boundaries: readonly Boundary[];
  readonly messages: readonly Queued[];
  readonly provider: Provider;
  /** What happened, line by line. */
  readonly story: readonly string[];
}

const mostInvocations = 100;
/** As long as SQS keeps a message by default, in milliseconds. */
const longestMs = 4 * 24 * 3600_000;
/** How long a call may take in real time. */
const patienceMs = 10_000;

/** Runs a handler in a world of its own, with these faults, until every message has its fate. */
export async function runOnce<Provider>(
  settings: SweepSettings<Provider>,
  faults: readonly FaultAt[],
): Promise<Run<Provider>> {
  const clock = createClock();
  const store = memoryStore();
  const queue = createQueue(settings.messages, clock, settings);
  const provider = settings.provider({ now: clock.now });
  const boundaries: Boundary[] = [];
  const told: [at: number, worker: number, what: string][] = [];
  const idle: { readonly sandbox: Sandbox; readonly handler: SweptHandler }[] = [];
  const underWay = new Set<Promise<unknown>>();
  let invocations = 0;
  let running = 0;
  let workers = 0;
  let ids = 0;
  let current: Sandbox | undefined;
  /** An error of the test's, and not of the handler's. */
  let broken: { readonly error: unknown } | undefined;

  const tell = (worker: number, what: string) => told.push([clock.elapsedMs(), worker, what]);

  const surroundings: Surroundings = {
    clock,
    tell,
    errorOf: settings.error ?? connectionReset,
    randomId: () => `id-${++ids}`,
    enter: (sandbox) => {
      current = sandbox;
    },
    reach(worker, name, possible) {
      const at = boundaries.push({ name, faults: possible });
      const found = faults.find((one) => one.at === at)?.fault;
      const fault = found !== undefined && possible.includes(found) ? found : undefined;
      tell(worker, fault ? `#${at} ${name}: ${inWords(fault)}` : `#${at} ${name}`);
      return fault;
    },
    async make(name, call) {
      // What throws at once is a call that fails.
      const called = (async () => call())();
      const inTime = withinPatience(name, called);
      underWay.add(inTime);
      try {
        return await inTime;
      } catch (error) {
        if (error instanceof ImpatientError) broken = { error };
        throw error;
      } finally {
        underWay.delete(inTime);
      }
    },
  };

  async function work(): Promise<void> {
    const batch = queue.receive(settings.batchSize);
    if (batch.length === 0) return;
    invocations++;
    running++;
    try {
      const { sandbox, handler } = idle.pop() ?? startSandbox();
      tell(
        sandbox.worker,
        `receives ${batch.map((one) => `message ${one.number}, for the ${nth(one.receiveCount)} time`).join('; ')}`,
      );
      current = sandbox;
      const failed = await invoke(sandbox, handler, batch, { clock, timeoutMs: settings.functionTimeoutMs });
      if (failed === undefined) return;
      for (const one of batch) if (!failed.includes(one)) queue.acknowledge(one);
      if (failed.length > 0) tell(sandbox.worker, `returns ${numbersOf(failed)} to the queue`);
      idle.push({ sandbox, handler });
    } catch (error) {
      broken ??= { error };
    } finally {
      running--;
    }
  }

  /** A cold start: the modules are loaded anew. */
  function startSandbox() {
    const sandbox = createSandbox(surroundings, ++workers);
    return { sandbox, handler: settings.handler(worldOf(sandbox, { store, queue, tell }), provider) };
  }

  /** Lets everything happen that waits for nothing but its turn. */
  async function settle(): Promise<void> {
    await turn();
    while (underWay.size > 0) {
      await Promise.race(underWay).catch(() => undefined);
      await turn();
    }
  }

  /** A handler that waits for something the kit does not see has a few more turns, before much of the clock's time passes. */
  async function hesitate(until: number): Promise<void> {
    if (running === 0 || until - clock.now() < 1000) return;
    const nextAt = clock.nextAt();
    for (let turns = 0; turns < 20 && clock.nextAt() === nextAt; turns++) await turn();
    await settle();
  }

  const stopListening = listenToRejections((reason) => {
    if (running === 0) broken ??= { error: reason };
    else current?.kill(`dies of an unhandled rejection: ${String(reason)}`);
  });
  try {
    for (;;) {
      while (running < settings.sandboxes && queue.nextVisibleAt() <= clock.now() && invocations < mostInvocations) {
        const before = invocations;
        void work();
        if (invocations === before) break;
      }
      await settle();
      if (broken !== undefined) throw broken.error;
      const nextAt = running < settings.sandboxes ? Math.min(clock.nextAt(), queue.nextVisibleAt()) : clock.nextAt();
      if (running === 0 && (queue.isEmpty() || invocations >= mostInvocations || clock.elapsedMs() > longestMs)) break;
      await hesitate(nextAt);
      if (clock.nextAt() <= nextAt) clock.step();
      else clock.goTo(nextAt);
    }
  } finally {
    stopListening();
  }
  queue.giveUp();

  return {
    faults,
    boundaries,
    messages: queue.all,
    provider,
    get story() {
      return told.map(([at, worker, what]) => `${duration(at).padStart(10)}  worker ${worker} ${what}`);
    },
  };
}

class ImpatientError extends Error {}

/** @throws ImpatientError when the call has not ended in time: the run could only wait for ever */
async function withinPatience<T>(name: string, called: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const why = `pawl/testing: ${name} has not ended within ${patienceMs / 1000} s of real time; to make a call hang is the sweep's part`;
    timer = setTimeout(() => reject(new ImpatientError(why)), patienceMs);
  });
  try {
    return await Promise.race([called, late]);
  } finally {
    clearTimeout(timer);
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function nth(count: number): string {
  return ['first', 'second', 'third'][count - 1] ?? `${count}th`;
}

function numbersOf(messages: readonly Queued[]): string {
  return messages.map(({ number }) => `message ${number}`).join(' and ');
}

function duration(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
