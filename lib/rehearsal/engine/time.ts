import type { Measure } from './machine.ts';

/** A timer may be so much too early. */
export const momentMs = 1;

/** So much is taken away on an idle machine, too. */
const trifleMs = 100;

/**
 * How many times its limit something may take at the most, however little of it the machine gave. Beyond that, what else runs here and goes by
 * the clock would not fit any more.
 */
const longest = 5;

/** What looks at the clock, to begin nothing that it cannot end, begins less when so much is taken away. */
const slowedShare = 0.1;

/** The time that something has. */
export interface Time {
  leftMs(): number;
  /** Whether it has gone beyond its end, since it had time back. */
  isStretched(): boolean;
  /** Whether so much of it was taken away that it may have done less than it would have. */
  isSlowed(): boolean;
  /** Whether it has not had its time. Asked when there is none left. */
  isStarved(): boolean;
}

/** Time as the machine gives it, from now on: what it takes away does not count, up to a limit. */
export function timeOf(measure: Measure, limitMs: number): Time {
  const [begun, before] = [performance.now(), measure.stolenMs()];
  const passedMs = () => performance.now() - begun;
  const stolenMs = () => measure.stolenMs() - before;
  return {
    leftMs: () => Math.min(limitMs + stolenMs(), longest * limitMs) - passedMs(),
    isStretched: () => passedMs() > limitMs && stolenMs() > trifleMs,
    isSlowed: () => stolenMs() > Math.max(trifleMs, limitMs * slowedShare),
    isStarved: () => passedMs() - stolenMs() < limitMs - momentMs,
  };
}
