import { list } from '../../lib/rehearsal/engine/app/template.ts';
import { invoke, type Probe } from './probe.ts';

/** How long one request took, in a function of the same region, on a warm connection. */
export interface Latency {
  readonly request: string;
  readonly samples: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The requests that pawl's costs are made of. */
export const requestCount = [
  { request: 'PutItem, with a condition', operation: 'PutItem', size: 1 },
  { request: 'BatchExecuteStatement, 1 INSERT', operation: 'BatchExecuteStatement', size: 1 },
  { request: 'BatchExecuteStatement, 10 INSERTs', operation: 'BatchExecuteStatement', size: 10 },
  { request: 'BatchGetItem, 10 keys, strongly consistent', operation: 'BatchGetItem', size: 10 },
] as const;

/** A function may run for half a minute: it takes so many samples at a time. */
const samplesAtOnce = 200;

export async function measureLatencies(
  probe: Probe,
  samples: number,
  onStep: (text: string) => void,
): Promise<readonly Latency[]> {
  const latencies: Latency[] = [];
  for (const { request, operation, size } of requestCount) {
    onStep(`measuring ${request}`);
    const took: number[] = [];
    while (took.length < samples) {
      const wanted = Math.min(samplesAtOnce, samples - took.length);
      const run = `measured#${probe.run}#${operation}-${size}-${took.length}`;
      const answer = await invoke(probe, probe.resources.Worker, { operation, size, samples: wanted, run });
      took.push(...list(answer['took']).map(Number));
    }
    latencies.push({ request, samples: took.length, p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99) });
  }
  return latencies;
}

/** The smallest value that so large a share of all values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
