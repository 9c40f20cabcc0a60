import { parentPort } from 'node:worker_threads';
import { runSeeds } from './tally.ts';
import { type What, worlds } from './worlds.ts';

// Errors are part of a day's work here, and their stacks are read by nobody.
Error.stackTraceLimit = 0;
// So are the lines of a relay that cannot read its table.
console.warn = () => undefined;

/** What a thread is told to run. */
export interface Piece {
  readonly what: What;
  readonly from: number;
  readonly count: number;
}

parentPort?.on('message', async ({ what, from, count }: Piece) => {
  parentPort?.postMessage(
    await runSeeds(
      worlds[what],
      Array.from({ length: count }, (_, index) => from + index),
    ),
  );
});
