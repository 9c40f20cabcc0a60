import { pawlLean } from '../contenders/pawl-lean.ts';
import { benchTransport } from '../lean-client.ts';

export const prepare = pawlLean({
  transport: benchTransport(process.env['BENCH_ENDPOINT'] ?? ''),
  tableName: process.env['BENCH_TABLE'] ?? '',
  effect: () => undefined,
});
