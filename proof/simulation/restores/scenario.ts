import type { FaultRates } from '../faults.ts';
import { faultNames } from '../faults.ts';
import type { Policy } from '../scenario.ts';
import { createRandom } from '../world/random.ts';

type Shape = 'steps' | 'commits' | 'phases' | 'plain';
export type StepPolicy = 'retry' | 'park' | 'ask';

/** One table of the lineage, in milliseconds since the start. The last one is never stopped. */
interface Era {
  /** The moment that the next table is restored to. */
  readonly cutOffMs: number;
  /** When its consumers are stopped. What happens in between is forgotten. */
  readonly stopMs: number;
  /** When the next table is marked, and its consumers begin. */
  readonly markMs: number;
}

/** Everything that a seed decides before time begins. */
export interface RestoreScenario {
  readonly faults: FaultRates;
  readonly faultsEndMs: number;
  readonly policy: Policy;
  readonly shape: Shape;
  /** The policy of each step; of `phases`, the first is that of its remote call. */
  readonly steps: readonly StepPolicy[];
  readonly inParallel: boolean;
  readonly keys: number;
  /** How long an invocation lasts at most, and a claim with it. */
  readonly timeoutMs: number;
  readonly killed: number;
  readonly busy: number;
  readonly unsaid: number;
  readonly sweeps: boolean;
  readonly corrects: boolean;
  /** Whether a table is cut off when a claim is in flight. */
  readonly cutsInFlight: boolean;
  readonly eras: readonly [Era, Era];
  readonly sdkTries: number;
}

export function createRestoreScenario(seed: number): RestoreScenario {
  const { pick, chance, below, between } = createRandom(seed + 0x57_0000_0000);
  const shape = pick<Shape>(['steps', 'steps', 'steps', 'commits', 'phases', 'plain']);
  const first = eraFrom(0);
  const second = eraFrom(first.markMs);
  const answerLost = pick([0, 0, 0.05]);
  return {
    faults: Object.fromEntries(
      faultNames.map((name) => [name, name === 'storeAnswerLost' ? answerLost : 0]),
    ) as FaultRates,
    faultsEndMs: second.markMs + 30_000,
    policy: shape === 'plain' ? pick(['park', 'reconcile']) : pick(['retry', 'retry', 'retry', 'park']),
    shape,
    steps: Array.from({ length: shape === 'steps' ? 1 + below(3) : 2 }, () =>
      pick<StepPolicy>(['park', 'park', 'ask', 'retry']),
    ),
    inParallel: chance(0.3),
    keys: 2 + below(5),
    timeoutMs: pick([3000, 15_000, 60_000, 60_000]),
    killed: pick([0.1, 0.3, 0.5]),
    busy: pick([0.05, 0.3]),
    unsaid: pick([0, 0.1]),
    sweeps: chance(0.5),
    corrects: chance(0.3),
    cutsInFlight: chance(0.5),
    eras: [first, second],
    sdkTries: 3,
  };

  function eraFrom(beginsMs: number): Era {
    const stopMs = beginsMs + between(10_000, 60_000);
    // What is lost may be all that the table has seen.
    const cutOffMs = chance(0.1) ? beginsMs + 1 : Math.max(beginsMs + 1, stopMs - between(500, 25_000));
    return { cutOffMs, stopMs, markMs: stopMs + between(200, pick([1000, 20_000])) };
  }
}
