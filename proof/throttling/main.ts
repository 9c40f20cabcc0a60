import { simulateThrottling } from './simulate.ts';

/** A thousand sandboxes over tables of less and less capacity. */
const sandboxes = 1000;
const seconds = 60;
const invocationSeconds = 30;

async function print(writesPerSecond: number, readsPerSecond?: number): Promise<void> {
  const capacity = { writesPerSecond, ...(readsPerSecond !== undefined && { readsPerSecond }) };
  const found = await simulateThrottling({ sandboxes, ...capacity, seconds, invocationSeconds, seed: 1 });
  const { ofCapacity, secondHalfToFirst, waste, burst, givenBack, doubled } = found;
  const capacities = [writesPerSecond, readsPerSecond ?? '-'].map((value) => String(value).padStart(8));
  const cells = [ofCapacity, secondHalfToFirst, waste, burst].map((value) => value.toFixed(2).padStart(15));
  const counts = [givenBack, doubled].map((count) => String(count).padStart(11));
  console.log(...capacities, ...cells, ...counts);
}

console.log('writes/s  reads/s   goodput of capacity   second half to first   waste   burst   given back   doubled');
for (const writes of [4000, 8000, 16_000]) await print(writes);
// What was received before is read first.
for (const reads of [4000, 8000, 16_000]) await print(40_000, reads);
