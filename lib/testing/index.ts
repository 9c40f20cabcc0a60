export { assertSurvivesCrashes, explain, SweepError } from './assert.ts';
export type { Fault, FaultAt } from './faults.ts';
export type { SweptHandler } from './invocation.ts';
export type { Fates, Finding } from './judge.ts';
export type { EffectCount, SweepOptions } from './options.ts';
export type { SweptFate, SweptMessage } from './queue.ts';
export { crashSweep, type SweepReport } from './sweep.ts';
export type { CallOptions, World, Wrapped } from './world.ts';
