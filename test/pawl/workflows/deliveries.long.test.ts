import { expect, it } from 'vitest';
import { deliverAll } from '../../support/deliveries.ts';

/** Two messages of each, and the deliveries that come again. `docs/guides/workflows.md` has the figures of a thousand: `PAWL_INTENTS=1000`. */
const intents = Number(process.env['PAWL_INTENTS'] ?? 200);

it.each([
  ['standard', 1, 0],
  ['express', 0.8, 0.4],
  ['naive', 1.5, 0],
] as const)('intents over %s: %d executions for each, and %d of them in doubt', async (kind, executions, parked) => {
  const { started, ...delivered } = await deliverAll(kind, intents);
  const all = [...started.values()].reduce((sum, one) => sum + one, 0);
  expect([all, delivered.parked]).toEqual([executions * intents, parked * intents]);
  expect(delivered.deliveries).toBeGreaterThan(2 * intents);
});
