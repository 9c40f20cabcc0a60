import { describe, expect, it } from 'vitest';
import { type ClaimEvent, InvalidMessageError, memoryStore } from '../../../lib/pawl/index.ts';
import { type BodySchema, bodyField, compositeKey, eachMessage, type SqsOptions } from '../../../lib/pawl/sqs/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { unhandledRejections } from '../../support/rejections.ts';

type Order = { order?: { id: string } };

function setUp(options: Partial<SqsOptions<Order>>) {
  const dead: string[] = [];
  const events: ClaimEvent[] = [];
  const ran: unknown[] = [];
  const handler = eachMessage<Order>(
    {
      operation: 'send-email',
      store: memoryStore(),
      key: ({ body }) => body.order?.id,
      onAbandoned: 'retry',
      aws: noQueue,
      backoffSeconds: () => undefined,
      deadLetters: { send: async (_client, _record, reason) => void dead.push(reason) },
      onEvent: (event) => events.push(event),
      ...options,
    },
    ({ body }) => void ran.push(body),
  );
  const call = async (body: unknown = { order: { id: 'o-1' }, secret: 'card-4111' }) => {
    const record = sqsRecord(body);
    const failures = failuresOf(await handler(sqsEvent(record), context()));
    return { comesAgain: failures.includes(record.messageId), dead, events, ran };
  };
  return { call };
}

const throws = (error: unknown) => () => {
  throw error;
};
const schemaThat = (validate: BodySchema<Order>['~standard']['validate']) => ({ '~standard': { validate } });

describe('a bug in the author’s code (consumer.ts 2)', () => {
  const bug = new TypeError('card-4111 is no order');
  it.each<[string, Partial<SqsOptions<Order>>]>([
    ['key', { key: ({ body }) => (body as { customer?: { id: string } }).customer?.id.trim() ?? throws(bug)() }],
    ['key', { key: throws(bug) }],
    ['key', { key: (async () => 'o-1') as never }],
    ['key', { key: (() => () => 'o-1') as never }],
    ['key', { key: compositeKey(() => 'a', (async () => 'b') as never) }],
    ['key', { key: (() => Promise.reject(bug)) as never }],
    ['schema', { schema: schemaThat(throws(bug)) }],
    ['schema', { schema: schemaThat(() => Promise.reject(bug)) }],
    ['schema', { schema: schemaThat((() => undefined) as never) }],
    ['fingerprint', { fingerprint: throws(bug) }],
    ['fingerprint', { fingerprint: (() => undefined) as never }],
    ['fingerprint', { fingerprint: (async () => 'text') as never }],
    ['attributes', { attributes: throws(bug) }],
    ['attributes', { attributes: (() => undefined) as never }],
    ['attributes', { attributes: (async () => ({ amount: 12 })) as never }],
    ['attributes', { attributes: (() => Promise.reject(bug)) as never }],
    ['attributes', { attributes: (({ body }: { body: object }) => ({ body })) as never }],
  ])('dead-letters nothing: the message comes again, and an event says the stage: %s, %o', async (stage, options) => {
    const failed = await unhandledRejections(async () => {
      const { comesAgain, dead, events, ran } = await setUp(options).call();
      expect({ comesAgain, dead, ran }).toEqual({ comesAgain: true, dead: [], ran: [] });
      expect(events).toMatchObject([{ type: 'author-error', stage, error: { name: 'TypeError' } }]);
      expect(JSON.stringify(events)).not.toContain('card-4111');
    });
    expect(failed).toEqual([]);
  });

  it('that throws what cannot even be looked at takes no other message along', async () => {
    const closed = new Proxy({}, { get: throws(bug), getPrototypeOf: throws(bug) });
    const store = memoryStore();
    const handler = eachMessage<{ readonly id: string }>(
      {
        operation: 'send-email',
        store,
        key: bodyField('id'),
        onAbandoned: 'retry',
        aws: noQueue,
        onEvent: () => undefined,
      },
      ({ body }) => {
        if (body.id === 'bad') throw closed;
      },
    );
    const bad = sqsRecord({ id: 'bad' });
    expect(failuresOf(await handler(sqsEvent(bad, sqsRecord({ id: 'good' })), context()))).toEqual([bad.messageId]);
    expect(store.records().map(({ status }) => status)).toEqual(['released', 'completed']);
  });

  it('in a classifier that is async ends no process: its error says nothing, and the policy decides', async () => {
    const store = memoryStore();
    const failed = await unhandledRejections(async () => {
      const handler = eachMessage<Order>(
        {
          operation: 'send-email',
          store,
          key: ({ body }) => body.order?.id,
          onAbandoned: 'park',
          aws: noQueue,
          classify: (() => Promise.reject(bug)) as never,
          onEvent: () => undefined,
        },
        throws(new Error('socket hang up')),
      );
      await handler(sqsEvent(sqsRecord({ order: { id: 'o-1' } })), context());
    });
    expect(failed).toEqual([]);
    expect(store.records()).toMatchObject([{ status: 'parked' }]);
  });

  it('is reported with the places in the code, and without a word of the error, which may quote the body', async () => {
    function keyOfTheOrder(): never {
      throw new RangeError('card-4111\n    at is in this text');
    }
    const { events } = await setUp({ key: keyOfTheOrder }).call();
    expect(events).toMatchObject([{ type: 'author-error', error: { name: 'RangeError' } }]);
    const [{ stack }] = events as unknown as [{ stack: string }];
    expect(stack).toMatch(/^ {4}at .*keyOfTheOrder .*author-errors\.test\.ts:\d+/m);
    expect(JSON.stringify(events)).not.toContain('card-4111');
  });

  it('in the back-off leaves the queue’s visibility timeout, and is reported', async () => {
    for (const wrong of [throws(bug), () => Number.NaN, () => -1, () => '30', async () => 30]) {
      const { comesAgain, events } = await setUp({
        schema: schemaThat(throws(bug)),
        backoffSeconds: wrong as never,
      }).call();
      expect(comesAgain).toBe(true);
      expect(events.at(-1)).toMatchObject({ type: 'author-error', stage: 'backoffSeconds' });
    }
  });
});

describe('what is known of the message itself is dead-lettered at once (consumer.ts 2)', () => {
  const deep = `{"order":{"id":"o-1"},"deep":${'['.repeat(600)}${']'.repeat(600)}}`;
  it.each<[string, Partial<SqsOptions<Order>>, unknown, string]>([
    ['no JSON', {}, 'no json', 'invalid-message'],
    ['nested too deeply', {}, deep, 'invalid-message'],
    [
      'not as the schema says',
      { schema: schemaThat(() => ({ issues: [{ path: ['order'] }] })) },
      {},
      'invalid-message',
    ],
    ['no key', {}, {}, 'missing-key'],
    ['a key that is no text', { key: bodyField('order') as never }, { order: { id: 1 } }, 'invalid-key'],
    ['what the key function says', { key: throws(new InvalidMessageError('invalid-key', 'no')) }, {}, 'invalid-key'],
  ])('%s', async (_, options, body, reason) => {
    const { comesAgain, dead, ran } = await setUp(options).call(body);
    expect({ comesAgain, dead, ran }).toEqual({ comesAgain: false, dead: [reason], ran: [] });
  });
});

it('an event whose bodies were parsed by another middleware is refused as a whole, and nothing is dead-lettered', async () => {
  const { call } = setUp({});
  const parsed = { ...sqsRecord({}), body: { order: { id: 'o-1' } } as never };
  const dead: string[] = [];
  const handler = eachMessage<Order>(
    {
      operation: 'send-email',
      store: memoryStore(),
      key: bodyField('order.id'),
      onAbandoned: 'retry',
      deadLetters: { send: async (_client, _record, reason) => void dead.push(reason) },
    },
    () => undefined,
  );
  await expect(handler(sqsEvent(sqsRecord({}), parsed), context())).rejects.toThrow(/another middleware has parsed it/);
  expect(dead).toEqual([]);
  expect((await call()).comesAgain).toBe(false);
});
