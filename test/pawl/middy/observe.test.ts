import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type ClaimEvent, memoryStore } from '../../../lib/pawl/index.ts';
import { openedMessage, type SqsOnceOptions, sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { observedToken } from '../../../lib/pawl/rules/observed.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { bodyField, snsEnvelope } from '../../../lib/pawl/sqs/index.ts';
import { stores, takenAway } from '../../support/broken-stores.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { unhandledRejections } from '../../support/rejections.ts';
import { virtualHost } from '../../support/virtual-host.ts';

interface Order {
  readonly orderId: string;
}
type Existing = (event: SQSEvent, context: Context) => unknown;

function orderIdOf({ body }: { body: string }): string {
  return JSON.parse(body).orderId;
}

/** What existing batch handlers do. Each is the same with pawl and without. */
const handlers: Readonly<Record<string, Existing>> = {
  'settled results': (event) =>
    Promise.allSettled(
      event.Records.map(async (record) => {
        if (orderIdOf(record).startsWith('bad')) throw new Error('no');
        return orderIdOf(record);
      }),
    ),
  failures: (event) => ({
    batchItemFailures: event.Records.filter((record) => orderIdOf(record).startsWith('bad')).map(({ messageId }) => ({
      itemIdentifier: messageId,
    })),
  }),
  nothing: () => undefined,
  'something of its own': () => ({ done: true }),
  'a throw': () => {
    throw new Error('the whole batch');
  },
  'its event sorted, and changed': (event) => {
    event.Records.reverse();
    event.Records.pop();
    return undefined;
  },
};

const messages = () => [
  sqsRecord({ orderId: 'a' }, { messageId: 'm-1', receiptHandle: 'r-1' }),
  sqsRecord({ orderId: 'bad-1' }, { messageId: 'm-2', receiptHandle: 'r-2' }),
  sqsRecord({ orderId: 'a' }, { messageId: 'm-3', receiptHandle: 'r-3' }),
  sqsRecord({ amount: 1 }, { messageId: 'm-4', receiptHandle: 'r-4' }),
];

/** What a batch comes to: what the handler was given, and what Lambda gets. */
async function outcomeOf(existing: Existing, options?: SqsOnceOptions<Order>) {
  const given: string[] = [];
  const handler = middy(
    async (event: SQSEvent, lambda: Context) => {
      given.push(JSON.stringify(event), Object.keys(lambda).join());
      return existing(event, lambda);
    },
    { timeoutEarlyInMillis: 0 },
  );
  if (options !== undefined) handler.use(sqsOnce<Order>(options));
  const event = sqsEvent(...messages()) as SQSEvent;
  try {
    return { given, response: await handler(event, context() as Context), left: JSON.stringify(event) };
  } catch (error) {
    return { given, error, left: JSON.stringify(event) };
  }
}

function observing(more: Partial<SqsOnceOptions<Order>> = {}): SqsOnceOptions<Order> {
  return {
    operation: 'send-email',
    aws: noQueue,
    store: memoryStore(),
    key: bodyField('orderId'),
    onAbandoned: 'park',
    mode: 'observe',
    onEvent: () => undefined,
    ...more,
  };
}

describe('sqsOnce under observe', () => {
  it.each(Object.keys(stores).flatMap((store) => Object.keys(handlers).map((handler) => [store, handler] as const)))(
    'has the outcome of a handler without pawl, with a table that is %s: %s',
    async (store, handler) => {
      const existing = handlers[handler] as Existing;
      const own = stores[store]?.();
      expect(await outcomeOf(existing, observing(own && { store: own }))).toEqual(await outcomeOf(existing));
    },
  );

  it('has it when the table is taken away in mid-run, and leaves no rejection unhandled', async () => {
    const existing = handlers['settled results'] as Existing;
    const expected = await outcomeOf(existing);
    const rejections = await unhandledRejections(async () => {
      for (let writes = 0; writes < 8; writes++) {
        expect(await outcomeOf(existing, observing({ store: takenAway(writes) }))).toEqual(expected);
      }
    });
    expect(rejections).toEqual([]);
  });

  it('records what each message came to, and says what pawl would have done', async () => {
    const store = memoryStore();
    const events: ClaimEvent[] = [];
    const options = observing({ store, onEvent: (event) => events.push(event) });
    await outcomeOf(handlers['settled results'] as Existing, options);
    const statuses = store.records().map(({ id, status, claimId }) => [id, status, claimId]);
    expect(statuses.toSorted()).toEqual([
      ['send-email#a', 'completed', observedToken],
      ['send-email#bad-1', 'released', observedToken],
    ]);
    expect(events.map(({ type, id }) => `${type} ${id}`).toSorted()).toEqual([
      'would-dead-letter ',
      'would-defer send-email#a',
      'would-park send-email#bad-1',
    ]);
  });

  it('opens envelopes for a handler that asks for what is in them', async () => {
    const notification = { Type: 'Notification', MessageId: 'n', TopicArn: 'arn:t', Message: '{"orderId":"a"}' };
    const ids: string[] = [];
    const handler = middy(
      async (event: SQSEvent) => {
        for (const record of event.Records) ids.push(openedMessage<Order>(record).body.orderId);
      },
      { timeoutEarlyInMillis: 0 },
    ).use(sqsOnce<Order>(observing({ envelope: snsEnvelope() })));
    await handler(sqsEvent(sqsRecord(notification)) as SQSEvent, context() as Context);
    expect(ids).toEqual(['a']);
  });

  it('leaves the handler half of the invocation where claims hang, of a share or of one message', async () => {
    const never = new Promise<never>(() => undefined);
    for (const [mode, hangs] of [
      [{ enforce: 0.5 }, () => true],
      [{ mode: 'enforce' }, (id: string) => id === 'send-email#order-0'],
    ] as const) {
      const host = virtualHost();
      const start = host.now();
      const well = memoryStore();
      const store: ClaimStore = {
        read: (id) => (hangs(id) ? never : well.read(id)),
        write: (write) => (hangs(write.next.id) ? never : well.write(write)),
      };
      const startedAt: number[] = [];
      const handler = middy(async (_: SQSEvent) => void startedAt.push(host.now() - start), {
        timeoutEarlyInMillis: 0,
      }).use(sqsOnce<Order>({ ...observing({ store, ...mode }), host }));
      const records = Array.from({ length: 10 }, (_, index) => sqsRecord({ orderId: `order-${index}` }));
      void handler(sqsEvent(...records) as SQSEvent, context(30_000, host.now) as Context);
      await host.advance(28_000);
      expect(startedAt).toEqual([15_000]);
    }
  });

  it('enforces a share of the keys in the same batch, and hands on the others at each delivery', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `order-${index}`);
    const ran: string[] = [];
    const store = memoryStore();
    const handler = middy(
      async (event: SQSEvent) => {
        for (const record of event.Records) ran.push(record.body === '{' ? '{' : orderIdOf(record));
        return Promise.allSettled(
          event.Records.map(async ({ body }) => {
            if (body === '{' || orderIdOf({ body }) === 'order-3') throw new Error('no');
          }),
        );
      },
      { timeoutEarlyInMillis: 0 },
    ).use(sqsOnce<Order>(observing({ store, enforce: 0.2, backoffSeconds: () => undefined })));
    const call = async () => {
      const records = [...ids.map((orderId) => sqsRecord({ orderId })), sqsRecord('{')];
      const failed = failuresOf(await handler(sqsEvent(...records) as SQSEvent, context() as Context));
      return records.filter(({ messageId }) => failed.includes(messageId)).map(({ body }) => body);
    };
    expect(await call()).toEqual(['{"orderId":"order-3"}', '{']);
    expect(await call()).toEqual(['{"orderId":"order-3"}', '{']);
    const once = ids.filter((id) => ran.indexOf(id) === ran.lastIndexOf(id));
    expect(once.length).toBeGreaterThan(2);
    expect(once.length).toBeLessThan(20);
    expect(ran.filter((id) => id === '{').length).toBe(2);
    const claims = store.records().filter(({ claimId }) => claimId !== observedToken);
    expect(claims.map(({ id }) => id.slice('send-email#'.length)).toSorted()).toEqual(once.toSorted());
  });
});
