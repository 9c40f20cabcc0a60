/** The value that a share of the values does not exceed, between two of them where it falls there. NaN when there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/**
 * How two contenders compare, by what they did in the same rounds: the median of the rounds' ratios. A round in which the
 * machine was busy slows both, and one odd round changes nothing.
 */
export function pairedRatio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}

/** Between which two values the median lies with 95%, by their order alone: no shape of the values is assumed. */
export function medianInterval(values: readonly number[]): readonly [number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  const half = 0.98 * Math.sqrt(sorted.length);
  const low = Math.max(0, Math.floor(sorted.length / 2 - half) - 1);
  return [sorted[low] ?? Number.NaN, sorted[sorted.length - 1 - low] ?? Number.NaN];
}
