import { runOverLean } from './support.ts';

/* Every scenario once more, without the SDK: its claims and its queues through `lean`. */

runOverLean();
await import('./batches.test.ts');
await import('./intent.test.ts');
await import('./ownership.test.ts');
await import('./recording.test.ts');
await import('./regressions.test.ts');
await import('./time.test.ts');
