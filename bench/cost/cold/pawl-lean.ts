import { pawlLean } from '../contenders/pawl-lean.ts';
import { benchLean } from '../lean-client.ts';

export const prepare = pawlLean({
  lean: benchLean(process.env['BENCH_ENDPOINT'] ?? ''),
  tableName: process.env['BENCH_TABLE'] ?? '',
  effect: () => undefined,
});
