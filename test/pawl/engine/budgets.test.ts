import { expect, it } from 'vitest';
import { type Claim, memoryStore, once, RetryableError, step } from '../../../lib/pawl/index.ts';
import { checkpointsOf, withCheckpoint } from '../../../lib/pawl/rules/checkpoints.ts';
import { toItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** What DynamoDB takes for one item. */
const itemLimit = 400 * 1024;
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

it('the largest completion fits into an item, also after the largest checkpoints', async () => {
  const store = memoryStore();
  const largest: number[] = [];
  const watched: typeof store = {
    ...store,
    write(write) {
      largest.push(bytesOf(toItem(write.next)));
      return store.write(write);
    },
  };
  const call = once<string, unknown>(
    {
      operation: 'report',
      store: watched,
      key: (id) => id,
      onAbandoned: 'retry',
      maxResultBytes: 300_000,
      attributes: () => ({ note: 'a'.repeat(1000) }),
      host: virtualHost(),
    },
    async (_, claim: Claim) => {
      for (const part of [1, 2]) await step(claim, `part-${part}`, () => 'x'.repeat(99_000), { onAbandoned: 'retry' });
      if (claim.attempt === 1) throw new RetryableError('once more');
      return 'y'.repeat(299_000);
    },
  ).outcome;
  await expect(call('r-1')).rejects.toThrow('once more');
  expect(await call('r-1')).toMatchObject({ outcome: 'completed' });
  expect(await call('r-1')).toMatchObject({ replayed: true, recorded: true, result: 'y'.repeat(299_000) });
  expect(Math.max(...largest)).toBeLessThan(itemLimit);
});

it('checkpoints of the most steps, with the longest names and no room for a result, stay within theirs', () => {
  let text: string | undefined;
  for (let index = 0; index < 100; index++) {
    const name = `${index}`.padEnd(64, 'n');
    const checkpoint = { name, state: 'done', at: 1_795_253_400_000, fence: 1, result: 'x'.repeat(16_000) } as const;
    text = withCheckpoint(checkpointsOf({ checkpoints: text }), index, checkpoint);
  }
  expect(Buffer.byteLength(text ?? '')).toBeLessThan(250_000);
});
