import { expect, it } from 'vitest';
import { type ClaimWrite, failOpen, memoryStore, once } from '../../../lib/pawl/index.ts';
import { understood } from '../../../lib/pawl/rules/record.ts';
import { record as claimRecord } from '../../support/records.ts';

const record = claimRecord();

it('lets everything run while its store is down, and tells of each request that failed', async () => {
  const down = { read: () => Promise.reject('down'), write: () => Promise.reject('still down') };
  const heard: unknown[] = [];
  const store = failOpen(down, (error) => heard.push(error));
  expect(await store.read(record.id)).toBeUndefined();
  expect(await store.write({ next: record, seen: undefined })).toEqual({ applied: true });
  expect(heard).toEqual(['down', 'still down']);
});

it('lets nothing run under a record that is left alone: that is no outage, and every duplicate would run', async () => {
  const memory = memoryStore();
  await memory.write({
    next: { ...record, id: 'pay#p-1', status: 'completed', attempts: Number.NaN },
    seen: undefined,
  });
  const asDynamoStore = {
    read: async (id: string) => understood(await memory.read(id)),
    write: async (write: ClaimWrite) => {
      const result = await memory.write(write);
      if (!result.applied) understood(result.found);
      return result;
    },
  };
  const heard: unknown[] = [];
  const effects: string[] = [];
  const pay = once<string, void>(
    {
      operation: 'pay',
      store: failOpen(asDynamoStore, (error) => heard.push(error)),
      key: (id) => id,
      onAbandoned: 'park',
    },
    (id) => void effects.push(id),
  );
  for (const redelivered of [false, true]) await expect(pay('p-1', { redelivered })).rejects.toThrow('foreign-item');
  expect([effects, heard]).toEqual([[], []]);
});

it('is its store while that answers', async () => {
  const heard: unknown[] = [];
  const store = failOpen(memoryStore(), (error) => heard.push(error));
  expect(await store.write({ next: record, seen: undefined })).toEqual({ applied: true });
  expect(await store.write({ next: record, seen: undefined })).toEqual({ applied: false, found: record });
  expect(await store.read(record.id)).toEqual(record);
  expect(heard).toEqual([]);
});

it('refuses a store that commits effects: they are in the very request that fails', () => {
  const committing = { ...memoryStore(), commit: async () => 'applied' };
  expect(() => failOpen(committing as never, () => undefined)).toThrow(
    'failOpen: expected a store that only keeps claims; got "a transactionalStore, which commits effects with them"',
  );
});

it('needs somebody who hears of what failed', () => {
  expect(() => failOpen(memoryStore(), undefined as never)).toThrow(
    'failOpen: expected a function that is called with each error, as the second argument; got undefined',
  );
});
