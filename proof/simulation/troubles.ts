import type { FaultName, FaultRates } from './faults.ts';
import type { World } from './world/world.ts';

/** What may go wrong under a seed, and until when. */
export interface Troubled {
  readonly faults: FaultRates;
  /** From here on nothing goes wrong any more, in milliseconds since the start. */
  readonly faultsEndMs: number;
}

/** Decides whether faults happen, and counts them. */
export function createTroubles(world: World, { faults, faultsEndMs }: Troubled, stats: { faults: number }) {
  const { random } = world;
  const from = random.between(0, faultsEndMs);
  const until = Math.min(from + random.between(500, 20_000), faultsEndMs);
  const hasOutage = faults.storeOutage > 0;
  return {
    /** Whether this fault happens here and now, if there are any. */
    strikes(fault: FaultName): boolean {
      const share = faults[fault];
      const happens = share > 0 && world.time < faultsEndMs && random.chance(share);
      if (happens) stats.faults++;
      return happens;
    },
    /** Whether the table is out of order. */
    isOut: () => hasOutage && world.time >= from && world.time < until,
  };
}
