import { expect, test } from 'vitest';
import { rehearsed } from '../../support/rehearsed.ts';

test('a batching window does not use the shortened visibility timeout up: without faults, nothing is delivered twice', async () => {
  const context = { code: 'plain.mjs', window: 12, batchSize: 100, timeout: 30, visibility: 192 };
  const result = await rehearsed(context, {}, { intents: 5 });
  expect(result.effects).toMatchObject([{ done: 5, doubled: [] }]);
  expect(result).toMatchObject({ good: true, redeliveries: 0 });
});
