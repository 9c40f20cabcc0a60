export type { SweepOptions, SweptExecutions, SweptOperation } from './options.ts';
export type { SweepReport, SweptClaim } from './report.ts';
export { type SweepContext, type SweepHandler, sweepOpenClaims } from './sweep.ts';
