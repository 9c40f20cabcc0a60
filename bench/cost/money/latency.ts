/** Latencies of a request to DynamoDB, in milliseconds. Assumed, not measured. */
export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export const assumed: Latency = { p50Ms: 4, p99Ms: 20 };

/** The 99th percentile of the standard normal distribution. */
const z99 = 2.326;

/** A latency of a log-normal distribution with these percentiles. @param random at least 0, below 1 */
export function drawLatencyMs({ p50Ms, p99Ms }: Latency, random: () => number): number {
  const sigma = Math.log(p99Ms / p50Ms) / z99;
  // Box and Muller. 1 - random() is never 0.
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return p50Ms * Math.exp(sigma * normal);
}
