import { benchClient } from '../client.ts';
import type { World } from '../contract.ts';

/** What a bundle makes of its environment when it is loaded, as a Lambda function does. */
export function worldOfEnvironment(): Omit<World, 'lean'> {
  return {
    client: benchClient(process.env['BENCH_ENDPOINT'] ?? ''),
    tableName: process.env['BENCH_TABLE'] ?? '',
    effect: () => undefined,
  };
}
