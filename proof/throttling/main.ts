import { simulateThrottling } from './simulate.ts';

/** A thousand sandboxes over tables of less and less capacity. */
const sandboxes = 1000;
const seconds = 60;
const invocationSeconds = 30;

console.log('writes/s   goodput of capacity   second half to first   waste   burst   given back   doubled');
for (const writesPerSecond of [4000, 8000, 16_000]) {
  const found = await simulateThrottling({ sandboxes, writesPerSecond, seconds, invocationSeconds, seed: 1 });
  const { ofCapacity, secondHalfToFirst, waste, burst, givenBack, doubled } = found;
  const cells = [ofCapacity, secondHalfToFirst, waste, burst].map((value) => value.toFixed(2).padStart(15));
  const counts = [givenBack, doubled].map((count) => String(count).padStart(11));
  console.log(String(writesPerSecond).padStart(8), ...cells, ...counts);
}
