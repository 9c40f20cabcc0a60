import { afterAll, beforeAll, expect, test } from 'vitest';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import type { ProviderFault } from '../../../../lib/rehearsal/provider.ts';
import { shopEffects } from '../../../../shop/app/app-functions.ts';
import { createPlan } from '../../../../shop/plan/plan.ts';
import { decideSomeParked } from '../../../../shop/traffic/operator.ts';
import { createPawlEvents } from '../../../../shop/traffic/pawl-events.ts';
import { sendOrders } from '../../../../shop/traffic/producer.ts';
import { eventually } from '../../../support/eventually.ts';
import { listeningAddresses } from '../../../support/other-addresses.ts';
import { resolverOf } from '../../../support/resolver-of.ts';
import { type StartedShop, startShop } from '../../../support/started-shop.ts';

const events = createPawlEvents();
/** What goes wrong with an order's mail, once. */
const troubles = new Map<string, ProviderFault>();
let shop: StartedShop;
beforeAll(async () => {
  const provider = (effect: string, orderId: string) => {
    if (effect !== 'email') return undefined;
    const fault = troubles.get(orderId);
    troubles.delete(orderId);
    return fault;
  };
  shop = await startShop({ onLog: events.read, provider });
});
afterAll(() => shop.stop());

async function drained(): Promise<void> {
  const empty = { ready: 0, delayed: 0, inFlight: 0 };
  const look = async () => {
    const depths = await Promise.all(shopEffects.map((effect) => shop.sqs.depth(shop.consumers[effect].queue.name)));
    expect(depths).toEqual([empty, empty]);
  };
  await eventually('both queues are empty', look, 100);
}

test('the synthesized app does each order once, also when the producer sends it all again', async () => {
  const plan = createPlan({ orders: 7, killShare: 0, seed: 1 });
  await sendOrders(shop, plan);
  await sendOrders(shop, plan);
  await drained();
  const once = plan.map(({ order }) => [order.orderId, 1]);
  for (const effect of shopEffects) expect([...shop.ledger.countByOrder(effect)].toSorted()).toEqual(once);
  expect(events.count('completed')).toBe(14);
  expect(events.count('replayed', 'repeated')).toBeGreaterThanOrEqual(14);
});

test.runIf(process.platform === 'linux')('nothing of a running app listens on another address than 127.0.0.1', () => {
  const addresses = listeningAddresses();
  // DynamoDB Local, its tap, SQS, SES, gift cards, accounts, the processor and the HTTP API.
  expect(addresses.length).toBeGreaterThanOrEqual(8);
  expect(addresses.filter((address) => address !== '127.0.0.1')).toEqual([]);
});

test('the operator decides one parked mail that was sent and one that was not, and leaves the others parked', async () => {
  const plan = createPlan({ orders: 10, killShare: 0, seed: 1 }).slice(7);
  const [sent = '', unsent = '', other = ''] = plan.map(({ order }) => order.orderId);
  troubles.set(sent, { kind: 'error-applied', status: 500 });
  troubles.set(unsent, { kind: 'error-before', status: 500 });
  troubles.set(other, { kind: 'error-before', status: 500 });
  const calm = { sentAgainAfterSeconds: undefined, redelivery: undefined, trouble: undefined };
  await sendOrders(
    shop,
    plan.map(({ order }) => ({ order, effects: { email: calm, 'gift-card': calm } })),
  );
  await drained();
  const decided = await decideSomeParked(shop, 'email');
  const [first, second] = decided;
  expect(first).toEqual({ effect: 'email', orderId: sent, verdict: 'applied' });
  // Which of the two that were not sent is a matter of the order in the dead-letter queue.
  const resolved = second?.orderId === other ? other : unsent;
  const left = resolved === other ? unsent : other;
  expect(decided).toEqual([first, { effect: 'email', orderId: resolved, verdict: 'not-applied' }]);
  await drained();

  const mails = shop.ledger.countByOrder('email');
  expect([sent, resolved, left].map((orderId) => mails.get(orderId))).toEqual([1, 1, undefined]);
  const store = dynamoStore({ tableName: shop.claimsTable, aws: sdk({ dynamodb: shop.dynamo }) });
  const claims = resolverOf({ operation: 'send-email', store });
  const by = { by: 'the operator' };
  expect(await claims.read(sent)).toMatchObject({ status: 'completed', resolution: { verdict: 'applied', ...by } });
  expect(await claims.read(resolved)).toMatchObject({
    status: 'completed',
    resolution: { verdict: 'not-applied', ...by },
  });
  expect(await claims.read(left)).toMatchObject({ status: 'parked' });
  const dead = shop.consumers.email.deadLetterQueue?.name ?? '';
  expect(await shop.sqs.depth(dead)).toEqual({ ready: 1, delayed: 0, inFlight: 0 });
});

test('an app that does not synthesize is reported as the app says it, and leaves nothing running', async () => {
  await expect(startShop({ functionTimeoutSeconds: 0 })).rejects.toThrow('functionTimeoutSeconds');
});
