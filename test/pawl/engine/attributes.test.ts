import { expect, it } from 'vitest';
import { once } from '../../../lib/pawl/engine/once.ts';
import { memoryStore, OptionError } from '../../../lib/pawl/index.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { virtualHost } from '../../support/virtual-host.ts';

type Payment = { id: string; amount: number };

function setUp(fn: (payment: Payment) => unknown) {
  const host = virtualHost();
  const store = memoryStore();
  const options = { operation: 'credit', store, onAbandoned: 'retry', retentionSeconds: 'forever', host } as const;
  const call = once<Payment, unknown>(
    { ...options, key: ({ id }) => id, attributes: ({ amount }) => ({ amount }), onEvent: () => undefined },
    fn,
  ).outcome;
  return { host, call, kept: () => resolverOf({ operation: 'credit', store }).read('p-1') };
}

it('attributes ride with the key from its first grant on, over failures and takeovers', async () => {
  const answers: unknown[] = [new Error('no'), new Promise(() => undefined), 'done'];
  const { host, call, kept } = setUp(() => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  });
  await expect(call({ id: 'p-1', amount: 1 })).rejects.toThrow('no');
  expect(await kept()).toMatchObject({ status: 'released', attributes: { amount: 1 } });
  void call({ id: 'p-1', amount: 2 }, { remainingMs: () => 10_000 });
  await host.advance(12_000);
  expect(await call({ id: 'p-1', amount: 3 })).toMatchObject({ outcome: 'completed' });
  const record = await kept();
  expect(record).toMatchObject({ status: 'completed', abandoned: 1, attributes: { amount: 1 } });
  expect(record?.expiresAt).toBeUndefined();
});

it('what cannot ride with a key is refused before anything is claimed', async () => {
  const { call, kept } = setUp(() => 'done');
  await expect(call({ id: 'p-1', amount: Number.NaN })).rejects.toThrow(OptionError);
  expect(await kept()).toBeUndefined();
});

it('what the handler does to them is not on the record: it could not be written any more, after the effect', async () => {
  const store = memoryStore();
  const written: unknown[] = [];
  const watched = {
    read: store.read,
    write: (write: Parameters<typeof store.write>[0]) => {
      written.push(structuredClone(write.next.attributes));
      return store.write(write);
    },
  };
  const call = once<Record<string, unknown>, unknown>(
    {
      operation: 'credit',
      store: watched,
      onAbandoned: 'retry',
      key: ({ id }) => String(id),
      attributes: (payment) => payment as Record<string, string>,
      onEvent: () => undefined,
      host: virtualHost(),
    },
    (payment) => {
      payment['fee'] = Number.NaN;
      payment['lines'] = [{ sku: 'a' }];
    },
  ).outcome;
  expect(await call({ id: 'p-1' })).toMatchObject({ outcome: 'completed' });
  expect(written).toEqual([{ id: 'p-1' }, { id: 'p-1' }]);
});
