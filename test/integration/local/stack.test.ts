import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createPawlEvents } from '../../../lib/local/pawl-events.ts';
import { createPlan, EFFECTS } from '../../../lib/local/plan.ts';
import { sendOrders } from '../../../lib/local/producer.ts';
import { type LocalStack, startStack } from '../../../lib/local/stack.ts';

const events = createPawlEvents();
let stack: LocalStack;
beforeAll(async () => {
  stack = await startStack({ sandboxesPerFunction: 1, onLog: events.read });
});
afterAll(() => stack.stop());

test('the synthesized app does each order once, also when the producer sends it all again', async () => {
  const plan = createPlan({ orders: 7, killShare: 0, seed: 1 });
  await sendOrders(stack, plan);
  await sendOrders(stack, plan);
  const drained = async () => {
    const depths = await Promise.all(EFFECTS.map((effect) => stack.sqs.depth(stack.consumers[effect].queue.name)));
    expect(depths).toEqual([
      { ready: 0, delayed: 0, inFlight: 0 },
      { ready: 0, delayed: 0, inFlight: 0 },
    ]);
  };
  await vi.waitFor(drained, { timeout: 60_000, interval: 100 });
  const once = plan.map(({ order }) => [order.orderId, 1]);
  for (const effect of EFFECTS) expect([...stack.ledger.countByOrder(effect)].toSorted()).toEqual(once);
  expect(events.count('completed')).toBe(14);
  expect(events.count('replayed', 'repeated')).toBeGreaterThanOrEqual(14);
});

test('an app that does not synthesize is reported as the app says it, and leaves nothing running', async () => {
  await expect(startStack({ functionTimeoutSeconds: 0 })).rejects.toThrow('functionTimeoutSeconds');
});
