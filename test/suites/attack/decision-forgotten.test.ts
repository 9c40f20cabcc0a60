import { expect, test } from 'vitest';
import { memoryStore, once, reconcile } from '../../../lib/pawl/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { reconcileStatements } from '../../../lib/pawl/statements/index.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
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

// Nor does one who sweeps, or compares with a statement.
test.each(['sweep', 'statement'])('what a %s settles is not forgotten before those claims either', async (by) => {
  const host = virtualHost();
  const store = memoryStore();
  const credit = once(
    {
      operation: 'credit',
      store,
      host,
      key: (transaction: string) => transaction,
      onAbandoned: 'retry',
      retentionSeconds: 'forever',
      onEvent: () => undefined,
    },
    () => Promise.reject(new Error('socket hang up')),
  ).outcome;
  await expect(credit('tx-1')).rejects.toThrow('socket hang up');
  await host.advance(3_600_000);
  if (by === 'sweep') {
    const onAbandoned = reconcile<undefined>({ ask: () => ({ verdict: 'applied' }), settleMs: 0 });
    await sweepOpenClaims({ store, host, operations: { credit: { onAbandoned } }, onReport: () => undefined })();
  } else {
    const line = { id: 'l-1', effectKey: 'credit#tx-1', at: host.now() - 3_600_000 };
    const statement = () => [line];
    const from = host.now() - 7_200_000;
    await reconcileStatements({ store, host, operation: 'credit', statement, from, settleMs: 0 });
  }
  await host.advance(400 * 86_400_000);
  expect(await credit('tx-1')).toMatchObject({ outcome: 'completed', replayed: true });
});
