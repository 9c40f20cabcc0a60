import { expect, test } from 'vitest';
import { type Claim, memoryStore, once, step } from '../../../lib/pawl/index.ts';
import { commit, inPhases } from '../../../lib/pawl/transactions/index.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';

const input = { id: 'payout-17' };
const recorded = [{ Put: { TableName: 'ledger', Item: { id: 'paid' } } }];

/** Runs a handler that starts this work and does not await it, and reports what is left when nothing moves any more. */
async function afterNotAwaiting(work: (claim: Claim) => Promise<unknown>) {
  const { store, items } = memoryTransactions(memoryStore());
  const options = {
    operation: 'pay',
    store,
    key: ({ id }: typeof input) => id,
    onAbandoned: 'retry' as const,
    onEvent: () => {},
  };
  const pay = once(options, (_: typeof input, claim) => {
    work(claim).catch(() => {});
    return 'ok';
  }).outcome;
  await pay(input).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 50));
  return { status: (await store.read('pay#payout-17'))?.status, recorded: items.size };
}

test('a second step behind one that nobody awaits still runs before the claim completes', async () => {
  const ran: string[] = [];
  const { status } = await afterNotAwaiting(async (claim) => {
    for (const name of ['one', 'two']) await step(claim, name, () => ran.push(name), { onAbandoned: 'park' });
  });
  expect({ status, ran }).toEqual({ status: 'completed', ran: ['one', 'two'] });
});

test('a claim is not completed by phases that nobody awaits, of which the last was never committed', async () => {
  let calls = 0;
  const phases = inPhases({ execute: () => ++calls, record: () => recorded, onAbandoned: 'park' });
  const left = await afterNotAwaiting((claim) => phases({}, claim));
  expect(calls).toBe(1);
  expect(left).not.toEqual({ status: 'completed', recorded: 0 });
});

test('a claim is not completed if a commit behind a step that nobody awaits could not start', async () => {
  const left = await afterNotAwaiting(async (claim) => {
    await step(claim, 'charge', () => 'charged', { onAbandoned: 'park' });
    await commit(claim, recorded);
  });
  expect(left).not.toEqual({ status: 'completed', recorded: 0 });
});
