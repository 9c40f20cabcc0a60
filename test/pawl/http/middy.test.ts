import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  bodyField,
  claimOf,
  type HttpEvent,
  type HttpOptions,
  type HttpResponse,
  httpOnce,
  onceOverHttp,
} from '../../../lib/pawl/http/index.ts';
import { memoryStore, RejectedError, RetryableError, renewedLease } from '../../../lib/pawl/index.ts';
import { eventually } from '../../support/eventually.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context } from '../../support/lambda.ts';

const order = { headers: { 'idempotency-key': '"k-1"', 'content-type': 'application/json' }, body: '{"amount":1}' };
const settings = { operation: 'refund', caller: 'anyone', marginMs: 200, onEvent: () => undefined } as const;
const lambda = (remainingMs?: number) => context(remainingMs) as Context;
const whole = { timeoutEarlyInMillis: 0 };
const ok = async () => ({ statusCode: 201, body: 'paid' });
const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
afterEach(() => warn.mockClear());

type Middleware = Parameters<ReturnType<typeof middy>['use']>[0];
const once = (options: Omit<HttpOptions<HttpEvent>, 'operation' | 'caller'> & Partial<HttpOptions<HttpEvent>>) =>
  httpOnce<HttpEvent>({ ...settings, ...options }) as unknown as Middleware;

describe('a middleware that was used after httpOnce and answers early', () => {
  const teapot = { statusCode: 200, body: 'from the cache' };

  it.each(['retry', 'park'] as const)(
    'before the handler: nothing is recorded as done, and the next request runs, under %s',
    async (onAbandoned) => {
      const store = memoryStore();
      let answers = true;
      let ran = 0;
      const handler = middy(async () => ({ statusCode: 201, ran: ++ran }), whole)
        .use(once({ store, onAbandoned }))
        .use({ before: () => (answers ? teapot : undefined) });
      expect(await handler(apiGatewayV2(order), lambda())).toEqual(teapot);
      expect(store.records()).toMatchObject([{ status: 'released', error: { name: 'RetryableError' } }]);
      answers = false;
      expect(await handler(apiGatewayV2(order), lambda())).toMatchObject({ statusCode: 201, ran: 1 });
    },
  );

  it('leaves no heartbeat behind', async () => {
    const store = memoryStore();
    const handler = middy(ok, whole)
      .use(once({ store, onAbandoned: 'retry', lease: renewedLease(1500) }))
      .use({ before: () => teapot });
    await handler(apiGatewayV2(order), {} as Context);
    const [released] = store.records();
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(store.records()).toEqual([released]);
  });

  it('after the handler: whether that was its response cannot be told, so it goes the way of the policy', async () => {
    const store = memoryStore();
    const handler = middy(ok, whole)
      .use(once({ store, onAbandoned: 'park' }))
      .use({ after: () => teapot });
    expect(await handler(apiGatewayV2(order), lambda())).toEqual(teapot);
    expect(store.records()).toMatchObject([{ status: 'parked' }]);
  });

  it('with a response that it had set before: nothing is recorded as done, and the next request runs', async () => {
    const store = memoryStore();
    const handler = middy(ok, whole)
      .use(once({ store, onAbandoned: 'park' }))
      .use({
        before: (request) => {
          request.response = teapot;
          return request.response;
        },
      });
    expect(await handler(apiGatewayV2(order), lambda())).toEqual(teapot);
    expect(store.records()).toMatchObject([{ status: 'released' }]);
  });

  it('to an error: the error counts, and what it answered is the answer', async () => {
    const store = memoryStore();
    const handler = middy(async () => Promise.reject(new Error('socket hang up')), whole)
      .use(once({ store, onAbandoned: 'park' }))
      .use({ onError: () => ({ statusCode: 500, body: 'sorry' }) });
    expect(await handler(apiGatewayV2(order), lambda())).toEqual({ statusCode: 500, body: 'sorry' });
    expect(store.records()).toMatchObject([{ status: 'parked', error: { message: 'Error: socket hang up' } }]);
  });
});

describe('a middleware that was used after httpOnce', () => {
  it('and fails before the handler has applied nothing: a client’s bad body does not park its key', async () => {
    const store = memoryStore();
    const parses: Middleware = {
      before: ({ event }) => {
        const request = event as { body: unknown };
        try {
          request.body = JSON.parse(String(request.body));
        } catch {
          throw Object.assign(new Error('Invalid or malformed JSON was provided'), { statusCode: 422 });
        }
      },
    };
    const handler = middy(ok, whole)
      .use(once({ store, onAbandoned: 'park' }))
      .use(parses);
    await expect(handler(apiGatewayV2({ ...order, body: '{' }), lambda())).rejects.toThrow('malformed');
    expect(store.records()).toMatchObject([{ status: 'released', unknownAt: undefined }]);
  });

  it('and fails where it may have been the handler goes the way of the policy', async () => {
    const store = memoryStore();
    const handler = middy(async () => Promise.reject(new Error('socket hang up')), whole)
      .use(once({ store, onAbandoned: 'park' }))
      .use({ before: () => undefined });
    await expect(handler(apiGatewayV2(order), lambda())).rejects.toThrow('socket hang up');
    expect(store.records()).toMatchObject([{ status: 'parked' }]);
  });

  /** As `@middy/http-error-handler` does it: another error in its place, and a response. */
  const errorHandler: Middleware = {
    onError: (request) => {
      request.error = { statusCode: 500 } as unknown as Error;
      request.response = { statusCode: 500 };
    },
  };

  it('and handles errors hides none of what they say of the effect', async () => {
    const errors = [
      [new RejectedError('stolen'), 'rejected', 422],
      [new RetryableError('busy'), 'released', 500],
      [new Error('socket hang up'), 'parked', 500],
    ] as const;
    for (const [error, status, answer] of errors) {
      const store = memoryStore();
      const handler = middy(() => Promise.reject(error), whole)
        .use(once({ store, onAbandoned: 'park' }))
        .use(errorHandler);
      expect(await handler(apiGatewayV2(order), lambda())).toMatchObject({ statusCode: answer });
      expect(store.records()).toMatchObject([{ status }]);
    }
  });

  it('and handles an early time-out of Middy leaves the claim in flight', async () => {
    const store = memoryStore();
    const handler = middy(() => new Promise(() => undefined), { timeoutEarlyInMillis: 19_950 })
      .use(once({ store, onAbandoned: 'retry' }))
      .use(errorHandler);
    expect(await handler(apiGatewayV2(order), lambda(20_000))).toEqual({ statusCode: 500 });
    expect(store.records()).toMatchObject([{ status: 'in-flight' }]);
  });

  it('and gives the handler another context leaves it its claim', async () => {
    let claim: unknown;
    const handler = middy(async (_: unknown, aws: Context) => {
      claim = claimOf(aws);
      return { statusCode: 201 };
    }, whole)
      .use(once({ store: memoryStore(), onAbandoned: 'retry' }))
      .use({
        before: (request) => {
          request.context = { ...request.context };
        },
      });
    await handler(apiGatewayV2(order), lambda());
    expect(claim).toMatchObject({ effectKey: 'refund#k-1' });
  });

  it.each(['as Lambda gives it', 'by another middleware'])(
    'and freezes the context, %s, leaves it its claim',
    async (when) => {
      let claim: unknown;
      const handler = middy(async (_: unknown, aws: Context) => {
        claim = claimOf(aws);
        return { statusCode: 201 };
      }, whole)
        .use(once({ store: memoryStore(), onAbandoned: 'retry' }))
        .use({
          before: (request) => {
            if (when === 'by another middleware') request.context = Object.freeze({ ...request.context });
          },
        });
      await handler(apiGatewayV2(order), when === 'as Lambda gives it' ? Object.freeze(lambda()) : lambda());
      expect(claim).toMatchObject({ effectKey: 'refund#k-1' });
    },
  );

  it('finds no claim any more on the context of a request that is over', async () => {
    const aws = lambda();
    let during: unknown;
    const handler = middy(async () => {
      during = claimOf(aws);
      return { statusCode: 201 };
    }, whole).use(once({ store: memoryStore(), onAbandoned: 'retry' }));
    await handler(apiGatewayV2(order), aws);
    expect([during, claimOf(aws)]).toMatchObject([{ key: 'k-1' }, undefined]);
  });
});

describe('an early time-out of Middy, whose handler is still at work', () => {
  /** A handler that pays at a moment of its own, and a Middy that gives up on it. */
  function slow(timeoutEarlyResponse: () => unknown, onAbandoned: 'retry' | 'park') {
    const store = memoryStore();
    const pay = Promise.withResolvers<void>();
    let paid = 0;
    const early = { timeoutEarlyInMillis: 80, timeoutEarlyResponse: timeoutEarlyResponse as () => never };
    async function refund() {
      await pay.promise;
      paid++;
      return { statusCode: 201 };
    }
    return { store, refund, early, pay: pay.resolve, paid: () => paid, onAbandoned };
  }
  const throwing = () => {
    throw Object.assign(new Error('too late'), { statusCode: 504 });
  };
  const answers: [string, () => unknown][] = [
    ['answers 408', () => ({ statusCode: 408 })],
    ['answers 404', () => ({ statusCode: 404 })],
    ['answers 504', () => ({ statusCode: 504 })],
    ['throws an error of its own', throwing],
  ];

  describe.each(['retry', 'park'] as const)('under %s', (onAbandoned) => {
    it.each(answers)('%s: the claim stays in flight, and a duplicate does not run beside it', async (_, response) => {
      const { store, refund, early, pay, paid } = slow(response, onAbandoned);
      const handler = middy(refund, early).use(once({ store, onAbandoned }));
      const first = handler(apiGatewayV2(order), lambda(400));
      await first.catch(() => undefined);
      expect(store.records()).toMatchObject([{ status: 'in-flight' }]);
      const second = (await handler(apiGatewayV2(order), lambda())) as HttpResponse;
      expect(second.statusCode).toBe(409);
      pay();
      await new Promise((resolve) => setImmediate(resolve));
      expect(paid()).toBe(1);
    });

    it.each(answers)('%s, around onceOverHttp: the same', async (_, response) => {
      const { store, refund, early, pay, paid } = slow(response, onAbandoned);
      const handler = onceOverHttp<HttpEvent, ReturnType<typeof context>, unknown>(
        { ...settings, store, onAbandoned, required: true },
        (event, aws) => middy(refund, early)(event, aws as Context),
      );
      await handler(apiGatewayV2(order), context(400)).catch(() => undefined);
      expect(store.records()).toMatchObject([{ status: 'in-flight' }]);
      pay();
      await new Promise((resolve) => setImmediate(resolve));
      expect(paid()).toBe(1);
    });

    it.each(answers)('%s, outside of a onceOverHttp: harms nothing, however early it is', async (_, response) => {
      const { store, refund, early, pay, paid } = slow(response, onAbandoned);
      const inner = onceOverHttp<HttpEvent, ReturnType<typeof context>, unknown>(
        { ...settings, store, onAbandoned, required: true },
        refund,
      );
      const handler = middy(inner as never, { ...early, timeoutEarlyInMillis: 19_900 });
      await (handler(apiGatewayV2(order), lambda(20_000)) as Promise<unknown>).catch(() => undefined);
      expect(store.records()).toMatchObject([{ status: 'in-flight' }]);
      pay();
      await eventually('the claim is completed', () =>
        expect(store.records()).toMatchObject([{ status: 'completed' }]),
      );
      expect(paid()).toBe(1);
    });
  });

  it('is completed all the same by a marked effect that ends after it', async () => {
    const store = memoryStore();
    const pay = Promise.withResolvers<void>();
    const handler = middy(
      async (_: HttpEvent, aws: Context) => {
        await claimOf(aws)?.effect(() => pay.promise);
        return { statusCode: 201 };
      },
      { timeoutEarlyInMillis: 19_900 },
    ).use(once({ store, onAbandoned: 'park' }));
    await expect(handler(apiGatewayV2(order) as never, lambda(20_000))).rejects.toThrow('aborted');
    expect(store.records()).toMatchObject([{ status: 'in-flight' }]);
    pay.resolve();
    await eventually('the claim is completed', () => expect(store.records()).toMatchObject([{ status: 'completed' }]));
  });

  it('is told of once in a cold start, with the way out', async () => {
    vi.resetModules();
    const fresh: typeof import('../../../lib/pawl/http/index.ts') = await import('../../../lib/pawl/http/index.ts');
    for (const key of ['"a"', '"b"']) {
      const { refund, early, store } = slow(() => ({ statusCode: 408 }), 'retry');
      const handler = middy(refund, early).use(
        fresh.httpOnce<HttpEvent>({ ...settings, store, onAbandoned: 'retry' }) as unknown as Middleware,
      );
      await handler(apiGatewayV2({ ...order, headers: { 'idempotency-key': key } }), lambda(400));
    }
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toContain('timeoutEarlyInMillis');
  });
});

describe('a body that another middleware has parsed', () => {
  /** As `@middy/http-json-body-parser` does it. */
  const parser = (keeps = false): Middleware => ({
    before: ({ event }) => {
      const request = event as { body: unknown; rawBody?: unknown };
      if (keeps) request.rawBody = request.body;
      request.body = JSON.parse(String(request.body));
    },
  });
  const sent = (body: string) => apiGatewayV2({ ...order, body });
  const amounts = ['{"amount":9007199254740992}', '{"amount":9007199254740993}'] as const;

  it('is compared by its text where that was kept: what the parser rounded stays apart', async () => {
    const store = memoryStore();
    const handler = middy(ok, whole)
      .use(parser(true))
      .use(once({ store, onAbandoned: 'retry' }));
    expect(await handler(sent(amounts[0]), lambda())).toMatchObject({ statusCode: 201 });
    expect(await handler(sent(amounts[1]), lambda())).toMatchObject({ statusCode: 422 });
    expect(await handler(sent(` ${amounts[0]}`), lambda())).toMatchObject({ statusCode: 201 });
  });

  it('is refused where a number of it may have been rounded and the text is gone, before anything runs', async () => {
    const store = memoryStore();
    const handler = middy(ok, whole)
      .use(parser())
      .use(once({ store, onAbandoned: 'retry' }));
    for (const amount of amounts) {
      await expect(handler(sent(amount), lambda())).rejects.toThrow(/beyond 2\^53.*Parse it after pawl/);
    }
    expect(store.records()).toEqual([]);
    expect(await handler(sent('{"amount":12.5}'), lambda())).toMatchObject({ statusCode: 201 });
    expect(await handler(sent('{"amount":13}'), lambda())).toMatchObject({ statusCode: 422 });
  });

  it('is taken where its intent is not compared, or by a function of the author’s', async () => {
    for (const fingerprint of [false, () => 'all the same'] as const) {
      const handler = middy(ok, whole)
        .use(parser())
        .use(once({ store: memoryStore(), onAbandoned: 'retry', fingerprint }));
      expect(await handler(sent(amounts[1]), lambda())).toMatchObject({ statusCode: 201 });
    }
  });

  it('is the same request as one that is parsed after httpOnce', async () => {
    const store = memoryStore();
    const before = middy(ok, whole)
      .use(parser())
      .use(once({ store, onAbandoned: 'retry', key: bodyField('amount') }));
    const after = middy(ok, whole)
      .use(once({ store, onAbandoned: 'retry', key: bodyField('amount') }))
      .use(parser());
    expect(await before(sent('{"amount":5}'), lambda())).toEqual({ statusCode: 201, body: 'paid' });
    expect(await after(sent('{ "amount": 5 }'), lambda())).toMatchObject({
      statusCode: 201,
      headers: { 'Idempotency-Replayed': 'true' },
    });
  });

  it('is read by its text where that is in base64', async () => {
    const store = memoryStore();
    const handler = middy(ok, whole)
      .use({
        before: ({ event }) => {
          const request = event as { body: unknown; rawBody?: unknown };
          request.rawBody = request.body;
          request.body = JSON.parse(Buffer.from(String(request.body), 'base64').toString());
        },
      })
      .use(once({ store, onAbandoned: 'retry' }));
    const encoded = (body: string) => apiGatewayV2({ ...order, body: Buffer.from(body) });
    expect(await handler(encoded(amounts[0]), lambda())).toMatchObject({ statusCode: 201 });
    expect(await handler(encoded(amounts[1]), lambda())).toMatchObject({ statusCode: 422 });
  });
});
