import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { memoryStore, once, RetryableError, reconcile } from '../../../lib/pawl/index.ts';
import {
  DynamoDBPersistenceLayer,
  type DynamoDBPersistenceOptions,
  IdempotencyAlreadyInProgressError,
  IdempotencyConfig,
  type IdempotencyConfigOptions,
  IdempotencyKeyError,
  IdempotencyPersistenceLayerError,
  IdempotencyValidationError,
  makeHandlerIdempotent,
  makeIdempotent,
} from '../../../lib/pawl/powertools/index.ts';
import type { InvocationContext } from '../../../lib/pawl/sqs/event.ts';
import { context, sqsEvent, sqsRecord } from '../../support/lambda.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A layer over a store in memory: Powertools' own records do not count. */
const layerOver = (store = memoryStore(), options: Partial<DynamoDBPersistenceOptions> = {}) =>
  new DynamoDBPersistenceLayer({ tableName: undefined, records: 'none', onAbandoned: 'retry', store, ...options });

const made = (options: IdempotencyConfigOptions = {}, store = memoryStore()) => ({
  persistenceStore: layerOver(store),
  config: new IdempotencyConfig(options),
});

interface Order {
  readonly orderId: string;
  readonly amount?: number;
}

describe('makeIdempotent', () => {
  test('runs a call once per key, and gives each duplicate a copy of the result of its own', async () => {
    const run = vi.fn(async ({ orderId }: Order) => ({ mails: [orderId] }));
    const send = makeIdempotent(run, made({ eventKeyJmesPath: 'orderId' }));
    expect(await send({ orderId: 'o-1', amount: 1 })).toEqual({ mails: ['o-1'] });
    const [first, second] = [await send({ orderId: 'o-1' }), await send({ orderId: 'o-1' })];
    first.mails.push('changed');
    expect(second).toEqual({ mails: ['o-1'] });
    expect(await send({ orderId: 'o-2' })).toEqual({ mails: ['o-2'] });
    expect(run).toHaveBeenCalledTimes(2);
  });

  test('a function that returns nothing does not run again for a duplicate', async () => {
    const run = vi.fn(async (_: Order): Promise<void> => undefined);
    const send = makeIdempotent(run, made({ eventKeyJmesPath: 'orderId' }));
    expect(await send({ orderId: 'o-1' })).toBeUndefined();
    expect(await send({ orderId: 'o-1' })).toBeUndefined();
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('takes the key of another argument, and hands all of them and `this` on', async () => {
    class Mailer {
      readonly from = 'shop';
      readonly sent: string[] = [];
      send = makeIdempotent(this.#send.bind(this), { ...made({ eventKeyJmesPath: 'orderId' }), dataIndexArgument: 1 });
      async #send(to: string, { orderId }: Order): Promise<string> {
        this.sent.push(`${this.from} to ${to}: ${orderId}`);
        return orderId;
      }
    }
    const mailer = new Mailer();
    await mailer.send('maria', { orderId: 'o-1' });
    await mailer.send('pedro', { orderId: 'o-1' });
    expect(mailer.sent).toEqual(['shop to maria: o-1']);

    const described = {
      from: 'shop',
      name: makeIdempotent(function (this: { from: string }, _: Order) {
        return this.from;
      }, made()),
    };
    expect(await described.name({ orderId: 'o-2' })).toBe('shop');
  });

  test('the whole payload is the key by default, in whatever order its fields stand', async () => {
    const run = vi.fn(async (_: object) => 'done');
    const send = makeIdempotent(run, made());
    await send({ a: 1, A: { x: [1, 2] } });
    await send({ A: { x: [1, 2] }, a: 1 });
    await send({ a: 1, A: { x: [2, 1] } });
    expect(run).toHaveBeenCalledTimes(2);
  });

  test("keys lie in the table as pawl's other doors keep them: a text as it is, a list as JSON, anything else as a hash", async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'send-mails');
    const store = memoryStore();
    const keys = [['orderId'], ['[orderId, amount]'], ['{id: orderId}'], ['amount']] as const;
    for (const [eventKeyJmesPath] of keys) {
      await makeIdempotent(
        async (_: Order) => 'done',
        made({ eventKeyJmesPath }, store),
      )({ orderId: 'o-1', amount: 7 });
    }
    const ids = ['send-mails#o-1', 'send-mails#["o-1",7]', 'send-mails#7'];
    for (const id of ids) expect(await store.read(id)).toMatchObject({ status: 'completed' });
    const again = once(
      { operation: 'send-mails', store, key: ({ orderId }: Order) => orderId, onAbandoned: 'retry' },
      () => 'run again',
    );
    expect(await again({ orderId: 'o-1' })).toBe('done');
  });

  test('two functions without a prefix of their own are told that one takes for done what the other has done', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'users-and-products');
    const store = memoryStore();
    const users = makeIdempotent(async (_: object) => 'a user', made({ eventKeyJmesPath: 'userId' }, store));
    const products = makeIdempotent(async (_: object) => 'a product', made({ eventKeyJmesPath: 'productId' }, store));
    await users({ userId: '1' });
    expect(await products({ productId: '1' })).toBe('a user');
    expect(warn).toHaveBeenCalledWith(
      expect.stringContaining("two handlers of this process have the operation 'users-and-products'"),
    );
  });

  test('a key prefix is the operation, also one that is no name of an operation', async () => {
    const store = memoryStore();
    const keyPrefix = ' mails of the shop#2 ';
    await makeIdempotent(async (_: Order) => 'done', { ...made({ eventKeyJmesPath: 'orderId' }, store), keyPrefix })({
      orderId: 'o-1',
    });
    expect(await store.read('mails%20of%20the%20shop%232#o-1')).toMatchObject({ status: 'completed' });
  });

  test('a call that fails is run for as long as it comes, as Powertools does it: nothing is parked after twenty failures', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const run = vi.fn(() => Promise.reject(new Error('503')));
    const send = makeIdempotent(run, made({ eventKeyJmesPath: 'orderId' }) as never) as (order: Order) => Promise<void>;
    for (let receive = 1; receive <= 25; receive++) await expect(send({ orderId: 'o-1' })).rejects.toThrow('503');
    expect(run).toHaveBeenCalledTimes(25);
  });

  test("another policy than 'retry' has the limits of every claim: what an operator is to see does not run for ever", async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const run = vi.fn(async (_: Order): Promise<void> => {
      throw new RetryableError('throttled');
    });
    const persistenceStore = layerOver(memoryStore(), { onAbandoned: 'park' });
    const config = new IdempotencyConfig({ eventKeyJmesPath: 'orderId' });
    const send = makeIdempotent(run, { persistenceStore, config });
    for (let receive = 1; receive <= 25; receive++) await expect(send({ orderId: 'o-1' })).rejects.toThrow();
    expect(run).toHaveBeenCalledTimes(20);
  });

  test('a limit of the layer counts', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const run = vi.fn(() => Promise.reject(new Error('503')));
    const persistenceStore = layerOver(memoryStore(), { maxAttempts: 2 });
    const config = new IdempotencyConfig({ eventKeyJmesPath: 'orderId' });
    const send = makeIdempotent(run as () => Promise<void>, { persistenceStore, config }) as (
      order: Order,
    ) => Promise<void>;
    for (let receive = 1; receive <= 3; receive++) await expect(send({ orderId: 'o-1' })).rejects.toThrow();
    expect(run).toHaveBeenCalledTimes(2);
  });

  test('with less than its margin left, a call is not started, and says so: no table is blamed', async () => {
    const run = vi.fn(async (_: Order) => 'sent');
    const options = made({ eventKeyJmesPath: 'orderId' });
    options.config.registerLambdaContext({ getRemainingTimeInMillis: () => 900 });
    const failed = makeIdempotent(run, options)({ orderId: 'o-1' });
    await expect(failed).rejects.toThrow('too little time was left');
    await expect(failed).rejects.not.toBeInstanceOf(IdempotencyPersistenceLayerError);
    expect(run).not.toHaveBeenCalled();
  });

  test('a received message is no key of its own: its receipt handle is new at each delivery', async () => {
    const run = vi.fn(async (_: object) => 'sent');
    await expect(makeIdempotent(run, made())(sqsRecord('o-1'))).rejects.toThrow('Set eventKeyJmesPath');
    expect(run).not.toHaveBeenCalled();
  });

  test('a path that cannot be applied to a payload is a missing key', async () => {
    const run = vi.fn(async (_: object) => 'sent');
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    for (const throwOnNoIdempotencyKey of [true, false]) {
      const send = makeIdempotent(run, made({ eventKeyJmesPath: 'powertools_json(body).id', throwOnNoIdempotencyKey }));
      await expect(send({ other: 1 })).rejects.toThrow(IdempotencyKeyError);
    }
    expect(run).not.toHaveBeenCalled();
  });

  test.each([
    ['nothing', {}],
    ['null', { orderId: null }],
    ['an empty text', { orderId: '' }],
  ])('a payload with %s where its key should be never runs', async (_, payload) => {
    const run = vi.fn();
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const send = makeIdempotent(run, made({ eventKeyJmesPath: 'orderId' }));
    const error = await send(payload).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(IdempotencyKeyError);
    expect((error as Error).message).toContain("'orderId' selects nothing in the payload");
    expect(run).not.toHaveBeenCalled();
  });

  test('0 is a key, and a list of nothing is none', async () => {
    const run = vi.fn((_: object) => 'done');
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const send = makeIdempotent(run, made({ eventKeyJmesPath: '[n, m]' }));
    await send({ n: 0 });
    await expect(send({ n: null, m: '' })).rejects.toThrow(IdempotencyKeyError);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('an author may let a payload without a key run unprotected, by saying so', async () => {
    const run = vi.fn(async (_: object) => 'done');
    const send = makeIdempotent(run, made({ eventKeyJmesPath: 'orderId', throwOnNoIdempotencyKey: false }));
    await send({});
    await send({});
    await send({ orderId: 'o-1' });
    await send({ orderId: 'o-1' });
    expect(run).toHaveBeenCalledTimes(3);
  });

  test('a key with another payload is refused, by what the path for validation selects', async () => {
    const run = vi.fn(async (_: Order) => 'done');
    const send = makeIdempotent(run, made({ eventKeyJmesPath: 'orderId', payloadValidationJmesPath: 'amount' }));
    await send({ orderId: 'o-1', amount: 1 });
    await expect(send({ orderId: 'o-1', amount: 2 })).rejects.toThrow(IdempotencyValidationError);
    expect(await send({ orderId: 'o-1', amount: 1 })).toBe('done');
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('a duplicate in flight is told so, and when to come again', async () => {
    const going = Promise.withResolvers<string>();
    const config = new IdempotencyConfig({ eventKeyJmesPath: 'orderId' });
    const send = makeIdempotent((_: Order) => going.promise, { persistenceStore: layerOver(), config });
    config.registerLambdaContext(context(30_000));
    const first = send({ orderId: 'o-1' });
    const error = await send({ orderId: 'o-1' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(IdempotencyAlreadyInProgressError);
    expect((error as IdempotencyAlreadyInProgressError).retryAfterMs).toBeGreaterThan(20_000);
    going.resolve('done');
    expect(await first).toBe('done');
  });

  test('the error of the function goes on as it is, whatever it is, and the next call runs it again', async () => {
    const thrown = new IdempotencyKeyError('mine');
    const run = vi.fn().mockRejectedValueOnce(thrown).mockResolvedValueOnce('done');
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const send = makeIdempotent(run, made({ eventKeyJmesPath: 'orderId' }));
    await expect(send({ orderId: 'o-1' })).rejects.toBe(thrown);
    expect(await send({ orderId: 'o-1' })).toBe('done');
  });

  test('a store that fails runs nothing', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const store = { ...memoryStore(), write: () => Promise.reject(new Error('down')) };
    const run = vi.fn();
    const send = makeIdempotent(run, made({ eventKeyJmesPath: 'orderId' }, store as ReturnType<typeof memoryStore>));
    const config = { orderId: 'o-1' };
    await expect(send(config)).rejects.toThrow(IdempotencyPersistenceLayerError);
    expect(run).not.toHaveBeenCalled();
  });

  test('the context of a Lambda handler ends its lease, without being registered', async () => {
    const run = vi.fn(async (_: Order, __: InvocationContext) => 'done');
    const handler = makeIdempotent(run, made({ eventKeyJmesPath: 'orderId' }));
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await expect(handler({ orderId: 'o-1' }, context(500))).rejects.toThrow('too little time was left');
    expect(run).not.toHaveBeenCalled();
    expect(await handler({ orderId: 'o-1' }, context(30_000))).toBe('done');
  });

  test('the hook of a response is called for duplicates alone, with the id of the record', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'send-mails');
    const responseHook = vi.fn((response, record) => ({
      ...response,
      replayed: record.idempotencyKey,
      was: record.getResponse(),
    }));
    const send = makeIdempotent(async (_: Order) => ({ id: 1 }), made({ eventKeyJmesPath: 'orderId', responseHook }));
    expect(await send({ orderId: 'o-1' })).toEqual({ id: 1 });
    // md5 of `"o-1"`, in base64.
    expect(await send({ orderId: 'o-1' })).toEqual({
      id: 1,
      replayed: 'send-mails#y8vblI3ha/5+SagfkVAKsQ==',
      was: { id: 1 },
    });
    expect(responseHook).toHaveBeenCalledTimes(1);
  });

  test('a policy that asks a provider is given the payload', async () => {
    const store = memoryStore();
    const ask = vi.fn((_: unknown, payload: unknown) => ({ verdict: 'applied', result: payload }) as const);
    const persistenceStore = layerOver(store, { onAbandoned: reconcile({ ask, settleMs: 0 }) });
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const send = makeIdempotent(
      async (_: Order): Promise<unknown> => {
        throw new Error('no answer');
      },
      { persistenceStore, config: new IdempotencyConfig({ eventKeyJmesPath: 'orderId' }) },
    );
    await expect(send({ orderId: 'o-1' })).rejects.toThrow('no answer');
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 5000);
    expect(await send({ orderId: 'o-1' })).toEqual({ orderId: 'o-1' });
    expect(ask).toHaveBeenCalledTimes(1);
  });
});

describe('makeHandlerIdempotent', () => {
  const handlerOf = <R>(run: (event: Order) => Promise<R>, options = made({ eventKeyJmesPath: 'orderId' })) => {
    const wrapped = middy<Order, R>(run, { timeoutEarlyInMillis: 0 }).use(makeHandlerIdempotent(options));
    return (event: Order) => wrapped(event, context(30_000) as Context);
  };

  test('runs a handler once per key, also one that returns nothing', async () => {
    const run = vi.fn(async (_: Order): Promise<void> => undefined);
    const handler = handlerOf(run);
    await handler({ orderId: 'o-1' });
    await handler({ orderId: 'o-1' });
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('a handler that changes its event completes the key that it began with', async () => {
    const run = vi.fn(async (event: { orderId: string }) => {
      event.orderId = 'changed';
      return 'done';
    });
    const handler = handlerOf(run as (event: Order) => Promise<string>);
    await handler({ orderId: 'o-1' });
    expect(await handler({ orderId: 'o-1' })).toBe('done');
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('an error releases the claim, and that of a duplicate in flight leaves it alone', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const going = Promise.withResolvers<string>();
    const run = vi.fn().mockRejectedValueOnce(new Error('mailbox full')).mockReturnValueOnce(going.promise);
    const handler = handlerOf(run);
    await expect(handler({ orderId: 'o-1' })).rejects.toThrow('mailbox full');
    const second = handler({ orderId: 'o-1' });
    await expect(handler({ orderId: 'o-1' })).rejects.toThrow(IdempotencyAlreadyInProgressError);
    await expect(handler({ orderId: 'o-1' })).rejects.toThrow(IdempotencyAlreadyInProgressError);
    going.resolve('done');
    expect(await second).toBe('done');
    expect(run).toHaveBeenCalledTimes(2);
  });

  test("another middleware's error after a completed handler does not undo it", async () => {
    const run = vi.fn(async (_: Order) => 'done');
    const after = vi.fn().mockRejectedValueOnce(new Error('no log'));
    const wrapped = middy<Order, string>(run, { timeoutEarlyInMillis: 0 })
      .use({ after })
      .use(makeHandlerIdempotent(made({ eventKeyJmesPath: 'orderId' })));
    const call = () => wrapped({ orderId: 'o-1' }, context(30_000) as Context);
    await expect(call()).rejects.toThrow('no log');
    expect(await call()).toBe('done');
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('an early timeout of Middy leaves the claim in flight: the handler still runs', async () => {
    const going = Promise.withResolvers<string>();
    const run = vi.fn(() => going.promise);
    const options = made({ eventKeyJmesPath: 'orderId' });
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const wrapped = middy<Order, string>(run, { timeoutEarlyInMillis: 1900 }).use(makeHandlerIdempotent(options));
    await expect(wrapped({ orderId: 'o-1' }, context(2000) as Context)).rejects.toThrow();
    await expect(wrapped({ orderId: 'o-1' }, context(30_000) as Context)).rejects.toThrow(
      IdempotencyAlreadyInProgressError,
    );
    going.resolve('late');
    expect(run).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('timeoutEarlyInMillis: 0'));
  });

  test("closes what Powertools' other middlewares opened, where a replay ends the chain", async () => {
    const close = vi.fn();
    const run = vi.fn(async (_: Order) => 'done');
    const before = (request: { internal: Record<string, unknown> }) => {
      request.internal['powertools-for-aws.metrics'] = close;
    };
    const wrapped = middy<Order, string>(run, { timeoutEarlyInMillis: 0 })
      .use({ before })
      .use(makeHandlerIdempotent(made({ eventKeyJmesPath: 'orderId' })));
    const call = () => wrapped({ orderId: 'o-1' }, context(30_000) as Context);
    await call();
    expect(close).not.toHaveBeenCalled();
    await call();
    expect(close).toHaveBeenCalledTimes(1);
  });

  test('an event of several records, and a single one by its receipt handle, are no key', async () => {
    const run = vi.fn(async (_: unknown) => 'done');
    const whole = makeIdempotent(run, made());
    const byPath = makeIdempotent(run, made({ eventKeyJmesPath: 'Records[0].messageId' }));
    const [one, other] = [sqsRecord('m-1'), sqsRecord('m-2')];
    await expect(whole(sqsEvent(one, other))).rejects.toThrow('an event of 2 records');
    await expect(byPath(sqsEvent(one, other))).rejects.toThrow('an event of 2 records');
    await expect(whole(sqsEvent(one))).rejects.toThrow('Set eventKeyJmesPath');
    expect(await byPath(sqsEvent(one))).toBe('done');
    expect(run).toHaveBeenCalledTimes(1);
  });
});
