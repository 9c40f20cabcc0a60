import { describe, expect, test } from 'vitest';
import { createRandom } from '../../lib/rehearsal/engine/random.ts';
import { createDynamoDbFaults } from '../../shop/faults/dynamodb-faults.ts';
import { createFaults } from '../../shop/faults/faults.ts';
import type { KillPoint, PlannedOrder, Trouble } from '../../shop/plan/plan.ts';

const calm = { sentAgainAfterSeconds: undefined, redelivery: undefined, trouble: undefined };

function planWith(trouble: Trouble): PlannedOrder {
  return {
    order: {
      orderId: 'order-1',
      customer: { email: 'ada@example.com', name: 'Ada' },
      amountCents: 500,
      currency: 'EUR',
      placedAt: '2026-01-01T00:00:00.000Z',
    },
    effects: { email: { ...calm, trouble }, 'gift-card': calm },
  };
}

/** DynamoDB on a good day. */
const calmStore = createDynamoDbFaults({ ...createRandom(1), chance: () => false });

const kill = (point: KillPoint): Trouble => ({ kind: 'kill', point });
const call = (operation: string, body: unknown) => ({ sandbox: 'SANDBOX0001', operation, body: JSON.stringify(body) });
const put = (status: string) =>
  call('PutItem', {
    Item: { id: { S: 'send-email#order-1' }, status: { S: status } },
    // What a write is conditional on is not what it writes.
    ExpressionAttributeValues: { ':status': { S: 'in-flight' } },
  });
const claim = put('in-flight');
const claims = call('BatchExecuteStatement', {
  Statements: [
    {
      Statement: `INSERT INTO "t" VALUE {'id':?,'status':?}`,
      Parameters: [{ S: 'send-email#order-1' }, { S: 'in-flight' }],
    },
  ],
});
const completion = put('completed');
const release = put('released');
const ok = { status: 200, body: '{"Responses":[{}]}' };
const refused = { status: 400, body: '{}' };

describe('a planned kill', () => {
  test.each([claim, claims])('waits for the claim to be written, and happens once', (written) => {
    const { store: tap } = createFaults({ orders: [planWith(kill('claim-written'))] }, calmStore).faults;
    expect(tap?.onRequest?.(written)).toBe('pass');
    expect(tap?.onResponse?.(release, ok)).toBe('pass');
    expect(tap?.onResponse?.(written, refused)).toBe('pass');
    expect(tap?.onResponse?.(written, ok)).toBe('kill');
    expect(tap?.onResponse?.(written, ok)).toBe('pass');
  });

  test('after the claim was answered comes no sooner', () => {
    const { store: tap } = createFaults({ orders: [planWith(kill('claim-answered'))] }, calmStore).faults;
    expect(tap?.onResponse?.(claim, ok)).toBe('pass');
    expect(tap?.onAnswered?.(claim, ok)).toBe('kill');
  });

  test('at the completion is before or after it is written', () => {
    const before = createFaults({ orders: [planWith(kill('completion-sent'))] }, calmStore).faults;
    expect(before.store?.onRequest?.(claim)).toBe('pass');
    expect(before.store?.onRequest?.(completion)).toBe('kill');
    const after = createFaults({ orders: [planWith(kill('completion-written'))] }, calmStore).faults;
    expect(after.store?.onRequest?.(completion)).toBe('pass');
    expect(after.store?.onResponse?.(completion, ok)).toBe('kill');
  });

  test('during the effect is left to the provider, and is for this effect of this order', () => {
    const { provider } = createFaults({ orders: [planWith(kill('effect-applied'))] }, calmStore).faults;
    expect(provider?.('gift-card', 'order-1')).toBeUndefined();
    expect(provider?.('email', 'order-2')).toBeUndefined();
    expect(provider?.('email', 'order-1')).toEqual({ kind: 'kill-applied' });
    expect(provider?.('email', 'order-1')).toBeUndefined();
  });
});

test('a planned redelivery happens once, to a message of its order', () => {
  const plan = planWith(kill('claim-written'));
  const email = { ...plan.effects.email, redelivery: 'forgets-deletion' as const };
  const { faults, stats } = createFaults({ orders: [{ ...plan, effects: { ...plan.effects, email } }] }, calmStore);
  const { forgetsDeletion, deliversTwice } = faults.delivery?.('email') ?? {};
  const message = { Body: JSON.stringify(plan.order) };
  expect(deliversTwice?.(message)).toBe(false);
  expect(forgetsDeletion?.({ Body: '{"orderId":"order-2"}' })).toBe(false);
  expect(forgetsDeletion?.(message)).toBe(true);
  expect(forgetsDeletion?.(message)).toBe(false);
  expect(stats().redeliveries).toBe(1);
});
