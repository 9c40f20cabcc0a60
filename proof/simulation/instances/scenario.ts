import { drawFaults } from '../scenario.ts';
import type { Troubled } from '../troubles.ts';
import { createRandom } from '../world/random.ts';

/** Everything that a seed decides before time begins. */
export interface InstancesScenario extends Troubled {
  readonly seed: number;
  readonly door: 'each-message' | 'sqs-once' | 'once' | 'http';
  readonly policy: 'park' | 'reconcile' | 'retry';
  /** Messages, or requests. Each has a key of its own. */
  readonly keys: number;
  /** Share of the keys that are sent once more. */
  readonly sentAgain: number;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly functionTimeoutMs: number;
  readonly visibilityMs: number;
  readonly maxReceiveCount: number;
  readonly fifo: false;
  /** A lease that the author gives. */
  readonly leaseMs: number | undefined;
  readonly marginMs: number;
  readonly skewMs: number;
  readonly sdkTries: number;
  readonly effect: 'unmarked' | 'marked';
  /** Share of the runs that are still at work when their invocation ends. */
  readonly overruns: number;
  /** How long after the deadline the last of them asks its provider, in milliseconds. */
  readonly longestOverrunMs: number;
  readonly answers: 'settled' | 'failures';
  /** Whether `once` is told when the invocation ends. */
  readonly givesRemainingTime: boolean;
  /** An operator looks parked claims up at the provider, decides them, and redrives their messages. */
  readonly hasOperator: boolean;
  readonly remembersCompleted: boolean;
}

/** How many invocations one process serves at once. */
export const perProcess = 64;
/** How long a provider works on an effect at most, in milliseconds, with the way to it and back. */
export const providerTakesMs = 2000;

export function createInstancesScenario(seed: number): InstancesScenario {
  const random = createRandom(seed + 0x57_0000_0000);
  const { pick, chance, between } = random;
  const door = pick<InstancesScenario['door']>(['each-message', 'each-message', 'sqs-once', 'once', 'http']);
  const policy = pick<InstancesScenario['policy']>(['park', 'park', 'reconcile', 'retry']);
  const functionTimeoutMs = pick([5000, 10_000, 30_000]);
  // Whoever is asked beyond the grace cannot know what code is still going to do: only what never runs again is safe then.
  const isBeyondGrace = policy !== 'reconcile' && chance(0.3);
  const marginMs = pick([300, 1000]);
  return {
    seed,
    faults: {
      ...drawFaults(random),
      // What these do to a process is tried in the other worlds. Here, a process is ended with all that it does.
      killAtCall: 0,
      pause: 0,
      killLate: 0,
      clockJumps: 0,
      clockWrong: 0,
      // A renewal that cannot be written is no renewal.
      storeOutage: 0,
    },
    faultsEndMs: between(20_000, 120_000),
    door,
    policy,
    keys: perProcess,
    sentAgain: pick([0, 0.2, 0.5]),
    batchSize: pick([1, 1, 3, 10]),
    concurrency: pick([1, 2, 25]),
    functionTimeoutMs,
    visibilityMs: pick([6 * functionTimeoutMs, functionTimeoutMs]),
    maxReceiveCount: pick([5, 12]),
    fifo: false,
    leaseMs: door !== 'sqs-once' && chance(0.3) ? pick([3000, 10_000]) : undefined,
    marginMs,
    skewMs: 1000,
    sdkTries: pick([4, 2]),
    effect: door !== 'sqs-once' && chance(0.3) ? 'marked' : 'unmarked',
    overruns: pick([0.1, 0.5, 1]),
    longestOverrunMs: isBeyondGrace ? 400_000 : 50_000,
    answers: pick(['settled', 'failures']),
    givesRemainingTime: chance(0.7),
    hasOperator: policy === 'park' && !isBeyondGrace && chance(0.7),
    remembersCompleted: chance(0.3),
  };
}
