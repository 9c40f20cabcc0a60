import { describe, expect, it } from 'vitest';
import type { HttpEvent, HttpOptions, HttpResponse } from '../../../lib/pawl/http/index.ts';
import { type Claim, type ClaimEvent, memoryStore, RetryableError, step } from '../../../lib/pawl/index.ts';
import { type AppWrite, commit, commitStep, inPhases } from '../../../lib/pawl/transactions/index.ts';
import { doors } from '../../support/http-doors.ts';
import { apiGatewayV2, type Sent } from '../../support/http-events.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const sent: Sent = { headers: { 'idempotency-key': '"k-1"' }, body: '{"amount":1}' };
const request = () => apiGatewayV2(sent);
const add = (id: string, n: number): AppWrite => ({
  Update: { TableName: 'ledger', Key: { id }, UpdateExpression: '', ExpressionAttributeValues: { ':n': n } },
});
const replayed = { headers: { 'Idempotency-Replayed': 'true' } };

describe.each(Object.entries(doors))('behind %s', (_door, wrap) => {
  function api(effect: (claim: Claim, event: HttpEvent) => unknown, options: Partial<HttpOptions<HttpEvent>> = {}) {
    const memory = memoryStore();
    const { items, store } = memoryTransactions(memory);
    const host = virtualHost();
    const events: ClaimEvent[] = [];
    let ran = 0;
    const settings = { operation: 'refund', store, onAbandoned: 'park', caller: 'anyone', host } as const;
    const call = wrap({ ...settings, onEvent: (event) => events.push(event), ...options }, (event, claim) => {
      ran++;
      return effect(claim, event);
    });
    return {
      host,
      items,
      ran: () => ran,
      records: () => memory.records(),
      types: () => events.map(({ type }) => type),
      call: async () => (await call(request())) as HttpResponse,
    };
  }

  it('the handler is given the very claim, whose signal, fence and effect are its own', async () => {
    const { call, records } = api((claim) => {
      expect(Object.keys(claim)).toContain('effect');
      return step(claim, 'look', () => ({ statusCode: 201, body: claim.effectKey }), { onAbandoned: 'retry' });
    });
    expect(await call()).toEqual({ statusCode: 201, body: 'refund#k-1' });
    expect(records()).toMatchObject([{ status: 'completed' }]);
  });

  it('a step that is done is not run again after a worker that died, and a duplicate gets the response', async () => {
    const charged: string[] = [];
    let dies = true;
    const { call, host, ran } = api(
      async (claim) => {
        const id = await step(claim, 'charge', ({ effectKey }) => charged.push(effectKey), { onAbandoned: 'park' });
        if (dies) return new Promise(() => undefined);
        return { statusCode: 201, body: `charge ${id}` };
      },
      { onAbandoned: 'retry' },
    );
    void call();
    await host.advance(25_000);
    dies = false;
    expect(await call()).toEqual({ statusCode: 201, body: 'charge 1' });
    expect(await call()).toMatchObject({ statusCode: 201, body: 'charge 1', ...replayed });
    expect([charged, ran()]).toEqual([['refund#k-1#charge'], 2]);
  });

  it('a response that says that nothing was applied opens a claim whose steps are done, and they stay done', async () => {
    let charged = 0;
    const answers = [{ statusCode: 409 }, { statusCode: 201 }];
    const { call } = api(async (claim) => {
      await step(claim, 'charge', () => ++charged, { onAbandoned: 'retry' });
      return answers.shift();
    });
    expect((await call()).statusCode).toBe(409);
    expect((await call()).statusCode).toBe(201);
    expect(charged).toBe(1);
  });

  it('a response that cannot be kept does not undo what it says: the effect is not repeated', async () => {
    const { call, ran, records, types } = api(
      () => ({ statusCode: 201, headers: { 'x-amount': 5n }, body: 'refunded' }),
      { onAbandoned: 'retry' },
    );
    await call().catch(() => undefined);
    expect(records()).toMatchObject([{ status: 'completed', resultOmitted: 'not-serialisable' }]);
    expect(types()).toEqual(['granted', 'result-not-recorded', 'completed']);
    expect((await call()).headers).toMatchObject({ 'Idempotency-Body-Omitted': 'true' });
    expect(ran()).toBe(1);
  });

  it('a commit completes the claim, and its duplicates get the response that the handler made afterwards', async () => {
    const { call, items, ran, records } = api(async (claim) => {
      await commit(claim, [add('alice', 5)]);
      return { statusCode: 201, headers: { location: '/refunds/1' }, body: 'done' };
    });
    expect((await call()).statusCode).toBe(201);
    expect(records()).toMatchObject([{ status: 'completed', attempts: 1 }]);
    expect(await call()).toEqual({
      statusCode: 201,
      headers: { location: '/refunds/1', 'Idempotency-Replayed': 'true' },
      body: 'done',
    });
    expect([ran(), items.get('alice')]).toEqual([1, { amount: 5 }]);
  });

  it('a response that is committed as the result is replayed even if the worker died right after the commit', async () => {
    const response = { statusCode: 201, body: 'done' };
    let dies = true;
    const { call, host, items, ran } = api(async (claim) => {
      await commit(claim, [add('alice', 5)], { result: response });
      return dies ? new Promise(() => undefined) : response;
    });
    void call();
    await host.advance(25_000);
    dies = false;
    expect(await call()).toMatchObject({ ...response, ...replayed });
    expect([ran(), items.get('alice')]).toEqual([1, { amount: 5 }]);
  });

  it.each([undefined, { transfer: 't-1' }])(
    'a commit whose worker died before its response was known is replayed without a body: what was committed is no response',
    async (result) => {
      const { call, host, items } = api(async (claim) => {
        await commit(claim, [add('alice', 5)], { result });
        return new Promise(() => undefined);
      });
      void call();
      await host.advance(25_000);
      const replay = await call();
      expect(replay.statusCode).toBe(204);
      expect(replay.headers).toEqual({ 'Idempotency-Replayed': 'true', 'Idempotency-Body-Omitted': 'true' });
      expect(items.get('alice')).toEqual({ amount: 5 });
    },
  );

  it('a response other than the one that was committed takes its place', async () => {
    const { call } = api(async (claim) => {
      await commit(claim, [add('alice', 5)], { result: { transfer: 't-1' } });
      return { statusCode: 201, body: 'transfer t-1' };
    });
    await call();
    expect(await call()).toMatchObject({ statusCode: 201, body: 'transfer t-1', ...replayed });
  });

  it('a commit that is refused applies nothing, and whatever the handler answers, the next request runs', async () => {
    let balance = -5;
    const { call, items, ran, records } = api(async (claim) => {
      try {
        await commit(claim, [add('alice', balance)]);
      } catch {
        return { statusCode: 402 };
      }
      return { statusCode: 201 };
    });
    expect((await call()).statusCode).toBe(402);
    expect(records()).toMatchObject([{ status: 'released', unknownAt: undefined }]);
    balance = 5;
    expect((await call()).statusCode).toBe(201);
    expect([ran(), items.get('alice')]).toEqual([2, { amount: 5 }]);
  });

  it('a commit after which the handler fails is done, and is not committed again', async () => {
    const { call, items, ran } = api(async (claim) => {
      await commit(claim, [add('alice', 5)], { result: { statusCode: 201, body: 'done' } });
      throw new Error('the metrics are down');
    });
    await expect(call()).rejects.toThrow('the metrics are down');
    expect(await call()).toMatchObject({ statusCode: 201, body: 'done', ...replayed });
    expect([ran(), items.get('alice')]).toEqual([1, { amount: 5 }]);
  });

  it('a committed step is committed once, whatever becomes of the attempts after it', async () => {
    const answers = [() => Promise.reject(new RetryableError('busy')), () => ({ statusCode: 201 })];
    const { call, items } = api(
      async (claim) => {
        await commitStep(claim, 'reserve', () => [add('alice', 5)]);
        return answers.shift()?.();
      },
      { onAbandoned: 'retry' },
    );
    await expect(call()).rejects.toThrow('busy');
    expect((await call()).statusCode).toBe(201);
    expect(items.get('alice')).toEqual({ amount: 5 });
  });

  it('three phases go on where a worker died, each done once, and the duplicate gets the response', async () => {
    const transfers: string[] = [];
    let dies = true;
    const phases = inPhases<HttpEvent, { transfer: number }>({
      prepare: () => [add('reserved', 1)],
      execute: (_, { effectKey }) => ({ transfer: transfers.push(effectKey) }),
      record: () => (dies ? new Promise(() => undefined) : [add('paid', 1)]),
      onAbandoned: 'park',
    });
    const { call, host, items } = api(
      async (claim, event) => {
        const { transfer } = await phases(event, claim);
        return { statusCode: 201, body: `transfer ${transfer}` };
      },
      { onAbandoned: 'retry' },
    );
    void call();
    await host.advance(25_000);
    dies = false;
    expect(await call()).toEqual({ statusCode: 201, body: 'transfer 1' });
    expect(await call()).toMatchObject({ statusCode: 201, body: 'transfer 1', ...replayed });
    expect([transfers.length, items.get('reserved'), items.get('paid')]).toEqual([1, { amount: 1 }, { amount: 1 }]);
  });

  it('an effect that failed decides, though the handler answered with success, or threw something else', async () => {
    const answers: [() => unknown, string][] = [
      [() => ({ statusCode: 201 }), 'socket hang up'],
      [() => Promise.reject(new RetryableError('nothing was applied')), 'nothing was applied'],
    ];
    for (const [answer, heard] of answers) {
      const { call, records } = api(async (claim) => {
        const sending = claim.effect(() => Promise.reject(new Error('socket hang up')));
        await sending.catch(() => undefined);
        return answer();
      });
      await expect(call()).rejects.toThrow(heard);
      expect(records()).toMatchObject([{ status: 'parked' }]);
    }
  });
});
