import { describe, expect, it } from 'vitest';
import { canonicalValue, memoryStore } from '../../../lib/pawl/index.ts';
import { bodyField, eachMessage, type SqsOptions } from '../../../lib/pawl/sqs/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';

type Order = { orderId: string; amount?: unknown; sentAt?: string };

function setUp(options: Partial<SqsOptions<Order>> = {}) {
  const store = memoryStore();
  const ran: unknown[] = [];
  const reasons: string[] = [];
  const handler = eachMessage<Order>(
    {
      operation: 'issue-gift-card',
      aws: noQueue,
      store,
      key: bodyField('orderId'),
      onAbandoned: 'retry',
      backoffSeconds: () => undefined,
      onEvent: (event) => {
        if (event.type === 'undeliverable') reasons.push(event.reason);
      },
      ...options,
    },
    ({ body }) => ran.push(body.amount),
  );
  const call = (...bodies: string[]) => handler(sqsEvent(...bodies.map((body) => sqsRecord(body))), context());
  return { store, ran, reasons, call };
}

describe('the intent of a message', () => {
  it('is its whole body: another amount under the same key never runs, and is never taken for done', async () => {
    const { call, ran, reasons, store } = setUp();
    expect(failuresOf(await call('{"orderId":"a","amount":10}'))).toEqual([]);
    expect(failuresOf(await call('{"orderId":"a","amount":11}'))).toHaveLength(1);
    expect(ran).toEqual([10]);
    expect(reasons).toEqual(['key-reused']);
    expect(store.records()).toMatchObject([
      { status: 'completed', fingerprint: expect.stringMatching(/^1:[0-9a-f]{32}$/) },
    ]);
  });

  it('is the same in another key order, with other white space, and with 10.0 for 10', async () => {
    const { call, ran } = setUp();
    expect(failuresOf(await call('{"orderId":"a","amount":10}', '{ "amount": 10.0, "orderId": "a" }'))).toEqual([]);
    expect(ran).toEqual([10]);
  });

  it('is what was sent, whatever a schema makes of the value that it is given', async () => {
    let validations = 0;
    const schema: SqsOptions<Order>['schema'] = {
      '~standard': { validate: (value) => ({ value: Object.assign(value as Order, { amount: ++validations }) }) },
    };
    const { call, ran, reasons } = setUp({ schema });
    for (const _ of [1, 2]) expect(failuresOf(await call('{"orderId":"a","amount":10}'))).toEqual([]);
    expect([ran, reasons]).toEqual([[1], []]);
  });

  it('is another one in the 20th digit, which JSON.parse has rounded away', async () => {
    const { call, ran, reasons } = setUp();
    await call('{"orderId":"a","amount":12345678901234567890}');
    await call('{"orderId":"a","amount":12345678901234567891}');
    expect(ran).toHaveLength(1);
    expect(reasons).toEqual(['key-reused']);
  });

  it('is checked inside one batch as well: a repeat with another amount does not share the outcome', async () => {
    const { call, ran, reasons } = setUp();
    const response = await call(
      '{"orderId":"a","amount":10}',
      '{"orderId":"a","amount":11}',
      '{"orderId":"a","amount":10}',
    );
    expect(failuresOf(response)).toHaveLength(1);
    expect(ran).toEqual([10]);
    expect(reasons).toEqual(['key-reused']);
  });

  it('leaves out what the author says is noise', async () => {
    const { call, ran } = setUp({ fingerprint: { ignore: ['sentAt'] } });
    await call('{"orderId":"a","amount":10,"sentAt":"09:30"}');
    expect(failuresOf(await call('{"orderId":"a","amount":10,"sentAt":"09:31"}'))).toEqual([]);
    expect(ran).toEqual([10]);
  });

  it('is what the author chooses, or nothing', async () => {
    const chosen = setUp({ fingerprint: ({ body }) => canonicalValue({ amount: body.amount }) });
    await chosen.call('{"orderId":"a","amount":10,"sentAt":"09:30"}');
    expect(failuresOf(await chosen.call('{"orderId":"a","amount":10,"sentAt":"09:31"}'))).toEqual([]);
    expect(failuresOf(await chosen.call('{"orderId":"a","amount":11}'))).toHaveLength(1);
    const off = setUp({ fingerprint: false });
    await off.call('{"orderId":"a","amount":10}');
    expect(failuresOf(await off.call('{"orderId":"a","amount":11}'))).toEqual([]);
    expect(off.store.records()[0]?.fingerprint).toBeUndefined();
  });

  it('recorded by the rule before a change is accepted for as long as the author says, and refused afterwards', async () => {
    const store = memoryStore();
    const at = (sentAt: string) => `{"orderId":"a","amount":10,"sentAt":"${sentAt}"}`;
    await setUp({ store }).call(at('09:30'));
    const change = (until: string) =>
      setUp({ store, fingerprint: { ignore: ['sentAt'], previous: { ignore: [], until } } });
    expect(failuresOf(await change('2999-01-01').call(at('09:30')))).toEqual([]);
    const over = change('2020-01-01');
    expect(failuresOf(await over.call(at('09:30')))).toHaveLength(1);
    expect(over.reasons).toEqual(['key-reused']);
  });
});
