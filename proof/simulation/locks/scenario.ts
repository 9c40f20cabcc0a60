import type { FaultRates } from '../faults.ts';
import { drawFaults } from '../scenario.ts';
import { createRandom } from '../world/random.ts';

/** A wish to repay these debts: a message that comes until it is done. */
export interface Wish {
  readonly holder: string;
  readonly debts: readonly string[];
}

/** Everything that a seed decides before time begins. */
export interface LockScenario {
  readonly seed: number;
  readonly faults: FaultRates;
  /** From here on nothing goes wrong any more, in milliseconds since the start. */
  readonly faultsEndMs: number;
  /** How long after that everything may take. */
  readonly mayTakeMs: number;
  readonly wishes: readonly Wish[];
  /** For so long new wishes come. */
  readonly forMs: number;
  /** How the debts are repaid: chunk by chunk with the progress; all in one transaction; each in one of its own. */
  readonly style: 'chunks' | 'together' | 'apart';
  readonly onFailure: 'unlock' | 'keep' | 'if-repaid';
  /** How many records go in one write: sets of more are locked piece by piece. */
  readonly most: number;
  readonly leaseMs: number;
  readonly keepMs: number;
  readonly skewMs: number;
  readonly waitMs: number;
  readonly chunk: number;
  readonly concurrency: number;
  readonly longestWorkMs: number;
  readonly functionTimeoutMs: number;
  /** When a message comes again whose attempt said that it has failed, and whose attempt said nothing. */
  readonly backoffMs: number;
  readonly visibilityMs: number;
  readonly sdkTries: number;
  /** The share of the requests of locks and of progress that are never answered, whether or not they are applied. */
  readonly hangs: number;
}

export function createLockScenario(seed: number): LockScenario {
  // A stream of its own: what happens later does not depend on how many choices were made here.
  const random = createRandom(seed + 0x52_0000_0000);
  const { pick, chance, below, between } = random;
  const functionTimeoutMs = pick([5000, 10_000, 30_000]);
  const keepMs = pick([5000, 60_000]);
  // Of some there are more than go in one transaction, or in one segment of the progress.
  const isLarge = chance(0.03);
  const debts = isLarge ? 130 : 2 + below(6);
  const wishes = Array.from({ length: 2 + below(4) }, (_, index): Wish => {
    const size = isLarge && chance(0.7) ? 60 + below(70) : 1 + below(Math.min(debts, 5));
    const named = new Set(Array.from({ length: size }, () => `debt ${below(debts)}`));
    return { holder: `h${index + 1}`, debts: [...named] };
  });
  const visibilityMs = pick([1, 1, 6]) * functionTimeoutMs;
  return {
    seed,
    faults: { ...drawFaults(random), statementThrottled: 0, statementFailsApplied: 0, itemWithheld: 0 },
    faultsEndMs: between(10_000, 120_000),
    mayTakeMs: wishes.length * 20 * (keepMs + functionTimeoutMs + visibilityMs),
    wishes,
    forMs: pick([100, 100, 20_000]),
    style: pick(['chunks', 'chunks', 'together', 'apart']),
    onFailure: pick(['unlock', 'keep', 'if-repaid']),
    most: isLarge ? pick([100, 40]) : pick([100, 100, 3, 2]),
    leaseMs: pick([1000, 3000, functionTimeoutMs]),
    keepMs,
    skewMs: pick([1000, 200]),
    waitMs: pick([0, 2000, functionTimeoutMs / 2]),
    chunk: isLarge ? pick([10, 25, 40]) : pick([1, 2, 25]),
    concurrency: pick([1, 2, 4]),
    longestWorkMs: pick([50, 1500, 0.6 * functionTimeoutMs]),
    functionTimeoutMs,
    backoffMs: pick([500, 5000]),
    visibilityMs,
    sdkTries: pick([4, 4, 2, 1]),
    hangs: pick([0, 0, 0.03]),
  };
}
