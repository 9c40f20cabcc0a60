import { expect, it } from 'vitest';
import { simulateThrottling } from '../../proof/throttling/simulate.ts';

it('a table without the capacity for its sandboxes still does nearly all that it has the capacity for, costs no message a receive, and few writes are sent in vain', async () => {
  // Ten times the messages that the table can take.
  const found = await simulateThrottling({
    sandboxes: 40,
    writesPerSecond: 160,
    seconds: 12,
    invocationSeconds: 30,
    seed: 7,
  });
  expect(found.ofCapacity).toBeGreaterThan(0.8);
  expect(found.secondHalfToFirst).toBeGreaterThan(0.8);
  expect(found.waste).toBeLessThanOrEqual(0.25);
  expect(found.givenBack).toBe(0);
  expect(found.burst).toBeLessThan(2.5);
  expect(found.doubled).toBe(0);
});

it('a table without the capacity to read what was received before costs no message a receive either, and few reads are sent in vain', async () => {
  const found = await simulateThrottling({
    sandboxes: 40,
    writesPerSecond: 4000,
    readsPerSecond: 200,
    seconds: 12,
    invocationSeconds: 30,
    seed: 7,
  });
  expect(found.waste).toBeLessThanOrEqual(0.25);
  expect(found.givenBack).toBe(0);
  expect(found.doubled).toBe(0);
});
