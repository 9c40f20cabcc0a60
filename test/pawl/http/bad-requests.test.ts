import { afterEach, describe, expect, it, vi } from 'vitest';
import { bodyField, type HttpEvent, type HttpOptions, type HttpResponse } from '../../../lib/pawl/http/index.ts';
import { canonicalValue, InvalidMessageError, memoryStore, OptionError } from '../../../lib/pawl/index.ts';
import { asRestored } from '../../../lib/pawl/rules/restored.ts';
import { doors } from '../../support/http-doors.ts';
import { apiGatewayV2, type Sent } from '../../support/http-events.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

const key = { 'idempotency-key': '"k-1"' };
const order: Sent = { headers: key, body: '{"amount":1}' };
const problemIn = ({ body = '' }: HttpResponse) => JSON.parse(body).reason;

const unhandled: unknown[] = [];
const hear = (reason: unknown) => unhandled.push(reason);
process.on('unhandledRejection', hear);
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled.splice(0)).toEqual([]);
});

describe.each(Object.entries(doors))('%s', (_door, wrap) => {
  function api(effect: (event: HttpEvent) => unknown, options: Partial<HttpOptions<HttpEvent>> = {}) {
    const store = memoryStore();
    const host = virtualHost();
    let ran = 0;
    const settings = { operation: 'refund', store, onAbandoned: 'park', caller: 'anyone', host } as const;
    const call = wrap({ ...settings, onEvent: () => undefined, ...options }, (event) => {
      ran++;
      return effect(event);
    });
    return { host, store, ran: () => ran, call: async (event: HttpEvent) => (await call(event)) as HttpResponse };
  }

  describe('what is not a status says nothing about the effect', () => {
    it.each([0, null, '', -1, 100, 199, Number.NaN, 404.5, 600, 999, '0', '4', '4e2', ' 404', true, [404], {}])(
      'parks where that is the policy, and does not run again: %j',
      async (statusCode) => {
        const { call, ran, store } = api(() => ({ statusCode }));
        await call(apiGatewayV2(order));
        expect(store.records()).toMatchObject([{ status: 'parked' }]);
        expect((await call(apiGatewayV2(order))).statusCode).toBe(409);
        expect(ran()).toBe(1);
      },
    );

    it.each([408, 499, 500, 503, 599])(
      'nor does %i, which a time-out or a server in trouble answers',
      async (statusCode) => {
        const { call, ran, store } = api(() => ({ statusCode }));
        await call(apiGatewayV2(order));
        expect(store.records()).toMatchObject([{ status: 'parked' }]);
        await call(apiGatewayV2(order));
        expect(ran()).toBe(1);
      },
    );

    it.each([202, 302])('nor does %i where the author says that it is not final', async (statusCode) => {
      const { call, store } = api(() => ({ statusCode }), { isFinal: () => false });
      await call(apiGatewayV2(order));
      expect(store.records()).toMatchObject([{ status: 'parked' }]);
    });

    it.each(['404', '402', 400])(
      'a client’s error says that nothing was applied, as a text as well: %j',
      async (statusCode) => {
        const { call, ran, store } = api(() => ({ statusCode, body: 'no' }));
        expect(await call(apiGatewayV2(order))).toEqual({ statusCode, body: 'no' });
        expect(store.records()).toMatchObject([{ status: 'released' }]);
        await call(apiGatewayV2(order));
        expect(ran()).toBe(2);
      },
    );

    it('a success as a text is recorded, and replayed as a number', async () => {
      const { call, ran } = api(() => ({ statusCode: '201', body: 'done' }));
      await call(apiGatewayV2(order));
      expect(await call(apiGatewayV2(order))).toMatchObject({ statusCode: 201, body: 'done' });
      expect(ran()).toBe(1);
    });
  });

  it('runs a key again however often it was refused, as long as nothing was applied', async () => {
    const { call, ran, host } = api(() => ({ statusCode: ran() <= 60 ? 402 : 201 }), { maxAttempts: 20 });
    for (let n = 0; n < 60; n++) {
      expect((await call(apiGatewayV2(order))).statusCode).toBe(402);
      await host.advance(8 * 3600_000);
    }
    expect((await call(apiGatewayV2(order))).statusCode).toBe(201);
    expect((await call(apiGatewayV2(order))).headers).toMatchObject({ 'Idempotency-Replayed': 'true' });
    expect(ran()).toBe(61);
  });

  it('still parks a key that keeps failing in doubt, and says that it is not known whether it took effect', async () => {
    const { call, ran } = api(() => ({ statusCode: 500 }), { onAbandoned: 'retry', maxAttempts: 3 });
    for (let n = 0; n < 3; n++) expect((await call(apiGatewayV2(order))).statusCode).toBe(500);
    expect(problemIn(await call(apiGatewayV2(order)))).toBe('parked');
    expect(ran()).toBe(3);
  });

  it('says of a key that was parked after refusals only that nothing was applied', async () => {
    const { call, store } = api(() => ({ statusCode: 402 }));
    await call(apiGatewayV2(order));
    const [seen] = store.records();
    if (seen === undefined) throw new Error('there is no record');
    const error = { name: 'attempts-used-up', message: '' };
    await store.write({ next: { ...seen, status: 'parked', error, expiresAt: undefined }, seen });
    const refused = await call(apiGatewayV2(order));
    expect([refused.statusCode, problemIn(refused)]).toEqual([409, 'given-up']);
    expect(JSON.parse(refused.body ?? '').detail).toContain('nothing was applied');
  });

  it('does not say so of one that a restored table may have forgotten: an operator may have let it run since', async () => {
    const { call, store } = api(() => ({ statusCode: 402 }));
    await call(apiGatewayV2(order));
    const [seen] = store.records();
    if (seen === undefined) throw new Error('there is no record');
    const parked = { ...seen, status: 'parked', error: { name: 'attempts-used-up', message: '' } } as const;
    const next = asRestored(seen.id, { ...parked, expiresAt: undefined }, { reopenedAt: someDay }, someDay);
    await store.write({ next, seen });
    expect(problemIn(await call(apiGatewayV2(order)))).toBe('parked');
  });

  describe('a request that cannot be read', () => {
    const amountOf = (body: unknown) => (body as { amount: number }).amount;

    it.each<[string, Partial<HttpOptions<HttpEvent>>]>([
      ['attributes', { attributes: ({ body }) => ({ amount: amountOf(body) }) }],
      ['fingerprint', { fingerprint: ({ body }) => canonicalValue(body) }],
      ['required', { key: () => undefined, required: ({ body }) => amountOf(body) > 100 }],
      ['caller', { caller: ({ body }) => bodyField('from')({ body: parsed(body) }) as string }],
      ['key', { key: bodyField('id') }],
    ])('is answered 400 when %s needs its JSON and there is none', async (_, options) => {
      const { call, ran, store } = api(() => ({ statusCode: 201 }), options);
      const refused = await call(apiGatewayV2({ headers: key, body: 'amount=1' }));
      expect([refused.statusCode, problemIn(refused)]).toEqual([400, 'invalid-request']);
      expect([ran(), store.records()]).toEqual([0, []]);
    });

    const fail = () => {
      throw new InvalidMessageError('invalid-message', 'amount is missing');
    };
    it.each<[string, Partial<HttpOptions<HttpEvent>>]>([
      ['attributes', { attributes: fail }],
      ['fingerprint', { fingerprint: fail }],
      ['required', { key: () => '', required: fail }],
      ['key', { key: fail }],
      ['caller', { caller: fail }],
    ])('is answered 400 when %s says that it is bad', async (_, options) => {
      const { call, ran, store } = api(() => ({ statusCode: 201 }), options);
      const refused = await call(apiGatewayV2(order));
      expect([refused.statusCode, problemIn(refused)]).toEqual([400, 'invalid-request']);
      expect([ran(), store.records()]).toEqual([0, []]);
    });

    const bug = () => {
      throw new RangeError('a bug');
    };
    const options: [string, Partial<HttpOptions<HttpEvent>>][] = [
      ['key', { key: bug }],
      ['caller', { caller: bug }],
      ['required', { key: () => undefined, required: bug }],
      ['fingerprint', { fingerprint: bug }],
      ['attributes', { attributes: bug }],
    ];
    it.each(options)(
      'is no client’s fault when %s has a bug: the error goes on, and nothing is claimed',
      async (_, wrong) => {
        const { call, ran, store } = api(() => ({ statusCode: 201 }), wrong);
        await expect(call(apiGatewayV2(order))).rejects.toThrow(RangeError);
        expect([ran(), store.records()]).toEqual([0, []]);
      },
    );

    const rejects = () => Promise.reject(new Error('late')) as never;
    const resolves = () => Promise.resolve('k') as never;
    it.each(
      [rejects, resolves].flatMap((read): [string, Partial<HttpOptions<HttpEvent>>][] => [
        ['key', { key: read }],
        ['caller', { caller: read }],
        ['required', { key: () => undefined, required: read }],
        ['fingerprint', { fingerprint: read }],
        ['attributes', { attributes: read }],
      ]),
    )('refuses an async %s, and lets no rejection go unhandled', async (_, wrong) => {
      const { call, ran, store } = api(() => ({ statusCode: 201 }), wrong);
      await expect(call(apiGatewayV2(order))).rejects.toThrow(OptionError);
      expect([ran(), store.records()]).toEqual([0, []]);
    });

    it('takes an isFinal that is async for a failure, and never for true', async () => {
      const { call, store } = api(() => ({ statusCode: 402 }), { isFinal: rejects });
      await expect(call(apiGatewayV2(order))).rejects.toThrow(OptionError);
      expect(store.records()).toMatchObject([{ status: 'parked' }]);
    });
  });

  it.each<Partial<HttpOptions<HttpEvent>>>([
    { fingerprint: {} as never },
    { fingerprint: true as never },
    { fingerprint: null as never },
    { fingerprint: { ignore: 'sentAt' } as never },
    { fingerprint: { ignore: [1] } as never },
    { required: 'yes' as never },
    { attributes: {} as never },
  ])('refuses at set-up an option that would refuse every request: %j', (options) => {
    expect(() => api(() => ({}), options)).toThrow(OptionError);
  });
});

function parsed(body: string | null | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    throw new InvalidMessageError('invalid-message', 'the body is not JSON');
  }
}

vi.spyOn(console, 'warn').mockImplementation(() => undefined);
