import { parentPort } from 'node:worker_threads';
import { simulateLocks } from './locks/simulate.ts';
import { simulate } from './simulate.ts';
import { runSeeds, type Simulate } from './tally.ts';

// Errors are part of a day's work here, and their stacks are read by nobody.
Error.stackTraceLimit = 0;

/** What a thread is told to run. */
export interface Piece {
  readonly what: 'claims' | 'locks';
  readonly from: number;
  readonly count: number;
}

parentPort?.on('message', async ({ what, from, count }: Piece) => {
  const world: Simulate<object> = what === 'locks' ? simulateLocks : simulate;
  parentPort?.postMessage(
    await runSeeds(
      world,
      Array.from({ length: count }, (_, index) => from + index),
    ),
  );
});
