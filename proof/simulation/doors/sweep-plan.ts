import { createRandom } from '../world/random.ts';

/** A function on a schedule that settles what is open and in doubt. */
export interface SweepPlan {
  readonly onDoubt: 'ask' | 'park';
  /** In which runs: while there are faults. After them, it runs until nothing is left in doubt. */
  readonly runs: number;
  /** How many runs begin at once. */
  readonly atOnce: number;
  /** How far the index may lag behind the table, in milliseconds. */
  readonly lagMs: number;
  /** Share of the runs that are killed, or stand still, at one of their requests. */
  readonly struck: number;
  /** Share of the clients that send once, and never come back. */
  readonly neverBack: number;
}

/** Share of the seeds with a sweep. */
const withSweep = 0.25;

/** From a stream of its own: seeds without a sweep mean what they meant before. */
export function drawSweep({ seed, shape }: { readonly seed: number; readonly shape: string }): SweepPlan | undefined {
  const { chance, pick, below } = createRandom(seed + 0x5c_0000_0000);
  if (!chance(withSweep)) return undefined;
  return {
    onDoubt: shape === 'plain' || chance(0.7) ? 'ask' : 'park',
    runs: 1 + below(6),
    atOnce: pick([1, 1, 2]),
    lagMs: pick([0, 50, 2000]),
    struck: pick([0, 0.3, 0.6]),
    neverBack: pick([0, 0.5, 1]),
  };
}
