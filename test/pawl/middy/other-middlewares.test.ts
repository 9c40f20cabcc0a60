import middy, { type MiddlewareObj, type MiddyfiedHandler } from '@middy/core';
import eventNormalizer from '@middy/event-normalizer';
import sqsPartialBatchFailure from '@middy/sqs-partial-batch-failure';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type ClaimEvent, memoryStore } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, type SqsOptions, type SqsRecord } from '../../../lib/pawl/sqs/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';

type Order = { orderId: string };
type Options = Partial<SqsOptions<Order>>;
type Place = 'around' | 'inside';

/** By its source, the normalizer knows what it has to parse. */
const fromSqs = (record: SqsRecord): SqsRecord => Object.assign(record, { eventSource: 'aws:sqs' });
const order = (orderId: string, receiveCount = 1) => fromSqs(sqsRecord({ orderId }, { receiveCount }));
const orderIdOf = ({ body }: { body: string }): string => JSON.parse(body).orderId;

/** What Lambda sees of a response: its JSON. */
const asLambdaSees = (response: unknown) => JSON.parse(JSON.stringify(response ?? null));

/** A handler with `sqsOnce` and other middlewares, in either order. */
function setUp(
  others: readonly MiddlewareObj[],
  place: Place,
  handle: (event: SQSEvent) => unknown,
  options: Options = {},
) {
  const store = memoryStore();
  const events: ClaimEvent[] = [];
  const handled: string[][] = [];
  const once = sqsOnce<Order>({
    operation: 'send-email',
    store,
    key: bodyField('orderId'),
    onAbandoned: 'park',
    aws: noQueue,
    onEvent: (event) => events.push(event),
    ...options,
  }) as unknown as MiddlewareObj;
  const handler = middy(
    async (event: SQSEvent) => {
      handled.push(event.Records.map(({ messageId }) => messageId));
      return handle(event);
    },
    { timeoutEarlyInMillis: 0 },
  ) as MiddyfiedHandler;
  for (const middleware of place === 'around' ? [...others, once] : [once, ...others]) handler.use(middleware);
  const call = (...records: readonly SqsRecord[]) =>
    handler(sqsEvent(...records) as SQSEvent, context() as Context) as Promise<unknown>;
  const statuses = () => Object.fromEntries(store.records().map(({ id, status }) => [id.split('#')[1], status]));

  /** Another worker holds this order. */
  async function heldElsewhere(orderId: string): Promise<void> {
    const now = Date.now();
    await store.write({
      next: {
        id: `send-email#${orderId}`,
        status: 'in-flight',
        claimId: 'another',
        fence: 1,
        leaseUntil: now + 30_000,
        firstSeenAt: now,
        attempts: 1,
        abandoned: 0,
        rev: 1,
        v: 1,
      },
      seen: undefined,
    });
  }

  return { store, events, handled, call, statuses, heldElsewhere };
}

const settled = (event: SQSEvent, failing: readonly string[] = []) =>
  Promise.allSettled(
    event.Records.map(async (record) => {
      if (failing.includes(orderIdOf(record))) throw new Error('mail server unavailable');
    }),
  );
const quiet = () => sqsPartialBatchFailure({ logger: () => undefined }) as MiddlewareObj;

describe.each<Place>(['around', 'inside'])('@middy/sqs-partial-batch-failure %s sqsOnce', (place) => {
  it('has exactly the unfinished messages come again: failed, and held by another worker', async () => {
    const { call, statuses, heldElsewhere } = setUp([quiet()], place, (event) => settled(event, ['failing']));
    await heldElsewhere('elsewhere');
    const [done, elsewhere, failing, other] = [order('done'), order('elsewhere'), order('failing'), order('other')];
    const response = await call(done, elsewhere, failing, other);
    expect(asLambdaSees(response)).toEqual({
      batchItemFailures: [elsewhere, failing].map(({ messageId }) => ({ itemIdentifier: messageId })),
    });
    expect(statuses()).toEqual({ done: 'completed', elsewhere: 'in-flight', failing: 'parked', other: 'completed' });
  });

  it('acknowledges what was done before, beside what runs now', async () => {
    const { call, handled } = setUp([quiet()], place, (event) => settled(event));
    await call(order('a'));
    expect(failuresOf(await call(order('a', 2), order('b')))).toEqual([]);
    expect(handled.map(({ length }) => length)).toEqual([1, 1]);
  });

  it('has all that was handed on, and what is held elsewhere, come again when the handler throws', async () => {
    const { call, heldElsewhere } = setUp([quiet()], place, () => Promise.reject(new Error('socket hang up')));
    await call(order('before')).catch(() => undefined);
    await heldElsewhere('elsewhere');
    const [elsewhere, a] = [order('elsewhere'), order('a')];
    expect(failuresOf(await call(elsewhere, a))).toEqual([elsewhere, a].map(({ messageId }) => messageId).sort());
  });

  it('acknowledges nothing that is held elsewhere when nothing may run', async () => {
    const { call, handled, heldElsewhere } = setUp([quiet()], place, (event) => settled(event));
    await heldElsewhere('elsewhere');
    const elsewhere = order('elsewhere');
    expect(failuresOf(await call(elsewhere))).toEqual([elsewhere.messageId]);
    expect(handled).toEqual([]);
  });

  it('acknowledges nothing that is held elsewhere when a third middleware fails after the handler', async () => {
    const failing: MiddlewareObj = {
      after: () => {
        throw new Error('the metrics could not be flushed');
      },
    };
    for (const others of [
      [quiet(), failing],
      [failing, quiet()],
    ]) {
      const { call, heldElsewhere } = setUp(others, place, (event) => settled(event));
      await heldElsewhere('elsewhere');
      const elsewhere = order('elsewhere');
      const answer = await call(elsewhere, order('a')).then(failuresOf, () => 'all of them');
      if (answer !== 'all of them') expect(answer).toContain(elsewhere.messageId);
    }
  });
});

describe('bodies that another middleware parses', () => {
  const normalizer = () => eventNormalizer() as MiddlewareObj;

  it('are refused before anything is claimed when it parses them first: the text that was sent is gone', async () => {
    const deadLetters = { send: () => Promise.reject(new Error('nothing may be dead-lettered')) };
    const { call, store, events, handled } = setUp([normalizer()], 'around', () => undefined, { deadLetters });
    await expect(call(order('a'))).rejects.toThrow(/another middleware has parsed it.*Put pawl before/);
    expect([store.records(), handled, events]).toEqual([[], [], []]);
  });

  it('are fine behind sqsOnce: the handler gets the object, and the fingerprint covers every digit that was sent', async () => {
    const bodies: unknown[] = [];
    const { call, events } = setUp([normalizer()], 'inside', ({ Records }) => {
      for (const { body } of Records) bodies.push(body);
    });
    const exact = (amount: string) => fromSqs(sqsRecord(`{"orderId":"a","amount":${amount}}`));
    expect(failuresOf(await call(exact('9007199254740993')))).toEqual([]);
    expect(bodies).toEqual([{ orderId: 'a', amount: 9007199254740992 }]);
    // Rounded, the two would be one intent, and the second would be acknowledged as done.
    expect(failuresOf(await call(exact('9007199254740992')))).toHaveLength(1);
    expect(events.map(({ type }) => type)).toContain('key-reused');
  });

  it('go to the dead-letter queue as they were sent', async () => {
    const sent: string[] = [];
    const deadLetters = { send: async (_: unknown, { body }: SqsRecord) => void sent.push(body) };
    const { call } = setUp([normalizer()], 'inside', () => undefined, { deadLetters });
    expect(failuresOf(await call(fromSqs(sqsRecord('{"noOrder": 1.10}'))))).toEqual([]);
    expect(sent).toEqual(['{"noOrder": 1.10}']);
  });
});

describe('a middleware inside of sqsOnce that answers early (watched-request.ts 2)', () => {
  const early = (hook: 'before' | 'after' | 'onError', answer: unknown): MiddlewareObj => ({ [hook]: () => answer });

  it('before the handler: what was claimed is given back unharmed, and every message comes again', async () => {
    const { call, handled, statuses, store } = setUp([early('before', { statusCode: 200 })], 'inside', () => undefined);
    const both = [order('a'), order('b')];
    expect(failuresOf(await call(...both))).toEqual(both.map(({ messageId }) => messageId).sort());
    expect(handled).toEqual([]);
    expect(statuses()).toEqual({ a: 'released', b: 'released' });
    expect(store.records().map(({ unknownAt }) => unknownAt)).toEqual([undefined, undefined]);
  });

  it('before the handler, with a response that is set as well: that is no answer of the handler’s', async () => {
    const answersAndSets: MiddlewareObj = {
      before: (request) => {
        request.response = { batchItemFailures: [] };
        return request.response;
      },
    };
    const { call, handled, statuses } = setUp([answersAndSets], 'inside', () => undefined);
    const both = [order('a'), order('b')];
    expect(failuresOf(await call(...both))).toEqual(both.map(({ messageId }) => messageId).sort());
    expect(handled).toEqual([]);
    expect(statuses()).toEqual({ a: 'released', b: 'released' });
  });

  it('before the handler, by a middleware that has read the context: the handler has answered nothing all the same', async () => {
    const reads: MiddlewareObj = {
      before: (request) => (request.context ? { batchItemFailures: [] } : undefined),
    };
    const { call, handled, statuses } = setUp([reads], 'inside', () => undefined);
    const both = [order('a'), order('b')];
    expect(failuresOf(await call(...both))).toEqual(both.map(({ messageId }) => messageId).sort());
    expect(handled).toEqual([]);
    expect(statuses()).toEqual({ a: 'released', b: 'released' });
  });

  it('after the handler: its answer is taken for the handler’s, and what is held elsewhere comes again', async () => {
    const answer = { batchItemFailures: [] };
    const { call, statuses, heldElsewhere } = setUp([early('after', answer)], 'inside', () => undefined);
    await heldElsewhere('elsewhere');
    const elsewhere = order('elsewhere');
    expect(failuresOf(await call(elsewhere, order('a')))).toEqual([elsewhere.messageId]);
    expect(statuses()).toEqual({ elsewhere: 'in-flight', a: 'completed' });
  });

  it('when the handler has thrown: every message failed, whatever it answers', async () => {
    const { call, statuses } = setUp([early('onError', { batchItemFailures: [] })], 'inside', () => {
      throw new Error('no');
    });
    const both = [order('a'), order('b')];
    expect(failuresOf(await call(...both))).toEqual(both.map(({ messageId }) => messageId).sort());
    expect(statuses()).toEqual({ a: 'parked', b: 'parked' });
  });
});

describe('a middleware that replaces the event', () => {
  it('behind sqsOnce, with records of its own: results are still known by their messages', async () => {
    const replace: MiddlewareObj = {
      before: (request) => {
        request.event = { Records: (request.event as SQSEvent).Records.map((record) => ({ ...record })).reverse() };
      },
    };
    const { call, statuses } = setUp([replace], 'inside', (event) => settled(event, ['b']));
    const b = order('b');
    expect(failuresOf(await call(order('a'), b, order('c')))).toEqual([b.messageId]);
    expect(statuses()).toEqual({ a: 'completed', b: 'parked', c: 'completed' });
  });

  it('around sqsOnce, sees its own event again afterwards', async () => {
    const seen: unknown[] = [];
    const around: MiddlewareObj = {
      after: ({ event }) => void seen.push((event as SQSEvent).Records.length),
    };
    const { call, heldElsewhere } = setUp([around], 'around', () => undefined);
    await heldElsewhere('elsewhere');
    await call(order('elsewhere'), order('a'));
    expect(seen).toEqual([2]);
  });

  it('puts functions on records: they are claimed and handed on all the same', async () => {
    const lazy: MiddlewareObj = {
      before: ({ event }) => {
        for (const record of (event as SQSEvent).Records)
          Object.assign(record, { json: () => JSON.parse(record.body) });
      },
    };
    const { call, statuses } = setUp([lazy], 'around', ({ Records }) => {
      for (const record of Records) (record as unknown as { json(): unknown }).json();
    });
    expect(failuresOf(await call(order('a')))).toEqual([]);
    expect(statuses()).toEqual({ a: 'completed' });
  });
});
