import { afterAll, describe, expect, inject, it } from 'vitest';
import { createRandom } from '../../../lib/rehearsal/engine/random.ts';
import { runRepayments } from '../../fixtures/locks/repayments.ts';
import { localClient } from '../../support/tables.ts';

const endpoint = inject('dynamoEndpoint');
const client = localClient(endpoint);
afterAll(() => client.destroy());

const plan = () => ({ endpoint, client, random: createRandom(200), requests: 200, debts: 60, workers: 4, atOnce: 12 });

describe('requests over debts that overlap, in processes that are killed', () => {
  it('repays every debt once when the debts are locked, and leaves none of them locked', async () => {
    const report = await runRepayments({ ...plan(), kills: 8, lockedBy: 'debt' });
    expect(report).toMatchObject({ done: 200, repaidOnce: report.wanted, repaidTwice: 0, locksLeft: 0 });
    expect(report.paid).toBe(report.owed);
    expect(report.killed).toBeGreaterThanOrEqual(3);
  });

  it('repays debts twice when the set of them is locked, as the same check finds', async () => {
    const report = await runRepayments({ ...plan(), kills: 2, lockedBy: 'set' });
    expect(report.done).toBe(200);
    expect(report.repaidTwice).toBeGreaterThan(0);
    expect(report.paid).toBeGreaterThan(report.owed);
  });
});
