export type { AskedOperation, ParkedOperation, SweepOptions, SweptDoubt, SweptOperation } from './options.ts';
export type { SweepReport } from './report.ts';
export { type SweepContext, type SweepHandler, sweepOpenClaims } from './sweep.ts';
