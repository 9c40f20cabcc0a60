export type { SweepOptions, SweptOperation } from './options.ts';
export type { SweepReport } from './report.ts';
export { type SweepContext, type SweepHandler, sweepOpenClaims } from './sweep.ts';
