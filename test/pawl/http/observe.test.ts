import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { claimOf, type HttpEvent, type HttpOptions, httpOnce, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { type ClaimEvent, memoryStore } from '../../../lib/pawl/index.ts';
import { observedIn } from '../../../lib/pawl/rules/observed.ts';
import { stores } from '../../support/broken-stores.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context } from '../../support/lambda.ts';

type Handler = (event: HttpEvent) => unknown;
type Api = (event: HttpEvent, context: Context) => Promise<unknown>;
type Door = (handler: Handler, options: HttpOptions<HttpEvent>) => (event: HttpEvent) => Promise<unknown>;

/** The two doors, and what the handler is without them. */
const doors: Readonly<Record<string, Door>> = {
  onceOverHttp: (handler, options) => {
    const wrapped = onceOverHttp(options, async (event: HttpEvent, _: Context | undefined, __) => handler(event));
    return (event) => wrapped(event, context() as Context);
  },
  httpOnce: (handler, options) => {
    const wrapped = middy(async (event: HttpEvent) => handler(event), { timeoutEarlyInMillis: 0 }).use(
      httpOnce(options),
    );
    return (event) => (wrapped as unknown as Api)(event, context() as Context);
  },
};

const handlers: Readonly<Record<string, Handler>> = {
  responds: () => ({ statusCode: 201, body: '{"id":1}', headers: { location: '/1' } }),
  refuses: () => ({ statusCode: 402, body: 'no' }),
  'returns a text': () => 'paid',
  'returns nothing': () => undefined,
  throws: () => {
    throw new Error('no bank');
  },
};

const request = (key: string | undefined, body: object = { amount: 1 }) =>
  apiGatewayV2({
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': `"${key}"` }) },
    body: JSON.stringify(body),
  });

function options(more: Partial<HttpOptions<HttpEvent>> = {}): HttpOptions<HttpEvent> {
  const shared = {
    operation: 'charge',
    store: memoryStore(),
    caller: 'anyone',
    onAbandoned: 'park',
    mode: 'observe',
  } as const;
  return { ...shared, onEvent: () => undefined, ...more };
}

async function endOf(call: () => unknown) {
  try {
    return { response: await call() };
  } catch (error) {
    return { error };
  }
}

describe.each(Object.keys(doors))('%s under observe', (name) => {
  const door = doors[name] as Door;

  it.each(Object.keys(stores).flatMap((store) => Object.keys(handlers).map((handler) => [store, handler] as const)))(
    'responds as its handler does, to every request, with a table that is %s: one that %s',
    async (store, which) => {
      const handler = handlers[which] as Handler;
      const own = stores[store]?.();
      let ran = 0;
      const count: Handler = (event) => {
        ran++;
        return handler(event);
      };
      const api = door(count, options(own && { store: own }));
      for (const event of [
        request('k'),
        request('k'),
        request('k', { amount: 2 }),
        request(undefined),
        request('no"k'),
      ]) {
        const expected = await endOf(() => handler(event));
        const came = await endOf(() => api(event));
        expect(JSON.stringify(came)).toBe(JSON.stringify(expected));
        expect(String((came as { error?: unknown }).error)).toBe(String((expected as { error?: unknown }).error));
      }
      expect(ran).toBe(5);
    },
  );

  it('says what pawl would have done, and names the fields that differ', async () => {
    const store = memoryStore();
    const events: ClaimEvent[] = [];
    const api = door(handlers['responds'] as Handler, options({ store, onEvent: (event) => events.push(event) }));
    await api(request('k'));
    await api(request('k'));
    await api(request('k', { amount: 2 }));
    await api(request(undefined));
    expect(events).toMatchObject([
      { type: 'would-replay' },
      { type: 'would-refuse', reason: 'key-reused' },
      { type: 'would-refuse', reason: 'missing-key' },
    ]);
    expect(observedIn(store.records()[0] as never)).toMatchObject({
      deliveries: 3,
      done: 2,
      other: 1,
      differing: ['body.amount'],
    });
  });

  it('is remembered: under enforcement, the response is replayed', async () => {
    const store = memoryStore();
    await door(handlers['responds'] as Handler, options({ store }))(request('k'));
    const enforced = door(handlers['throws'] as Handler, options({ store, mode: 'enforce' }));
    expect(await enforced(request('k'))).toMatchObject({
      statusCode: 201,
      body: '{"id":1}',
      headers: { 'Idempotency-Replayed': 'true' },
    });
  });

  it('enforces a share of the keys', async () => {
    const store = memoryStore();
    let ran = 0;
    const api = door(() => ({ statusCode: 200, ran: ++ran }), options({ store, enforce: 0.3 }));
    for (let index = 0; index < 30; index++) for (const _ of [1, 2]) await api(request(`k-${index}`));
    const own = store.records().filter(({ observed }) => observed === undefined).length;
    expect(own).toBeGreaterThan(2);
    expect(ran).toBe(60 - own);
  });
});

it('gives a handler of Middy the claim that pawl has not got', async () => {
  let effectKey: string | undefined;
  const handler = middy(
    async (_: HttpEvent, lambda: Context) => {
      effectKey = claimOf(lambda)?.effectKey;
      return { statusCode: 200 };
    },
    { timeoutEarlyInMillis: 0 },
  ).use(httpOnce(options()));
  await handler(request('k'), context() as Context);
  expect(effectKey).toBe('charge#k');
});
