import middy from '@middy/core';
import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import {
  bodyField,
  claimOf,
  type HttpEvent,
  type HttpOptions,
  type HttpResponse,
  headerKey,
  httpOnce,
  onceOverHttp,
  scopedKey,
} from '../../../lib/pawl/http/index.ts';
import {
  type ClaimEvent,
  memoryStore,
  OptionError,
  RejectedError,
  RetryableError,
  reconcile,
} from '../../../lib/pawl/index.ts';
import { memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { apiGatewayV2, type Sent, services } from '../../support/http-events.ts';
import { context } from '../../support/lambda.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { virtualHost } from '../../support/virtual-host.ts';

type Effect = (event: HttpEvent, claim: { readonly effectKey: string } | undefined) => unknown;
type Api = (event: HttpEvent) => Promise<unknown>;

const key = { 'idempotency-key': '"k-1"' };
const order: Sent = { headers: key, body: '{"amount":1}' };

/** The same API by both ways in. */
const ways: Record<string, (options: HttpOptions<HttpEvent>, effect: Effect, remainingMs: () => number) => Api> = {
  onceOverHttp: (options, effect, remainingMs) => {
    const wrapped = onceOverHttp(options, async (event, _: ReturnType<typeof context>, claim) => effect(event, claim));
    return (event) => wrapped(event, context(remainingMs(), options.host?.now));
  },
  httpOnce: (options, effect, remainingMs) => {
    const wrapped = middy(async (event: HttpEvent, lambda: Context) => effect(event, claimOf(lambda)), {
      timeoutEarlyInMillis: 0,
    }).use(httpOnce(options));
    return (event) => wrapped(event, context(remainingMs(), options.host?.now) as Context) as Promise<unknown>;
  },
};

describe.each(Object.entries(ways))('%s', (_way, wrap) => {
  function api(effect: Effect, options: Partial<HttpOptions<HttpEvent>> = {}) {
    const store = memoryStore();
    const events: ClaimEvent[] = [];
    const host = virtualHost();
    let ran = 0;
    let remainingMs = 20_000;
    const counted: Effect = (event, claim) => {
      ran++;
      return effect(event, claim);
    };
    const settings = { operation: 'refund', store, onAbandoned: 'retry', caller: 'anyone', host } as const;
    const call = wrap({ ...settings, onEvent: (event) => events.push(event), ...options }, counted, () => remainingMs);
    return {
      host,
      store,
      events,
      ran: () => ran,
      invocationsLast: (ms: number) => {
        remainingMs = ms;
      },
      call: async (event: HttpEvent) => (await call(event)) as HttpResponse,
      statuses: () => store.records().map(({ status }) => status),
    };
  }

  const problemIn = ({ body = '' }: HttpResponse) => JSON.parse(body).reason;
  /** Header names in lower case, by whichever way the service takes them. */
  const headersOf = ({ headers, multiValueHeaders }: HttpResponse) =>
    Object.fromEntries(
      Object.entries(headers ?? multiValueHeaders ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    );

  describe.each(Object.entries(services))('behind %s', (service, eventOf) => {
    it('runs once, and replays the whole response, saying so', async () => {
      const many = service.includes('multi-value');
      const type = many ? { multiValueHeaders: { 'X-Id': ['r-1'] } } : { headers: { 'X-Id': 'r-1' } };
      const { call, ran } = api(() => ({ statusCode: 201, ...type, body: 'aGk=', isBase64Encoded: true }));
      const first = await call(eventOf(order));
      expect(first).toEqual({ statusCode: 201, ...type, body: 'aGk=', isBase64Encoded: true });
      const second = await call(eventOf(order));
      expect(second).toMatchObject({ statusCode: 201, body: 'aGk=', isBase64Encoded: true });
      expect(headersOf(second)).toEqual({ 'x-id': 'r-1', 'idempotency-replayed': 'true' });
      // A load balancer with multi-value headers reads no others.
      expect(Object.hasOwn(second, 'headers')).toBe(!many);
      expect(ran()).toBe(1);
    });

    it('answers 400 to a key that is missing or malformed, as problem details, and runs nothing', async () => {
      const { call, ran, store } = api(() => ({ statusCode: 201 }));
      const missing = await call(eventOf({ body: '{}' }));
      expect([missing.statusCode, problemIn(missing)]).toEqual([400, 'missing-key']);
      expect(headersOf(missing)['content-type']).toBe('application/problem+json');
      const malformed = await call(eventOf({ headers: { 'idempotency-key': 'bare' } }));
      expect([malformed.statusCode, problemIn(malformed)]).toEqual([400, 'invalid-key']);
      for (const { body = '' } of [missing, malformed]) {
        expect(JSON.parse(body).detail).toContain('Send the header Idempotency-Key: "…", with the quotes');
      }
      expect([ran(), store.records()]).toEqual([0, []]);
    });

    it('answers 422 to another method, path, query or body with the same key, and not to the same in other words', async () => {
      const { call, ran } = api(() => ({ statusCode: 201 }));
      const sent = { ...order, path: '/a', query: 'x=1&y=2', body: '{"amount":1,"to":"b"}' };
      await call(eventOf(sent));
      for (const other of [
        { method: 'PUT' },
        { path: '/b' },
        { query: 'x=1&y=3' },
        { body: '{"amount":2,"to":"b"}' },
      ]) {
        const refused = await call(eventOf({ ...sent, ...other }));
        expect([refused.statusCode, problemIn(refused)]).toEqual([422, 'key-reused']);
      }
      const same = await call(eventOf({ ...sent, query: 'y=2&x=1', body: ' { "to": "b", "amount": 1.0 } ' }));
      expect(headersOf(same)['idempotency-replayed']).toBe('true');
      expect(ran()).toBe(1);
    });
  });

  it('takes a body in base64 for the same body', async () => {
    const { call, ran } = api(() => ({ statusCode: 201 }));
    await call(apiGatewayV2(order));
    const encoded = await call(apiGatewayV2({ ...order, body: Buffer.from('{ "amount": 1 }') }));
    expect(encoded.statusCode).toBe(201);
    const binary = { ...order, headers: { ...key, 'content-type': 'image/png' }, body: Buffer.from([0xff, 0xd8]) };
    expect((await call(apiGatewayV2(binary))).statusCode).toBe(422);
    expect(ran()).toBe(1);
  });

  it('compares a body that is not said to be JSON letter by letter', async () => {
    const { call } = api(() => ({ statusCode: 201 }));
    const text = { ...order, headers: { ...key, 'content-type': 'text/plain' }, body: '1.0' };
    await call(apiGatewayV2(text));
    expect((await call(apiGatewayV2({ ...text, body: '1' }))).statusCode).toBe(422);
  });

  it('compares what the author chooses, or nothing', async () => {
    const ignoring = api(() => ({ statusCode: 201 }), { fingerprint: { ignore: ['sentAt'] } });
    await ignoring.call(apiGatewayV2({ ...order, body: '{"a":1,"sentAt":1}' }));
    expect((await ignoring.call(apiGatewayV2({ ...order, body: '{"a":1,"sentAt":2}' }))).statusCode).toBe(201);
    expect((await ignoring.call(apiGatewayV2({ ...order, body: '{"a":2,"sentAt":2}' }))).statusCode).toBe(422);
    const chosen = api(() => ({ statusCode: 201 }), { fingerprint: ({ path }) => path });
    await chosen.call(apiGatewayV2(order));
    expect((await chosen.call(apiGatewayV2({ ...order, body: '{}' }))).statusCode).toBe(201);
    const none = api(() => ({ statusCode: 201 }), { fingerprint: false });
    await none.call(apiGatewayV2(order));
    expect((await none.call(apiGatewayV2({ ...order, path: '/other' }))).statusCode).toBe(201);
  });

  it('answers 409 with Retry-After while the first is under way, and a replay after it', async () => {
    const work = Promise.withResolvers<unknown>();
    const { call, ran } = api(() => work.promise);
    const first = call(apiGatewayV2(order));
    await new Promise((resolve) => setImmediate(resolve));
    const second = await call(apiGatewayV2(order));
    expect([second.statusCode, problemIn(second), headersOf(second)['retry-after']]).toEqual([409, 'in-flight', '5']);
    work.resolve({ statusCode: 201, body: 'done' });
    expect(await first).toMatchObject({ statusCode: 201, body: 'done' });
    expect(await call(apiGatewayV2(order))).toMatchObject({ statusCode: 201, body: 'done' });
    expect(ran()).toBe(1);
  });

  it('keeps the keys of two callers apart, whatever they are made of', async () => {
    const callers = new Map<string, string>();
    const { call, ran, store } = api((event) => ({ statusCode: 201, body: event.body }), {
      caller: (event) => event.headers?.['x-caller'],
    });
    const as = (caller: string, sent: string) =>
      call(apiGatewayV2({ ...order, headers: { 'idempotency-key': sent, 'x-caller': caller }, body: `"${caller}"` }));
    for (const [caller, sent] of [
      ['alice', '"k"'],
      ['bob', '"k"'],
      ['a', '"b/c"'],
      ['a/b', '"c"'],
    ] as const) {
      const { statusCode, body = '' } = await as(caller, sent);
      expect(statusCode).toBe(201);
      callers.set(caller, body);
    }
    expect([...callers]).toEqual([...callers.keys()].map((caller) => [caller, `"${caller}"`]));
    expect(ran()).toBe(4);
    expect(store.records().map(({ id }) => id)).toContain(`refund#${scopedKey({ caller: 'a/b' }, 'c')}`);
    expect(scopedKey('anyone', 'a/b')).not.toBe(scopedKey({ caller: 'a' }, 'b'));
  });

  it('answers 403 to a request of nobody, and runs nothing', async () => {
    for (const who of [undefined, null, '']) {
      const { call, ran } = api(() => ({ statusCode: 201 }), { caller: () => who });
      const refused = await call(apiGatewayV2(order));
      expect([refused.statusCode, problemIn(refused), ran()]).toEqual([403, 'no-caller', 0]);
    }
  });

  it('takes the key from the body, for callbacks that have no such header', async () => {
    const { call, ran } = api(() => ({ statusCode: 200 }), { key: bodyField('transaction.id') });
    const callback = apiGatewayV2({ body: '{"transaction":{"id":17}}' });
    await call(callback);
    expect(headersOf(await call(callback))['idempotency-replayed']).toBe('true');
    expect(ran()).toBe(1);
    expect(problemIn(await call(apiGatewayV2({ body: '{}' })))).toBe('missing-key');
    expect(problemIn(await call(apiGatewayV2({ body: 'transaction=17' })))).toBe('invalid-request');
    expect(problemIn(await call(apiGatewayV2({ body: '{"transaction":{"id":9007199254740993}}' })))).toBe(
      'invalid-key',
    );
  });

  it('runs what has no key without a claim, where a key is not required', async () => {
    const claims: unknown[] = [];
    const { call, ran, store } = api(
      (_, claim) => {
        claims.push(claim?.effectKey);
        return { statusCode: 200 };
      },
      { required: ({ method }) => method !== 'GET', key: headerKey() },
    );
    await call(apiGatewayV2({ method: 'GET' }));
    await call(apiGatewayV2({ method: 'GET' }));
    expect(problemIn(await call(apiGatewayV2({ method: 'POST' })))).toBe('missing-key');
    expect([ran(), store.records(), claims]).toEqual([2, [], [undefined, undefined]]);
    await call(apiGatewayV2({ ...order, method: 'GET' }));
    expect(claims.at(-1)).toBe('refund#k-1');
  });

  it.each([400, 402, 429])('returns %i as it is, releases the claim, and runs the next request', async (statusCode) => {
    const answers = [{ statusCode, body: 'no' }, { statusCode: 201 }];
    const { call, statuses, store } = api(() => answers.shift(), { onAbandoned: 'park' });
    expect(await call(apiGatewayV2(order))).toEqual({ statusCode, body: 'no' });
    expect(statuses()).toEqual(['released']);
    expect(store.records()[0]?.unknownAt).toBeUndefined();
    expect(problemIn(await call(apiGatewayV2({ ...order, body: '{"amount":2}' })))).toBe('key-reused');
    expect((await call(apiGatewayV2(order))).statusCode).toBe(201);
    expect(statuses()).toEqual(['completed']);
  });

  it('takes a redirection for final: a POST that is answered with 303 is done', async () => {
    const { call, ran } = api(() => ({ statusCode: 303, headers: { location: '/refunds/1' } }));
    await call(apiGatewayV2(order));
    expect(await call(apiGatewayV2(order))).toMatchObject({ statusCode: 303, headers: { location: '/refunds/1' } });
    expect(ran()).toBe(1);
  });

  it('leaves it to the author which responses are final', async () => {
    const { call, ran } = api(() => ({ statusCode: 402, body: 'hard decline' }), {
      isFinal: ({ statusCode }) => statusCode === 402,
    });
    await call(apiGatewayV2(order));
    expect(await call(apiGatewayV2(order))).toMatchObject({ statusCode: 402, body: 'hard decline' });
    expect(ran()).toBe(1);
  });

  it.each([
    ['a 500', () => ({ statusCode: 500 })],
    [
      'a throw',
      () => {
        throw new Error('socket hang up');
      },
    ],
  ])('takes %s for unknown: parked where that is the policy, and answered 409 without Retry-After', async (_, fail) => {
    const { call, ran, statuses, store, host } = api(fail, { onAbandoned: 'park' });
    await call(apiGatewayV2(order)).catch(() => undefined);
    expect(statuses()).toEqual(['parked']);
    const second = await call(apiGatewayV2(order));
    expect([second.statusCode, problemIn(second)]).toEqual([409, 'parked']);
    expect(headersOf(second)).not.toHaveProperty('retry-after');
    expect(ran()).toBe(1);
    await resolverOf({ operation: 'refund', store }).resolve(scopedKey('anyone', 'k-1'), 'applied', {
      by: 'maria',
      note: 'it was paid',
    });
    await host.advance(1);
    const resolved = await call(apiGatewayV2(order));
    expect(resolved.statusCode).toBe(204);
    expect(headersOf(resolved)).toEqual({ 'idempotency-replayed': 'true', 'idempotency-body-omitted': 'true' });
  });

  it('takes from the author what a 503 says', async () => {
    const { call, store } = api(() => ({ statusCode: 503 }), {
      onAbandoned: 'park',
      classify: (error) =>
        ((error as Error).cause as HttpResponse | undefined)?.statusCode === 503 ? 'retryable' : undefined,
    });
    expect((await call(apiGatewayV2(order))).statusCode).toBe(503);
    expect(store.records()[0]).toMatchObject({
      status: 'released',
      error: { message: 'the response was 503. See node_modules/pawl/docs/errors.md#not-final' },
    });
  });

  it('rejects with what the handler threw', async () => {
    const { call, statuses } = api(() => {
      throw new Error('no');
    });
    await expect(call(apiGatewayV2(order))).rejects.toThrow('no');
    expect(statuses()).toEqual(['released']);
  });

  it('answers 503 with Retry-After while others have what it needs, parks nothing, and runs when it comes again', async () => {
    const { host } = api(() => undefined);
    const locks = resourceLocks({ store: memoryLockStore(), host, leaseMs: 60_000 });
    const debt = [['debt', 17]] as const;
    const other = await locks.lockAll(debt, { holder: 'another request' });
    const { call, statuses, ran } = api(
      async (_, claim) => {
        const holder = claim?.effectKey ?? '';
        await locks.withLock(debt, { holder, unlock: { onSuccess: 'unlock', onFailure: 'keep' } }, () => undefined);
        return { statusCode: 201 };
      },
      { onAbandoned: 'park', host },
    );
    const refused = await call(apiGatewayV2(order));
    expect([refused.statusCode, problemIn(refused), headersOf(refused)['retry-after']]).toEqual([503, 'busy', '61']);
    expect(statuses()).toEqual(['released']);
    await other.unlock();
    expect(await call(apiGatewayV2(order))).toEqual({ statusCode: 201 });
    expect(ran()).toBe(2);
  });

  it('rejects where others have what it needs, if that could not be recorded: the next request may not run', async () => {
    const memory = memoryStore();
    const host = virtualHost();
    let isDown = false;
    const write: typeof memory.write = (one) => (isDown ? Promise.reject(new Error('down')) : memory.write(one));
    const { call } = api(
      () => {
        isDown = true;
        throw new RetryableError('locked', { retryAfterMs: 1000 });
      },
      { host, store: { ...memory, write } },
    );
    const answered = call(apiGatewayV2(order));
    answered.catch(() => undefined);
    await host.advance(60_000);
    await expect(answered).rejects.toThrow('locked');
    expect(memory.records()).toMatchObject([{ status: 'in-flight' }]);
  });

  it('takes an error of pawl’s for the handler’s own, also in the last moments of an invocation', async () => {
    const { call, host, statuses } = api(
      async () => {
        await new Promise<void>((resolve) => host.after(19_600, resolve));
        throw new RetryableError('slow down');
      },
      { onAbandoned: 'park' },
    );
    const answered = call(apiGatewayV2(order));
    answered.catch(() => undefined);
    await host.advance(20_000);
    await expect(answered).rejects.toThrow('slow down');
    expect(statuses()).toEqual(['released']);
  });

  it.each([
    [0.5, '1'],
    [1500.5, '2'],
    [1e300, '31622400'],
  ])('says in digits when to come again, if an error says %d ms', async (retryAfterMs, seconds) => {
    const { call } = api(() => {
      throw new RetryableError('slow down', { retryAfterMs });
    });
    expect(headersOf(await call(apiGatewayV2(order)))['retry-after']).toBe(seconds);
  });

  it('answers 503 with Retry-After while locks cannot be reached: nothing was applied', async () => {
    const down = () => Promise.reject(new Error('down'));
    const { call, host, statuses } = api(
      async (_, claim) => {
        const locks = resourceLocks({ store: { ...memoryLockStore(), read: down, write: down } });
        await locks.lockAll([['debt', 17]], { holder: claim?.effectKey ?? '' });
      },
      { onAbandoned: 'park' },
    );
    const answered = call(apiGatewayV2(order));
    await host.advance(100);
    const refused = await answered;
    expect([refused.statusCode, problemIn(refused)]).toEqual([503, 'unavailable']);
    expect(headersOf(refused)['retry-after']).toBe('3');
    expect(statuses()).toEqual(['released']);
  });

  it('answers what was rejected for good the same each time, without the words of the error', async () => {
    const { call, ran } = api(() => {
      throw new RejectedError('the card 4242 is stolen');
    });
    const [first, second] = [await call(apiGatewayV2(order)), await call(apiGatewayV2(order))];
    expect([first.statusCode, problemIn(first), first.body]).toEqual([422, 'rejected', second.body]);
    expect(first.body).not.toContain('4242');
    expect(headersOf(first)).not.toHaveProperty('idempotency-replayed');
    expect(headersOf(second)['idempotency-replayed']).toBe('true');
    expect(ran()).toBe(1);
  });

  it('keeps a response over the limit without its body, and says so in each replay', async () => {
    const kept = { location: '/r/1', 'content-location': '/r/1', 'content-security-policy': "default-src 'none'" };
    const ofBody = { 'Content-Type': 'text/plain', 'content-length': '5000', Digest: 'x', 'repr-digest': 'y' };
    const headers = { ...kept, ...ofBody };
    const { call, events, ran } = api(() => ({ statusCode: 201, headers, body: 'x'.repeat(5000) }), {
      maxResultBytes: 1000,
    });
    expect((await call(apiGatewayV2(order))).body).toHaveLength(5000);
    expect(events.map(({ type }) => type)).toEqual(['granted', 'result-not-recorded', 'completed']);
    const second = await call(apiGatewayV2(order));
    expect(second.statusCode).toBe(201);
    expect(second.body).toBe('');
    expect(headersOf(second)).toEqual({
      ...kept,
      'idempotency-replayed': 'true',
      'idempotency-body-omitted': 'true',
    });
    expect(ran()).toBe(1);
  });

  it('answers 204 where nothing of the response could be kept', async () => {
    const { call, ran } = api(() => ({ statusCode: 201, headers: { x: 'y'.repeat(2000) } }), { maxResultBytes: 1000 });
    await call(apiGatewayV2(order));
    const second = await call(apiGatewayV2(order));
    expect([second.statusCode, headersOf(second)['idempotency-body-omitted'], ran()]).toEqual([204, 'true', 1]);
  });

  it.each([
    [{ refund: 'r-1' }, { statusCode: 200, body: '{"refund":"r-1"}' }],
    ['done', { statusCode: 200, body: 'done' }],
    [undefined, { statusCode: 200, body: 'null' }],
  ])('replays what payload 2.0 makes of an answer without a status: %j', async (answer, replay) => {
    const { call, ran } = api(() => answer);
    expect(await call(apiGatewayV2(order))).toEqual(answer);
    expect(await call(apiGatewayV2(order))).toMatchObject(replay);
    expect(ran()).toBe(1);
  });

  it('does not take an answer for final that a service would make a 502 of', async () => {
    const { call, statuses } = api(() => ({ refund: 'r-1' }));
    await call((services['API Gateway, payload 1.0'] as (sent: Sent) => HttpEvent)(order));
    expect(statuses()).toEqual(['released']);
  });

  it('answers 503 with Retry-After while the claims cannot be reached, and runs nothing', async () => {
    const down = () => Promise.reject(new Error('no route to table'));
    const { call, ran } = api(() => ({ statusCode: 201 }), { store: { read: down, write: down } });
    const refused = await call(apiGatewayV2(order));
    expect([refused.statusCode, problemIn(refused), ran()]).toEqual([503, 'unavailable', 0]);
    expect(Number(headersOf(refused)['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  it('answers 503 where too little time is left to begin, and the next request runs', async () => {
    const { call, ran, invocationsLast } = api(() => ({ statusCode: 201 }));
    invocationsLast(900);
    const refused = await call(apiGatewayV2(order));
    expect([refused.statusCode, problemIn(refused), ran()]).toEqual([503, 'not-started', 0]);
    invocationsLast(20_000);
    expect((await call(apiGatewayV2(order))).statusCode).toBe(201);
  });

  it('asks the provider after a doubt: 409 until it can be believed, then its answer as a replay', async () => {
    let found = false;
    const { call, host, ran } = api(
      () => {
        throw new Error('socket hang up');
      },
      {
        onAbandoned: reconcile({
          ask: (_, { body }) =>
            found
              ? { verdict: 'applied', result: { statusCode: 201, body: JSON.stringify(body) } }
              : { verdict: 'not-applied' },
          settleMs: 2000,
        }),
      },
    );
    await expect(call(apiGatewayV2(order))).rejects.toThrow('socket hang up');
    const early = await call(apiGatewayV2(order));
    expect([early.statusCode, problemIn(early), headersOf(early)['retry-after']]).toEqual([409, 'in-doubt', '3']);
    found = true;
    await host.advance(3000);
    for (const _ of [1, 2]) {
      const answer = await call(apiGatewayV2(order));
      expect(answer).toMatchObject({ statusCode: 201, body: '{"amount":1}' });
      expect(headersOf(answer)['idempotency-replayed']).toBe('true');
    }
    expect(ran()).toBe(1);
  });

  it('keeps attributes beside the key, from the first grant on', async () => {
    const answers = [{ statusCode: 402 }, { statusCode: 201 }];
    const { call, store } = api(() => answers.shift(), {
      attributes: ({ body, path }) => ({ ...(body as { amount: number }), path }),
      retentionSeconds: 'forever',
      fingerprint: false,
    });
    await call(apiGatewayV2(order));
    await call(apiGatewayV2({ ...order, path: '/other' }));
    expect(store.records()).toEqual([
      expect.objectContaining({
        status: 'completed',
        attributes: { amount: 1, path: '/refunds' },
        expiresAt: undefined,
      }),
    ]);
  });

  it.each([{ big: 'x'.repeat(1100) }, { bad: undefined }, { nested: {} }, { nan: Number.NaN }])(
    'refuses attributes that cannot be kept, before anything runs: %j',
    async (attributes) => {
      const { call, ran, store } = api(() => ({ statusCode: 201 }), { attributes: () => attributes as never });
      await expect(call(apiGatewayV2(order))).rejects.toThrow(OptionError);
      expect([ran(), store.records()]).toEqual([0, []]);
    },
  );

  it('points to the documentation, if there is any', async () => {
    const { call } = api(() => ({}), { documentation: 'https://api.example/idempotency' });
    const refused = await call(apiGatewayV2({}));
    expect(JSON.parse(refused.body ?? '')).toMatchObject({
      type: 'https://api.example/idempotency#missing-key',
      status: 400,
    });
    expect(headersOf(refused)['link']).toBe('<https://api.example/idempotency>; rel="describedby"');
  });

  it('refuses an event that is no request', async () => {
    const { call } = api(() => ({}));
    await expect(call({ Records: [] } as HttpEvent)).rejects.toThrow(TypeError);
  });
});

const wrong: Partial<HttpOptions<HttpEvent>>[] = [
  { caller: undefined as never },
  { caller: 'alice' as never },
  { key: 'id' as never },
  { isFinal: 201 as never },
];

it.each(wrong)('refuses an option that is missing or wrong: %j', (options) => {
  const settings = { operation: 'refund', store: memoryStore(), onAbandoned: 'retry', caller: 'anyone' } as const;
  expect(() => onceOverHttp({ ...settings, ...options }, () => ({}))).toThrow(OptionError);
});

it('takes the event types of aws-lambda, and types the claim by whether a key is required', () => {
  const settings = { operation: 'refund', store: memoryStore(), onAbandoned: 'retry' } as const;
  const v2 = { caller: (event: APIGatewayProxyEventV2) => event.requestContext.accountId };
  onceOverHttp({ ...settings, ...v2 }, (event, _, claim) => ({
    statusCode: 200,
    body: claim.effectKey + event.rawPath,
  }));
  // @ts-expect-error a request without a key has no claim
  onceOverHttp({ ...settings, ...v2, required: false }, (_event, _, claim) => claim.effectKey);
  // @ts-expect-error who calls has to be said
  expect(() => onceOverHttp(settings, () => ({}))).toThrow(OptionError);
  onceOverHttp(
    { ...settings, caller: (event: APIGatewayProxyEvent) => event.requestContext.identity.user },
    () => ({}),
  );
  const balanced = middy<ALBEvent>().use(httpOnce({ ...settings, caller: 'anyone' }));
  expect(balanced).toBeTypeOf('function');
});

describe('httpOnce among other middlewares', () => {
  const settings = { operation: 'refund', onAbandoned: 'retry', caller: 'anyone' } as const;
  const lambda = () => context() as Context;

  it('leaves a recorded response alone when the after of another middleware fails', async () => {
    const store = memoryStore();
    let ran = 0;
    const handler = middy(async () => ({ statusCode: 201, ran: ++ran }), { timeoutEarlyInMillis: 0 })
      .use({
        after: () => {
          throw new Error('the logger is broken');
        },
      })
      .use(httpOnce({ ...settings, store }));
    await expect(handler(apiGatewayV2(order), lambda())).rejects.toThrow('the logger is broken');
    expect(store.records()).toMatchObject([{ status: 'completed' }]);
    expect(await handler(apiGatewayV2(order), lambda())).toMatchObject({ statusCode: 201 });
    expect(ran).toBe(1);
  });

  it('touches no claim when another middleware fails before it, or while a duplicate is answered', async () => {
    const store = memoryStore();
    let fails = true;
    const handler = middy(async () => ({ statusCode: 201 }), { timeoutEarlyInMillis: 0 })
      .use({
        before: () => {
          if (fails) throw new Error('not signed in');
        },
      })
      .use(httpOnce({ ...settings, store }));
    await expect(handler(apiGatewayV2(order), lambda())).rejects.toThrow('not signed in');
    expect(store.records()).toEqual([]);
    fails = false;
    expect(await handler(apiGatewayV2(order), lambda())).toEqual({ statusCode: 201 });
  });

  it('leaves the claim in flight when Middy gives up on a handler that is still running', async () => {
    const store = memoryStore();
    const handler = middy(() => new Promise(() => undefined), { timeoutEarlyInMillis: 9_950 }).use(
      httpOnce({ ...settings, store }),
    );
    await expect(handler(apiGatewayV2(order), context(10_000) as Context)).rejects.toThrow();
    expect(store.records()).toMatchObject([{ status: 'in-flight' }]);
  });

  it('reads a body that another middleware has parsed', async () => {
    const store = memoryStore();
    const handler = middy(async () => ({ statusCode: 201 }), { timeoutEarlyInMillis: 0 })
      .use({
        before: ({ event }) => {
          Object.assign(event as object, { body: JSON.parse((event as HttpEvent).body ?? '') });
        },
      })
      .use(httpOnce({ ...settings, store, key: bodyField('amount') }));
    await handler(apiGatewayV2(order), lambda());
    expect(store.records()).toMatchObject([{ id: 'refund#1', status: 'completed' }]);
  });

  it('is used once on a handler', async () => {
    const once = () => httpOnce({ ...settings, store: memoryStore() });
    const handler = middy(async () => ({ statusCode: 201 }))
      .use(once())
      .use(once());
    await expect(handler(apiGatewayV2(order), lambda())).rejects.toThrow('use it once');
  });
});
