import { expect, test } from 'vitest';
import { carryOut } from '../../../lib/rehearsal/file/carry-out.ts';
import { createIntents } from '../../../lib/rehearsal/file/intents.ts';
import { createJournal } from '../../../lib/rehearsal/file/journal.ts';
import { createPlan, type Faults } from '../../../lib/rehearsal/file/plan.ts';

const all = Array.from({ length: 40 }, (_, n) => `order-${n}`);
const consumer = { stack: 'App', construct: 'App/Fn/Mapping', handler: 'App/Fn' };

function carried(faults: Faults) {
  const intents = createIntents();
  for (const intent of all) intents.add(intent);
  const plan = createPlan(7, faults, { hasStore: true, hasProvider: true });
  const journal = createJournal();
  const known = { plan, intents, journal, messageIntent: () => undefined };
  const rest = { kill: () => undefined, stall: () => false, stallMs: () => 0, keysOf: () => ['id'] };
  const out = carryOut({ ...known, ...rest, letTimePass: async () => [] });
  const begin = (sandbox: string, intent: string) =>
    out.watch.onBegin?.({ sandbox, construct: 'App/Fn', event: { Records: [{ messageId: intent, body: intent }] } });
  return { ...out, plan, begin, journal };
}

const query = (more: object = {}) => ({
  sandbox: 'S1',
  operation: 'Query',
  body: JSON.stringify({ TableName: 'T', IndexName: 'by-order', ...more }),
});
const itemCount = [{ orderId: { S: 'order-1' } }, { orderId: { S: 'order-x' } }];

test('an index that lags does not show what was written, to one invocation', () => {
  const { begin, dynamodb } = carried({ indexLag: 1 });
  const seen = () =>
    JSON.parse(dynamodb.rewrite?.(query())?.answer(JSON.stringify({ Count: 2, Items: itemCount })) ?? '');
  begin('S1', 'order-1');
  expect(seen()).toEqual({ Count: 1, Items: itemCount.slice(1) });
  begin('S1', 'order-1');
  expect(seen()).toEqual({ Count: 2, Items: itemCount });
});

test('a function that only counts in an index does not see it there either', () => {
  const { begin, dynamodb, stats, readsIndex } = carried({ indexLag: 1 });
  begin('S1', 'order-1');
  const rewrite = dynamodb.rewrite?.(query({ Select: 'COUNT' }));
  // The server has to show what it counts.
  expect(JSON.parse(rewrite?.body ?? '')).toEqual({ TableName: 'T', IndexName: 'by-order' });
  const answer = rewrite?.answer(JSON.stringify({ Count: 2, ScannedCount: 2, Items: itemCount })) ?? '';
  expect(JSON.parse(answer)).toEqual({ Count: 1, ScannedCount: 2 });
  expect(readsIndex()).toBe(true);
  expect(stats.indexLag).toBe(1);
});

test('an intent counts once as throttled, however many of its requests are refused: as it was planned', () => {
  const { begin, dynamodb, stats, planned, plan } = carried({ throttle: 1 });
  const refusedOf = (intent: string) => {
    begin('S1', intent);
    const put = {
      sandbox: 'S1',
      operation: 'PutItem',
      body: JSON.stringify({ TableName: 'T', Item: { id: { S: intent } } }),
    };
    return Array.from({ length: 10 }, () => dynamodb.rewrite?.({ ...put })).filter((one) => one !== undefined).length;
  };
  const refused = all.map(refusedOf);
  expect(refused).toEqual(all.map((intent) => plan.trouble(intent, 'App/Fn').throttle?.times));
  expect(refused).toContain(5);
  expect([stats.throttle, planned.throttle]).toEqual([all.length, all.length]);
});

test('what an index does not show comes back: the queue delivers the message again of each intent for which it lags', async () => {
  const { begin, delivery, plan, planned } = carried({ indexLag: 0.3 });
  const { forgetsDeletion, deliversTwice } = delivery(consumer);
  const again: string[] = [];
  for (const intent of all) {
    begin('S1', intent);
    deliversTwice?.({ MessageId: intent, Body: intent });
    if (await forgetsDeletion?.({ MessageId: intent, Body: intent })) again.push(intent);
  }
  const lagging = all.filter((intent) => plan.trouble(intent, 'App/Fn').indexLag);
  expect(lagging.length).toBeGreaterThan(5);
  expect(again).toEqual(lagging);
  expect(planned.indexLag).toBe(lagging.length);
});

test('a function that writes to S3, or asks a provider, may remember there; one that reads an object may not', () => {
  const { begin, s3, remembers, mayRemember } = carried({});
  begin('S1', 'order-1');
  s3.onRequest?.({ sandbox: 'S1', operation: 'GET /bucket/in/order-1.csv', body: '' });
  expect(mayRemember('App/Fn')).toBe(false);
  s3.onRequest?.({ sandbox: 'S1', operation: 'PUT /bucket/done/order-1', body: '' });
  expect(mayRemember('App/Fn')).toBe(true);
  const other = carried({});
  other.begin('S1', 'order-1');
  other.remembers('S2');
  expect(other.mayRemember('App/Fn')).toBe(false);
  other.remembers('S1');
  expect(other.mayRemember('App/Fn')).toBe(true);
  remembers(undefined);
});

test('as many deliveries are planned as are drawn for the mapping, of which a function may have several', async () => {
  const { begin, delivery, planned, stats } = carried({ redeliver: 0.5 });
  const { forgetsDeletion, deliversTwice } = delivery(consumer);
  for (const intent of all) {
    begin('S1', intent);
    deliversTwice?.({ MessageId: intent, Body: intent });
    await forgetsDeletion?.({ MessageId: intent, Body: intent });
  }
  expect(stats.redeliver).toBeGreaterThan(10);
  expect(planned.redeliver).toBe(stats.redeliver);
});

test('what pawl only observes is written down as that', () => {
  const { begin, dynamodb, journal } = carried({});
  const put = (more: object) => {
    const Item = { id: { S: 'mail#order-1' }, claimId: { S: 'c' }, ...more };
    const call = { sandbox: 'S1', operation: 'PutItem', body: JSON.stringify({ TableName: 'T', Item }) };
    dynamodb.onResponse?.(call, { status: 200, body: '{}' });
  };
  begin('S1', 'order-1');
  put({ observed: { S: '{}' } });
  put({});
  const stored = journal.entries.filter((entry) => entry.kind === 'stored');
  expect(stored.map(({ write }) => write.isObserved)).toEqual([true, undefined]);
});
