import { createCallers } from './callers.ts';
import type { Clock } from './clock.ts';
import { countsOf } from './effects.ts';
import type { Boundary } from './faults.ts';
import type { SweptHandler } from './invocation.ts';
import type { CrashSweepSettings, Scenario } from './options.ts';
import { watchOrder } from './order.ts';
import { createQueue } from './queue.ts';
import type { RealWork } from './real-work.ts';
import type { Sandbox } from './sandbox.ts';
import { expiringStore } from './store.ts';
import { settle, type Traffic } from './traffic.ts';
import type { Outside } from './world.ts';

/** What a run needs besides its settings. */
export interface Circumstances extends Required<Scenario> {
  readonly realWork: RealWork;
  /** The number of the only message that is sent. @default all are */
  readonly only?: number;
}

/** A worker that waits for its next invocation. */
export interface IdleWorker {
  readonly sandbox: Sandbox;
  readonly handler: SweptHandler;
}

/** A line of the story. */
interface Told {
  readonly atMs: number;
  readonly worker: number;
  readonly what: string;
}

/**
 * One run that is under way.
 *
 * Owns what all parts of a run share. It has no rules of its own: `drive` says what happens when, `calls` what becomes of a call to the outside,
 * `workers` how an invocation goes.
 */
export interface RunState<Provider> {
  readonly settings: CrashSweepSettings<Provider>;
  readonly circumstances: Circumstances;
  readonly clock: Clock;
  readonly provider: Provider;
  readonly traffic: Traffic;
  readonly outside: Pick<Outside, 'store' | 'queue'>;
  readonly order: ReturnType<typeof watchOrder>;
  /** How many workers there are at once. */
  readonly sandboxes: number;
  /** How many invocations there are at most: a run with more has no end. */
  readonly mostInvocations: number;
  readonly boundaries: Boundary[];
  readonly story: Told[];
  readonly idle: IdleWorker[];
  /** Calls that take real time. The clock stands still meanwhile. */
  readonly underWay: Set<Promise<unknown>>;
  /** Claims that pawl has granted, or refused for their own sake, by their ids. */
  readonly attended: Set<string>;
  /** Claims that pawl parked, or found parked. */
  readonly parked: Set<string>;
  invocations: number;
  /** Invocations that have not ended. */
  running: number;
  /** Requests that their sender has given up, and that are applied later. */
  onTheirWay: number;
  workers: number;
  ids: number;
  /** The sandbox whose code ran last. */
  current: Sandbox | undefined;
  /** An error of the test's, and not of the handler's: it ends the run. */
  broken: { readonly error: unknown } | undefined;
}

export function createRunState<Provider>(
  clock: Clock,
  settings: CrashSweepSettings<Provider>,
  circumstances: Circumstances,
): RunState<Provider> {
  const { messages, callers, effects } = settings;
  const { delivery, only } = circumstances;
  const queue = callers ? undefined : createQueue(clock, { ...settings, delivery });
  const traffic = queue ?? createCallers(clock, { ...settings, ...callers, delivery });
  for (const one of traffic.all) if (only !== undefined && one.number !== only) settle(one, 'acknowledged');
  const provider = settings.provider({ now: clock.now });
  const order = watchOrder(traffic.all, ({ message }) =>
    Object.values(countsOf(effects(provider, message), message)).some((count) => count > 0),
  );
  return {
    settings,
    circumstances,
    clock,
    provider,
    traffic,
    order,
    outside: { store: expiringStore(clock.now), queue },
    sandboxes: sandboxesOf(settings, circumstances),
    mostInvocations: Math.max(100, 20 * messages.length),
    boundaries: [],
    story: [],
    idle: [],
    underWay: new Set(),
    attended: new Set(),
    parked: new Set(),
    invocations: 0,
    running: 0,
    onTheirWay: 0,
    workers: 0,
    ids: 0,
    current: undefined,
    broken: undefined,
  };
}

function sandboxesOf<Provider>(
  { messages, callers, sandboxes }: CrashSweepSettings<Provider>,
  { delivery }: Circumstances,
): number {
  if (delivery === 'in-turn') return 1;
  const isEachAlone = callers !== undefined || delivery === 'apart';
  return sandboxes ?? (isEachAlone ? messages.length + 1 : 2);
}

export function tell<Provider>({ story, clock }: RunState<Provider>, worker: number, what: string): void {
  story.push({ atMs: clock.elapsedMs(), worker, what });
}

/** Remembers the first error of the test's. */
export function breakRun<Provider>(run: RunState<Provider>, error: unknown): void {
  run.broken ??= { error };
}

/** What happened, line by line. */
export function storyOf<Provider>({ story }: RunState<Provider>): readonly string[] {
  return story.map(({ atMs, worker, what }) => `${duration(atMs).padStart(10)}  worker ${worker} ${what}`);
}

function duration(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
