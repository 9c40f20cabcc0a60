import { expect, it } from 'vitest';
import { deliverAll } from '../../support/deliveries.ts';

/** 2,000 messages, and the deliveries that come again: `docs/guides/workflows.md` has the figures. */
it.each([
  ['standard', 1000, 0],
  ['express', 800, 400],
  ['naive', 1500, 0],
] as const)('1,000 intents over %s: %i executions, and %i claims in doubt', async (kind, executions, parked) => {
  const { started, ...delivered } = await deliverAll(kind, 1000);
  const all = [...started.values()].reduce((sum, one) => sum + one, 0);
  expect([all, delivered.parked]).toEqual([executions, parked]);
  expect(delivered.deliveries).toBeGreaterThan(2000);
});
