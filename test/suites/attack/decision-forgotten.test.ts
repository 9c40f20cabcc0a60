import { expect, test } from 'vitest';
import { memoryStore, once } from '../../../lib/pawl/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const acted = { by: 'maria', note: 'it is in the ledger' };

// An operator does not know what each consumer has set, and a parked record does not say it.
test("an operator's decision is not forgotten before the claims of a consumer that keeps them forever", async () => {
  const host = virtualHost();
  const store = memoryStore();
  const credited: string[] = [];
  const credit = once(
    {
      operation: 'credit',
      store,
      host,
      key: (transaction: string) => transaction,
      onAbandoned: 'park',
      retentionSeconds: 'forever',
      onEvent: () => undefined,
    },
    (transaction) => {
      credited.push(transaction);
      throw new Error('socket hang up');
    },
  ).outcome;
  await expect(credit('tx-1')).rejects.toThrow('socket hang up');
  await operator({ store, host, onEvent: () => undefined }).resolve({ id: 'credit#tx-1' }, 'applied', acted);
  await host.advance(400 * 86_400_000);
  expect(await credit('tx-1')).toMatchObject({ outcome: 'completed', replayed: true });
  expect(credited).toEqual(['tx-1']);
});
