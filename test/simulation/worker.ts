import { parentPort } from 'node:worker_threads';
import { runSeeds } from './tally.ts';

// Errors are part of a day's work here, and their stacks are read by nobody.
Error.stackTraceLimit = 0;

parentPort?.on('message', async ({ from, count }: { from: number; count: number }) => {
  parentPort?.postMessage(await runSeeds(Array.from({ length: count }, (_, index) => from + index)));
});
