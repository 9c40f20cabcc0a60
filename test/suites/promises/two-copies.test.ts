import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import type { HttpEvent } from '../../../lib/pawl/http/index.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';

/*
 * A project that loads pawl by `import` and by `require` has two copies of it in one process. Here both are of the sources; the package check does the
 * same with the two of the tarball.
 */

async function copyOfPawl() {
  vi.resetModules();
  return {
    ...(await import('../../../lib/pawl/index.ts')),
    ...(await import('../../../lib/pawl/sqs/index.ts')),
    ...(await import('../../../lib/pawl/middy/index.ts')),
    ...(await import('../../../lib/pawl/http/index.ts')),
    ...(await import('../../../lib/pawl/locks/index.ts')),
    ...(await import('../../../lib/pawl/locks/dynamodb/work-names.ts')),
  };
}

const one = await copyOfPawl();
const other = await copyOfPawl();
const order = sqsRecord({ orderId: 'a' });

it('they are two', () => {
  expect(one.eachMessage).not.toBe(other.eachMessage);
  expect(one.RetryableError).not.toBe(other.RetryableError);
});

describe.each([
  { of: 'one copy', mine: one, yours: other },
  { of: 'the other copy', mine: other, yours: one },
])('a handler of $of', ({ mine, yours }) => {
  function consumer(handle: Parameters<typeof mine.eachMessage>[1]) {
    const store = yours.memoryStore();
    const handler = mine.eachMessage(
      {
        operation: 'send-email',
        store,
        key: yours.bodyField('orderId'),
        onAbandoned: yours.reconcile({ ask: () => ({ verdict: 'inconclusive' }), settleMs: 0 }),
        lease: yours.renewedLease(10_000),
        aws: noQueue,
        onEvent: () => undefined,
      },
      handle,
    );
    return { store, call: async () => failuresOf(await handler(sqsEvent(order), context())) };
  }

  it('works with a store, a key, a policy and a lease of the other', async () => {
    const { store, call } = consumer(() => undefined);
    expect(await call()).toEqual([]);
    expect(store.records()).toMatchObject([{ status: 'completed' }]);
  });

  it('runs a step of the other under its claim, once', async () => {
    let charges = 0;
    const { call } = consumer(async (_, claim) => {
      await yours.step(claim, 'charge', () => ++charges, { onAbandoned: 'retry' });
      if (charges === 1 && claim.fence === 1) throw new yours.RetryableError('later');
    });
    expect(await call()).toEqual([order.messageId]);
    expect(await call()).toEqual([]);
    expect(charges).toBe(1);
  });

  it.each([
    ['RetryableError', 'released'],
    ['RejectedError', 'rejected'],
    ['InDoubtError', 'parked'],
  ] as const)('understands a %s of the other: the claim is %s', async (name, status) => {
    const { store, call } = consumer(() => {
      throw new yours[name]('no');
    });
    await call();
    expect(store.records()).toMatchObject([{ status }]);
    expect(store.records()[0]?.unknownAt === undefined || status === 'parked').toBe(true);
  });

  it('has its claim behind HTTP from the other', async () => {
    const seen: unknown[] = [];
    const api = middy(async (_: HttpEvent, lambda: Context) => {
      seen.push(yours.claimOf(lambda)?.operation);
      return { statusCode: 200 };
    }).use(mine.httpOnce({ operation: 'pay', store: yours.memoryStore(), caller: 'anyone', onAbandoned: 'retry' }));
    const event = apiGatewayV2({ headers: { 'idempotency-key': '"k"' }, body: '{}' });
    await api(event, context() as Context);
    expect(seen).toEqual(['pay']);
  });

  it('is refused with a middleware of each, and the claims of the first are given back unharmed', async () => {
    const store = mine.memoryStore();
    const options = { store, key: mine.bodyField('orderId'), onAbandoned: 'park', aws: noQueue } as const;
    const handler = middy(async () => undefined, { timeoutEarlyInMillis: 0 })
      .use(mine.sqsOnce({ ...options, operation: 'send-email', onEvent: () => undefined }))
      .use(yours.sqsOnce({ ...options, operation: 'other', onEvent: () => undefined }));
    const response = handler(sqsEvent(order) as SQSEvent, context() as Context);
    await expect(response).rejects.toThrow('use it once on a handler');
    expect(store.records()).toMatchObject([{ id: 'send-email#a', status: 'released' }]);
    expect(store.records()[0]?.unknownAt).toBeUndefined();
  });

  it('may not lock in the other what it has locked', async () => {
    const store = mine.memoryLockStore();
    const unlock = { onSuccess: 'unlock', onFailure: 'unlock' } as const;
    const debts = [['debt', 1]] as const;
    const work = mine.resourceLocks({ store }).withLock(debts, { holder: 'a', unlock }, async () => {
      await yours.resourceLocks({ store }).lockAll(debts, { holder: 'a' });
    });
    await expect(work).rejects.toThrow(yours.NestedLockError);
  });

  it('may not use the name of a work in the other that it has in use', () => {
    const fence = { ConditionCheck: { TableName: 't', Key: { id: String(mine === one) }, ConditionExpression: 'x' } };
    const giveBack = mine.processWorkNames.take('claims', { id: 'request', work: 'repay' }, fence);
    expect(() => yours.processWorkNames.take('claims', { id: 'request', work: 'repay' }, fence)).toThrow('work');
    giveBack();
  });
});
