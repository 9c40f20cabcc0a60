import { killOfContext, realTimers, runBy } from './ambient.ts';
import { createCallers } from './callers.ts';
import { createClock } from './clock.ts';
import { countsOf } from './effects.ts';
import { type Boundary, connectionReset, type FaultAt, inWords } from './faults.ts';
import { invoke, type SweptHandler } from './invocation.ts';
import type { Scenario, SweepSettings } from './options.ts';
import { watchOrder } from './order.ts';
import { createQueue } from './queue.ts';
import type { RealWork } from './real-work.ts';
import { listenToRejections } from './rejections.ts';
import { createSandbox, type Sandbox, type Surroundings } from './sandbox.ts';
import { expiringStore } from './store.ts';
import { type Answer, type Delivered, type Delivery, settle as end, type Sent } from './traffic.ts';
import { worldOf } from './world.ts';

/** What came of one run. */
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

/** The events of a claim whose message had its turn. */
const attending: ReadonlySet<string> = new Set([
  'granted',
  'taken-over',
  'key-reused',
  'still-parked',
  'undeliverable',
]);

/** What a run needs besides its settings. */
export interface Circumstances extends Required<Scenario> {
  readonly realWork: RealWork;
  /** The number of the only message that is sent. @default all are */
  readonly only?: number;
}

/** A run that goes on for longer has no end: 100 invocations, and 20 for each message. */
const mostInvocations = (messages: number) => Math.max(100, 20 * messages);
/** As long as SQS keeps a message by default, in milliseconds. */
const longestMs = 4 * 24 * 3600_000;
/** How long a call may take in real time. */
const patienceMs = 10_000;

/** Runs a handler in a world of its own, with these faults, until every message has its fate. */
export function runOnce<Provider>(
  settings: SweepSettings<Provider>,
  circumstances: Circumstances,
): Promise<Run<Provider>> {
  const clock = createClock();
  return runBy({ now: clock.now }, () => runBetween(clock, settings, circumstances));
}

async function runBetween<Provider>(
  clock: ReturnType<typeof createClock>,
  settings: SweepSettings<Provider>,
  { delivery, faults, realWork, only }: Circumstances,
): Promise<Run<Provider>> {
  const { messages, callers, effects } = settings;
  const store = expiringStore(clock.now);
  const queue = callers ? undefined : createQueue(clock, { ...settings, delivery });
  const traffic = queue ?? createCallers(clock, { ...settings, ...callers, delivery });
  for (const one of traffic.all) if (only !== undefined && one.number !== only) end(one, 'acknowledged');
  const provider = settings.provider({ now: clock.now });
  const order = watchOrder(traffic.all, ({ message }) =>
    Object.values(countsOf(effects(provider, message), message)).some((count) => count > 0),
  );
  const isEachAlone = callers !== undefined || delivery === 'apart';
  const sandboxes = delivery === 'in-turn' ? 1 : (settings.sandboxes ?? (isEachAlone ? messages.length + 1 : 2));
  const most = mostInvocations(messages.length);
  const boundaries: Boundary[] = [];
  const told: [at: number, worker: number, what: string][] = [];
  const idle: { readonly sandbox: Sandbox; readonly handler: SweptHandler }[] = [];
  const underWay = new Set<Promise<unknown>>();
  const attendedTo = new Set<string>();
  const parked = new Set<string>();
  let invocations = 0;
  let running = 0;
  let onTheirWay = 0;
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
      // What throws at once is a call that fails. Its clients' timers are real ones, for the clock stands still.
      const inTime = runBy({ now: clock.now }, () => withinPatience(name, (async () => call())()));
      underWay.add(inTime);
      try {
        return await inTime;
      } catch (error) {
        if (error instanceof ImpatientError) broken = { error };
        throw error;
      } finally {
        underWay.delete(inTime);
        look();
      }
    },
    makeLate(worker, name, call, ms) {
      onTheirWay++;
      clock.after(ms, () => {
        tell(worker, `${name}: the late request is applied`);
        const made = surroundings.make(name, call).catch(() => undefined);
        void made.then(() => onTheirWay--);
      });
    },
  };

  function look(): void {
    try {
      order.look();
    } catch (error) {
      broken ??= { error };
    }
  }

  async function work(delivered: Delivered): Promise<void> {
    invocations++;
    running++;
    try {
      const { sandbox, handler } = idle.pop() ?? startSandbox();
      tell(sandbox.worker, delivered.story);
      current = sandbox;
      const answer: Answer = await invoke(sandbox, handler, delivered.event, {
        clock,
        timeoutMs: settings.functionTimeoutMs,
      });
      const what = traffic.conclude(delivered, answer);
      if (what !== undefined) tell(sandbox.worker, what);
      if (answer.kind !== 'died') idle.push({ sandbox, handler });
    } catch (error) {
      broken ??= { error };
    } finally {
      running--;
    }
  }

  /** A cold start: the modules are loaded anew. */
  function startSandbox() {
    const sandbox = createSandbox(surroundings, ++workers);
    const heard = ({ type, id }: { readonly type: string; readonly id: string }) => {
      if (attending.has(type)) attendedTo.add(id);
      if (type === 'parked' || type === 'still-parked') parked.add(id);
    };
    const world = worldOf(sandbox, { store, queue, tell, heard, lateMs: settings.lateMs });
    return { sandbox, handler: sandbox.inside(() => settings.handler(world, provider)) };
  }

  /** Lets everything happen that waits for nothing but its turn. */
  async function settle(): Promise<void> {
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
  async function hesitate(until: number): Promise<void> {
    if (running === 0 || until - clock.now() < 1000) return;
    const nextAt = clock.nextAt();
    const isQuiet = () => clock.nextAt() === nextAt && underWay.size === 0;
    await realWork.settle();
    for (let turns = 0; turns < 20 && isQuiet(); turns++) {
      await turn();
      await realWork.settle();
    }
    await settle();
  }

  const canInvoke = () => running < sandboxes && invocations < most;
  const nextAt = () => (canInvoke() ? Math.min(clock.nextAt(), traffic.nextAt()) : clock.nextAt());

  const stopListening = listenToRejections((reason) => {
    // Node says in whose context a promise was made; where it does not, it was most likely the one that ran last.
    const kill = killOfContext() ?? (running > 0 ? current?.kill : undefined);
    if (kill === undefined) broken ??= { error: reason };
    else kill(`dies of an unhandled rejection: ${String(reason)}`);
  });
  try {
    for (;;) {
      while (canInvoke() && traffic.nextAt() <= clock.now()) {
        const delivered = traffic.receive();
        if (delivered === undefined) break;
        void work(delivered);
      }
      await settle();
      if (broken !== undefined) throw broken.error;
      const isOver = traffic.isEmpty() || invocations >= most || clock.elapsedMs() > longestMs + settings.longestWaitMs;
      if (running === 0 && isOver && onTheirWay === 0) break;
      const until = nextAt();
      await hesitate(until);
      // Something else has come up meanwhile.
      if (nextAt() < until) continue;
      if (clock.nextAt() <= until) clock.step();
      else clock.goTo(until);
    }
  } finally {
    stopListening();
  }
  for (const one of traffic.all) if (one.fate === undefined) end(one, 'stuck');

  const isLate = faults.some(({ fault }) => fault === 'apply-late' || fault === 'apply-again');
  return {
    delivery,
    faults,
    boundaries,
    messages: only === undefined ? traffic.all : traffic.all.filter(({ number }) => number === only),
    provider,
    attended: attendedTo,
    parked,
    // What a network delays, no handler can put in order.
    outOfOrder: isLate ? new Set() : order.outOfOrder(),
    maxReceiveCount: settings.maxReceiveCount,
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
    timer = realTimers.setTimeout(() => reject(new ImpatientError(why)), patienceMs);
  });
  try {
    return await Promise.race([called, late]);
  } finally {
    realTimers.clearTimeout(timer);
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function duration(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
