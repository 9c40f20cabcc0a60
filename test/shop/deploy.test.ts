import { describe, expect, test } from 'vitest';
import { judgeChain } from '../../shop/deploy/chain.ts';
import { withRefusals } from '../../shop/deploy/incident-plan.ts';
import { planDeployment, thirdOf } from '../../shop/deploy/plan.ts';
import { type DeployResult, isGood, jsonLine, report } from '../../shop/deploy/result.ts';
import type { EffectVerdict } from '../../shop/traffic/verdict.ts';

describe('the plan of a deployment', () => {
  const { orders, payments, repayments } = planDeployment({ orders: 90, payments: 24, repayments: 9, seed: 20260101 });
  const thirds = [0, 1, 2] as const;

  test('sends all of it, in three parts', () => {
    for (const plan of [orders, payments, repayments])
      expect(thirds.flatMap((third) => thirdOf<object>(plan, third))).toEqual(plan);
    expect(thirds.map((third) => thirdOf(repayments, third).length)).toEqual([3, 3, 3]);
  });

  test('each third of the requests has debts of its own, or the last one would find nothing left to repay', () => {
    const debts = thirds.map((third) => new Set(thirdOf(repayments, third).flatMap(({ request }) => request.debts)));
    const all = new Set(debts.flatMap((some) => [...some]));
    expect(all.size).toBe(debts.reduce((sum, { size }) => sum + size, 0));
  });

  test('each third is killed in a request that takes more than one transaction, and whose debts others want as well', () => {
    for (const third of thirds) {
      const [killed, ...others] = thirdOf(repayments, third);
      expect(killed?.killed).toBe(true);
      expect(others.some((one) => one.killed)).toBe(false);
      const wanted = new Set(killed?.request.debts);
      expect(wanted.size).toBeGreaterThan(25);
      expect(others.some(({ request }) => request.debts.some((debt) => wanted.has(debt)))).toBe(true);
    }
  });

  test('some payments cost the functions their lives, and some meet a queue that fails', () => {
    expect(payments.filter(({ kill }) => kill !== undefined).length).toBeGreaterThan(1);
    expect(payments.filter(({ outage }) => outage !== undefined).length).toBeGreaterThan(1);
    // What this worker has committed only the relay can send.
    expect(payments[0]?.kill).toEqual({ operation: 'post-payment', point: 'completion-written' });
  });
});

describe('the incident that an operator settles', () => {
  const { orders, incident } = planDeployment({ orders: 90, payments: 24, repayments: 9, seed: 20260101 });
  const troubles = incident.map(({ effects }) => effects.email.trouble);

  test('leaves 40 mails in doubt: some with their worker, some that have gone out, and some that have not', () => {
    const kinds = troubles.flatMap((trouble) =>
      trouble === undefined ? [] : [trouble.kind === 'kill' ? trouble.point : trouble.fault.kind],
    );
    const counts: Readonly<Record<string, number>> = Object.fromEntries(
      Array.from(
        Map.groupBy(kinds, (kind) => kind),
        ([kind, all]) => [kind, all.length],
      ),
    );
    expect(counts).toEqual({
      'effect-applied': 2,
      'before-effect': 2,
      'error-applied': 26,
      'error-before': 10,
    });
  });

  test('refuses the gift cards of 10 other orders, however often they are asked for, and leaves the rest to the plan', () => {
    const next = withRefusals(incident, () => ({ kind: 'hang-before' }));
    const calm = incident.filter(({ effects }) => effects.email.trouble === undefined);
    expect(calm).toHaveLength(10);
    for (const { order } of [...calm, ...calm]) {
      expect(next('gift-card', order.orderId)).toEqual({ kind: 'error-before', status: 422 });
      expect(next('email', order.orderId)).toEqual({ kind: 'hang-before' });
    }
    expect(next('gift-card', incident[0]?.order.orderId ?? '')).toEqual({ kind: 'hang-before' });
  });

  test('has orders of its own, which the verdict is not about', () => {
    const ids = new Set(orders.map(({ order }) => order.orderId));
    expect(incident.filter(({ order }) => ids.has(order.orderId))).toEqual([]);
  });
});

describe('the result of a deployment', () => {
  const clean: EffectVerdict = {
    ...{ effect: 'email', orders: 1, done: 1, doubled: [], repeated: [], parked: [], parkedAndDone: 0 },
    ...{ setAside: [], neverRun: [], unjudged: [], unfinished: [], lost: [] },
  };
  const good: DeployResult = {
    ...{ orders: 1, messages: 2, duplicates: 0, emails: clean, giftCards: { ...clean, effect: 'gift-card' } },
    ...{ deadLettered: 0, suppressed: 0, deferred: 0, takeovers: 0, providerFaults: 0, hostFailures: 1, killed: 1 },
    verdicts: { applied: 0, notApplied: 0, tooEarly: 0, inconclusive: 0 },
    payments: {
      payments: 1,
      callbacks: 2,
      corrected: 0,
      outages: 0,
      refused: [],
      ledgerEntries: 2,
      drift: [],
      statement: undefined,
    },
    repayments: { requests: 1, wanted: 3, repaid: 3, repaidTwice: [], locksLeft: 0 },
    chain: judgeChain(['p-1'], { receipt: ['p-1'], points: ['p-1'] }),
    ...{ outboxLeft: 0, left: 0, failures: [], claimsKept: 9, seconds: 60 },
  };

  test('is good if nothing is wrong', () => {
    expect(isGood(good)).toBe(true);
    expect(JSON.parse(jsonLine(good))).toMatchObject({ ok: true, ledgerEntries: 2, repaid: 3, receipts: 1, points: 1 });
  });

  const { payments, repayments } = good;
  const bad: Readonly<Record<string, { readonly result: Partial<DeployResult>; readonly says: string }>> = {
    'an email is doubled': { result: { emails: { ...clean, doubled: ['order-1'] } }, says: 'doubled email: order-1' },
    'an email is lost': { result: { emails: { ...clean, lost: ['order-1'] } }, says: 'lost email: order-1' },
    'the ledger drifts': {
      result: { payments: { ...payments, drift: ['p-1: it has no entry'] } },
      says: 'p-1: it has no entry',
    },
    'an entry is missing': {
      result: { payments: { ...payments, ledgerEntries: 1 } },
      says: '1 entries for 1 payments',
    },
    'a payment is never accepted': {
      result: { payments: { ...payments, refused: ['p-1'] } },
      says: 'never accepted: p-1',
    },
    'a receipt is missing': {
      result: { chain: judgeChain(['p-1'], { receipt: [], points: ['p-1'] }) },
      says: 'receipts: 1 missing, 0 doubled',
    },
    'points are booked twice': {
      result: { chain: judgeChain(['p-1'], { receipt: ['p-1'], points: ['p-1', 'p-1'] }) },
      says: 'points: 0 missing, 1 doubled',
    },
    'a message is left in the outbox': { result: { outboxLeft: 1 }, says: '1 messages are left in the outbox' },
    'a debt is repaid twice': {
      result: { repayments: { ...repayments, repaidTwice: ['debt-1'] } },
      says: 'repaid twice: debt-1',
    },
    'a debt is not repaid': { result: { repayments: { ...repayments, repaid: 2 } }, says: '1 debts are not repaid' },
    'a lock is left': { result: { repayments: { ...repayments, locksLeft: 1 } }, says: '1 debts are still locked' },
    'a message is left': { result: { left: 1 }, says: '1 messages were still on their queues' },
    'a check along the way failed': { result: { failures: ['pawl doctor finds it'] }, says: 'pawl doctor finds it' },
  };
  test.each(Object.entries(bad))('is not good if %s, and says so', (_, { result, says }) => {
    expect(isGood({ ...good, ...result })).toBe(false);
    expect(report({ ...good, ...result })).toContain(says);
    expect(JSON.parse(jsonLine({ ...good, ...result }))).toMatchObject({ ok: false });
  });
});
