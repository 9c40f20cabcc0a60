import type { ClaimEvent } from '../../lib/pawl/engine/events.ts';
import type { SimulatedTable } from './dynamodb/table.ts';
import type { FaultName } from './faults.ts';
import type { Sandbox } from './lambda/sandbox.ts';
import type { Lambda, Oracle, Provider, Traffic } from './parts.ts';
import type { SimulatedDatabase } from './postgres/database.ts';
import type { Scenario } from './scenario.ts';
import type { SimulatedQueue } from './sqs/queue.ts';
import type { World } from './world/world.ts';

/** The parts of one simulation, each of which knows the others through this. */
export interface Simulation {
  readonly scenario: Scenario;
  readonly world: World;
  readonly stats: Stats;
  /** Whether this fault happens here and now, if there are any. */
  readonly strikes: (fault: FaultName) => boolean;
  /** Whether the claims table is out of order. */
  readonly isOut: () => boolean;
  /** Whether the provider will always refuse this key. */
  readonly refuses: (key: string) => boolean;
  readonly table: SimulatedTable<Sandbox>;
  /** PostgreSQL, in the worlds that have it. Its committed rows are the items of the table. */
  readonly database: SimulatedDatabase;
  readonly queue: SimulatedQueue;
  readonly deadLetters: SimulatedQueue;
  readonly lambda: Lambda;
  readonly provider: Provider;
  readonly traffic: Traffic;
  readonly oracle: Oracle;
}

const counted = [
  'messages',
  'deliveries',
  'invocations',
  'sandboxes',
  'kills',
  'timeouts',
  'pauses',
  'lateActs',
  'runs',
  'effects',
  // Beyond the first of a key, where the policy and the provider allow it.
  'doubled',
  'deadLettered',
  // Of those: its handler never ran.
  'neverRun',
  'redriven',
  'resolved',
  'swept',
  'storeRequests',
  'queueRequests',
  'faults',
] as const;

/** What happened, in numbers. */
export interface Stats extends Record<(typeof counted)[number], number> {
  /** What the library said of its claims, by type. */
  readonly events: Partial<Record<ClaimEvent['type'], number>>;
}

export function noStats(): Stats {
  const numbers = Object.fromEntries(counted.map((name) => [name, 0])) as Record<(typeof counted)[number], number>;
  return { ...numbers, events: {} };
}
