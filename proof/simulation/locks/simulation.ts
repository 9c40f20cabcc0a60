import type { FaultName } from '../faults.ts';
import type { World } from '../world/world.ts';
import type { LockOracle } from './oracle.ts';
import type { LockScenario } from './scenario.ts';

const counted = [
  'wishes',
  'attempts',
  'kills',
  'timeouts',
  'pauses',
  'deliveredTwice',
  'locked',
  'busy',
  'takenOver',
  'failed',
  'storeRequests',
  'hung',
  'faults',
] as const;

/** What happened, in numbers. */
export type LockStats = Record<(typeof counted)[number], number>;

export const noLockStats = (): LockStats =>
  Object.fromEntries(counted.map((name) => [name, 0])) as Record<(typeof counted)[number], number>;

/** The parts of one simulation of locks. */
export interface LockSimulation {
  readonly scenario: LockScenario;
  readonly world: World;
  readonly stats: LockStats;
  readonly oracle: LockOracle;
  readonly strikes: (fault: FaultName) => boolean;
}
