import { expect, test } from 'vitest';
import { times } from '../../../../lib/rehearsal/index.ts';
import { rehearsed } from '../../../support/rehearsed.ts';

/** Apps that remember nothing, and do nothing wrong where nothing goes wrong: a rehearsal must not be what doubles their effects. */

test('a batching window does not use the shortened visibility timeout up: without faults, nothing is delivered twice', async () => {
  const context = { code: 'plain.mjs', window: 12, batchSize: 100, timeout: 30, visibility: 192 };
  const result = await rehearsed(context, {}, { intents: 5 });
  expect(result.effects).toMatchObject([{ done: 5, doubled: [] }]);
  expect(result).toMatchObject({ good: true, redeliveries: 0 });
});

test('the messages of two queues that feed one function do not wait for its sandboxes until they come back', async () => {
  const context = { code: 'slow.mjs', others: true, batchSize: 1, timeout: 6, visibility: 36 };
  const result = await rehearsed(
    context,
    {},
    {
      traffic: ({ queue }) =>
        times(12, (n) =>
          queue(n % 2 === 0 ? 'Orders' : 'Others').send({ orderId: `order-${n}` }, { intent: `order-${n}` }),
        ),
    },
  );
  expect(result).toMatchObject({ good: true, redeliveries: 0, effects: [{ done: 12, doubled: [] }] });
});
