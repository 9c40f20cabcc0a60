import { simulateThrottling } from './simulate.ts';

/** A thousand sandboxes over tables of less and less capacity. */
const sandboxes = 1000;
const seconds = 20;

console.log('writes/s   goodput of capacity   second half to first   sent per taken   burst   doubled');
for (const writesPerSecond of [4000, 8000, 16_000]) {
  const found = await simulateThrottling({ sandboxes, writesPerSecond, seconds, seed: 1 });
  const { ofCapacity, secondHalfToFirst, sentPerTaken, burst, doubled } = found;
  const cells = [ofCapacity, secondHalfToFirst, sentPerTaken, burst].map((value) => value.toFixed(2).padStart(15));
  console.log(String(writesPerSecond).padStart(8), ...cells, String(doubled).padStart(8));
}
