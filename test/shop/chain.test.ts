import { describe, expect, test } from 'vitest';
import { createSenderKills } from '../../shop/faults/sender-kills.ts';
import { messageKey, type PlannedChain, type PlannedSending, planChain } from '../../shop/plan/chain-plan.ts';
import { killPoints, planPayments } from '../../shop/plan/plan.ts';

const options = { killShare: 0.08, seed: 1 } as const;
const payments = planPayments({ orders: 100, ...options });
const chain = planChain(payments, options);

describe('the plan of what goes wrong behind the payments', () => {
  const sendings = chain.flatMap(({ sending }) => sending ?? []);

  test('kills the relay twenty times and a worker five times, at every point, whatever the message is', () => {
    const relays = sendings.filter(({ by }) => by === 'relay');
    expect(relays).toHaveLength(20);
    for (const effect of ['receipt', 'points']) {
      const points = new Set(relays.filter((one) => one.effect === effect).map(({ point }) => point));
      expect([...points].toSorted()).toEqual(['kept', 'removed', 'sent', 'unread', 'unsent']);
    }
    const workers = sendings.filter(({ by }) => by === 'worker').map(({ point }) => point);
    expect(workers.toSorted()).toEqual(['committed', 'kept', 'removed', 'sent', 'unsent']);
  });

  test('kills each consumer at every point of an effect', () => {
    for (const effect of ['receipt', 'points'] as const) {
      const troubles = chain.flatMap(({ troubles: found }) => found[effect] ?? []);
      const points = troubles.flatMap((trouble) => (trouble.kind === 'kill' ? [trouble.point] : []));
      expect(new Set(points)).toEqual(new Set(killPoints));
      expect(points).toHaveLength(8);
    }
  });

  test('has a worker die right after its commit also in a small run, and nobody where nobody is to die', () => {
    const small = planChain(planPayments({ orders: 5, ...options }), options);
    expect(small.flatMap(({ sending }) => sending ?? [])).toMatchObject([{ by: 'worker', point: 'committed' }]);
    const calm = planChain(payments, { ...options, killShare: 0 });
    expect(calm.flatMap(({ sending }) => sending ?? [])).toEqual([]);
  });
});

describe('the kills of those who send', () => {
  const ok = { status: 200, body: '{}' };
  const lane = 'message#1';
  const worker = 'SANDBOX0001';
  const relay = 'SANDBOX0002';
  const call = (sandbox: string, operation: string, body: unknown) => ({
    sandbox,
    operation,
    body: JSON.stringify(body),
  });
  const commit = call(worker, 'TransactWriteItems', {
    TransactItems: [
      { Put: { Item: { id: { S: 'post-payment#payment-00001' }, status: { S: 'completed' } } } },
      { Put: { Item: { id: { S: lane }, key: { S: 'receipt/payment-00001' } } } },
    ],
  });
  const send = (sandbox: string) => call(sandbox, 'SendMessage', { MessageAttributes: { k: 'receipt/payment-00001' } });
  const read = (sandbox: string) => call(sandbox, 'Query', { ExpressionAttributeValues: { ':id': { S: lane } } });
  const removal = (sandbox: string) =>
    call(sandbox, 'BatchExecuteStatement', {
      Statements: [{ Statement: 'DELETE FROM "outbox" WHERE …', Parameters: [{ S: lane }, { N: '1' }] }],
    });

  function killsOf(by: PlannedSending['by'], point: PlannedSending['point']) {
    const none = { receipt: undefined, points: undefined };
    const sending = { effect: 'receipt', by, point } as const;
    const planned: PlannedChain = { paymentId: 'payment-00001', sending, troubles: none, comesTwice: false };
    const kills = createSenderKills([planned]);
    expect(kills.store.onRequest?.(commit)).toBe('pass');
    return kills;
  }

  test('a message whose relay is to die does not get through from its worker, and from a relay at once after the kill', () => {
    const { destinations, stats } = killsOf('relay', 'unsent');
    expect(destinations.onRequest?.(send(worker))).toBe('drop');
    expect(destinations.onRequest?.(send(worker))).toBe('drop');
    expect(destinations.onRequest?.(send(relay))).toBe('kill');
    expect(stats.relaysKilled).toBe(1);
    expect(destinations.onRequest?.(send(relay))).toBe('pass');
  });

  test.each([
    ['unread', 'onRequest', read],
    ['kept', 'onRequest', removal],
    ['removed', 'onResponse', removal],
  ] as const)('a relay dies at the table at the point %s, once, and no worker in its place', (point, at, callOf) => {
    const { store, stats } = killsOf('relay', point);
    const asked = (sandbox: string) => store[at]?.(callOf(sandbox), ok);
    expect(asked(worker)).toBe('pass');
    expect(asked(relay)).toBe('kill');
    expect(asked(relay)).toBe('pass');
    expect(stats.relaysKilled).toBe(1);
  });

  test('a worker dies when its destination has the message, and no relay in its place', () => {
    const { destinations, stats } = killsOf('worker', 'sent');
    expect(destinations.onRequest?.(send(worker))).toBe('pass');
    expect(destinations.onResponse?.(send(relay), ok)).toBe('pass');
    expect(destinations.onResponse?.(send(worker), ok)).toBe('kill');
    expect(stats.relaysKilled).toBe(0);
  });

  test('a message of another payment, and what is about no message, passes', () => {
    const { destinations, store } = killsOf('worker', 'unsent');
    const other = call(worker, 'SendMessage', { MessageAttributes: { k: messageKey('receipt', 'payment-00002') } });
    expect(destinations.onRequest?.(other)).toBe('pass');
    expect(destinations.onRequest?.(call(worker, 'SendMessage', { paymentId: 'payment-00001' }))).toBe('pass');
    expect(store.onRequest?.(call(worker, 'GetItem', {}))).toBe('pass');
  });
});
