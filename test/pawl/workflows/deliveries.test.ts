import { expect, it } from 'vitest';
import { type Delivered, deliverAll } from '../../support/deliveries.ts';

const intents = 100;
const executions = ({ started }: Delivered) => [...started.values()].reduce((sum, one) => sum + one, 0);

/** Every tenth intent meets each trouble. */
const each = intents / 10;
const met = { 'lost-before': each, 'lost-after': each, throttled: each, 'killed-before': each, 'killed-after': each };

it('starts one execution of each intent on a standard workflow', async () => {
  const delivered = await deliverAll('standard', intents);
  expect(delivered.deliveries).toBeGreaterThan(2 * intents);
  expect(Object.fromEntries(delivered.troubles)).toMatchObject(met);
  expect([executions(delivered), delivered.started.size, delivered.parked]).toEqual([intents, intents, 0]);
});

it('starts at most one execution of each intent on an express workflow, and parks what is in doubt', async () => {
  const delivered = await deliverAll('express', intents);
  expect(Math.max(...delivered.started.values())).toBe(1);
  // Without an answer, before it arrived or after: in doubt. What was throttled is started.
  expect([executions(delivered), delivered.parked]).toEqual([intents - 2 * each, 4 * each]);
});

it('without a claim, starts one execution for each id of a message', async () => {
  const delivered = await deliverAll('naive', intents);
  expect(executions(delivered)).toBe(intents + intents / 2);
});
