import { type FaultRates, faultNames } from '../faults.ts';
import { createRandom } from '../world/random.ts';

/** Which of the doors commits a message with its data. */
type Door = 'commit' | 'transaction' | 'step';

/** Where claims, data and messages lie. */
export type Database = 'dynamodb' | 'postgres';

/** Everything that a seed decides before time begins. */
export interface OutboxScenario {
  readonly faults: FaultRates;
  readonly faultsEndMs: number;
  readonly door: Door;
  readonly keys: number;
  /** Message groups of a FIFO queue; 0: a standard queue. */
  readonly groups: number;
  /** How many messages a commit has; in PostgreSQL, at most. */
  readonly perCommit: number;
  readonly timeoutMs: number;
  /** How long a worker tries to send what it has committed. */
  readonly atOnceMs: number;
  /** The share of workers, relays and sweeps that are killed at one of their requests. */
  readonly killed: number;
  /** The share of batches of the stream that no relay gets. */
  readonly streamLost: number;
  /** The share of calls to the queue that meet trouble. */
  readonly queueTroubled: number;
  /** The share of keys whose messages the queue refuses until an operator has corrected that. */
  readonly poisoned: number;
  /** Whether counters end by TTL where their group is idle. */
  readonly countersEnd: boolean;
  readonly sdkTries: number;
  /** In PostgreSQL: the share of processes that stand still at one of their requests, and go on when others have gone on without them. */
  readonly paused: number;
  /** In PostgreSQL: the options of the relay. */
  readonly olderThanMs: number;
  readonly concurrency: number;
}

export function createOutboxScenario(seed: number, database: Database): OutboxScenario {
  const { below, between, chance, pick } = createRandom(seed);
  const isOn = () => (chance(0.4) ? between(0.01, 0.12) : 0);
  const rates = faultNames.map((name) => [name, name.startsWith('store') || name.startsWith('statement') ? isOn() : 0]);
  return {
    faults: Object.fromEntries(rates) as FaultRates,
    faultsEndMs: between(20_000, 120_000),
    door: pick(['commit', 'commit', 'transaction', 'step']),
    keys: 2 + below(9),
    groups: pick([0, 1, 1, 2, 3]),
    perCommit: pick([1, 1, 1, 3]),
    timeoutMs: pick([3000, 15_000, 60_000]),
    atOnceMs: pick([0, 3000, 3000, 3000]),
    killed: pick([0, 0.1, 0.3, 0.6]),
    streamLost: pick([0, 0.1, 1]),
    queueTroubled: pick([0, 0.05, 0.3]),
    poisoned: pick([0, 0, 0.2]),
    countersEnd: chance(0.3),
    sdkTries: 3,
    paused: database === 'postgres' ? pick([0, 0.1, 0.3]) : 0,
    olderThanMs: pick([0, 0, 10_000]),
    concurrency: pick([1, 2, 10]),
  };
}
