import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { expect, test } from 'vitest';
import {
  bodyField,
  type Claim,
  claimOf,
  type HttpOptions,
  httpOnce,
  onceOverHttp,
} from '../../../lib/pawl/http/index.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { type AppWrite, commit, inPhases, type TransactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { assertSurvivesCrashes, type World } from '../../../lib/testing/index.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { firstOf } from '../../support/whole.ts';

/** Two payments, the first of which its client asks for twice. Each asks again until it gets a final answer, with the same key. */
const messages = [{ body: { payment: 'p-1' } }, { body: { payment: 'p-2' } }, { body: { payment: 'p-1' } }];

type Event = ReturnType<typeof apiGatewayV2>;
type Lambda = { getRemainingTimeInMillis(): number };

const paymentOf = (body: unknown): string => (body as { payment: string }).payment;

test.each(['retry', 'park'] as const)(
  '%s: killed at every await, no payment is made twice, and none is answered that was not made',
  async (onAbandoned) => {
    const report = await assertSurvivesCrashes({
      messages,
      callers: { event: ({ body }) => apiGatewayV2({ body: JSON.stringify(body) }) },
      // Under 'retry' the provider honours the effect key; under 'park' it pays whatever it is asked to.
      provider: () => ({ paid: [] as { key: string; payment: string }[] }),
      handler: (world: World, provider) =>
        onceOverHttp(
          { ...world.options, operation: 'pay', caller: 'anyone', key: bodyField('payment'), onAbandoned },
          async ({ body }: Event, _: Lambda, claim) => {
            await world.io('provider.pay', () => {
              const known = onAbandoned === 'retry' && provider.paid.some(({ key }) => key === claim.effectKey);
              if (!known) provider.paid.push({ key: claim.effectKey, payment: paymentOf(JSON.parse(body ?? '')) });
            });
            return { statusCode: 201 };
          },
        ),
      effects: ({ paid }, { body }) => paid.filter(({ payment }) => payment === paymentOf(body)).length,
      max: firstOf(400, { first: 110 }),
    });
    expect(report.runs).toBeGreaterThan(100);
    expect(report.boundaries).toContain('provider.pay');
    expect(report.fates.acknowledged).toBeGreaterThan(0);
    if (onAbandoned === 'park') expect(report.fates.parked).toBeGreaterThan(0);
  },
);

type Options = HttpOptions<Event> & { readonly required?: true };
type Handler = (event: Event, claim: Claim) => unknown;

const doors: Record<
  string,
  (options: Options, handler: Handler) => (event: Event, context: Lambda) => Promise<unknown>
> = {
  onceOverHttp: (options, handler) =>
    onceOverHttp<Event, Lambda, unknown>(options, (event, _, claim) => handler(event, claim)),
  httpOnce(options, handler) {
    const served = async (event: Event, context: Context) => {
      const claim = claimOf(context);
      if (claim === undefined) throw new Error('there is no claim');
      return handler(event, claim);
    };
    const wrapped = middy(served, { timeoutEarlyInMillis: 0 }).use(httpOnce(options));
    return (event, context) => wrapped(event, context as Context) as Promise<unknown>;
  },
};

const add = (id: string): AppWrite => ({
  Update: { TableName: 'ledger', Key: { id }, UpdateExpression: '', ExpressionAttributeValues: { ':n': 1 } },
});

/** A database that holds the claims as well, and a provider that honours the effect key. */
function bank() {
  return { ...memoryTransactions(memoryStore()), transfers: new Map<string, string>() };
}

type Bank = ReturnType<typeof bank>;

/** Every request of the store is a place where a worker may die, or an answer may be lost. */
function reached(world: World, { store }: Bank): TransactionalStore {
  return {
    read: (id) => world.io('claims.read', () => store.read(id), { resends: true }),
    write: (write) => world.io(`claims.write ${write.next.status}`, () => store.write(write), { resends: true }),
    commit: (write, writes) =>
      world.io(`claims.commit ${write.next.status}`, () => store.commit(write, writes), { resends: true }),
  };
}

const features: Record<string, (world: World, bank: Bank) => Handler> = {
  commit: () => async (event, claim) => {
    await commit(claim, [add(paymentOf(JSON.parse(event.body ?? '')))]);
    return { statusCode: 201 };
  },
  'commit with its response': () => async (event, claim) => {
    const response = { statusCode: 201 };
    await commit(claim, [add(paymentOf(JSON.parse(event.body ?? '')))], { result: response });
    return response;
  },
  inPhases(world, { transfers }) {
    const phases = inPhases<Event, string>({
      prepare: ({ body }) => [add(`reserved-${paymentOf(JSON.parse(body ?? ''))}`)],
      execute: ({ body }, { effectKey }) =>
        world.io('provider.transfer', () => {
          transfers.set(effectKey, paymentOf(JSON.parse(body ?? '')));
          return effectKey;
        }),
      record: ({ body }) => [add(paymentOf(JSON.parse(body ?? '')))],
      onAbandoned: 'retry',
    });
    return async (event, claim) => ({ statusCode: 201, body: await phases(event, claim) });
  },
};

const cells = Object.keys(doors).flatMap((door) => Object.keys(features).map((feature) => [feature, door] as const));

test.each(cells)('%s behind %s: wherever a worker dies, each payment is booked once', async (feature, door) => {
  const report = await assertSurvivesCrashes({
    messages,
    callers: { event: ({ body }) => apiGatewayV2({ body: JSON.stringify(body) }) },
    provider: bank,
    handler: (world: World, bank) => {
      const { store: _, ...options } = world.options;
      const api = doors[door]?.(
        {
          ...options,
          store: reached(world, bank),
          operation: 'pay',
          caller: 'anyone',
          key: bodyField('payment'),
          onAbandoned: 'retry',
        },
        features[feature]?.(world, bank) ?? (() => undefined),
      );
      return api ?? (() => undefined);
    },
    effects({ items, transfers }, { body }) {
      const id = paymentOf(body);
      const counts = [Number(items.get(id)?.['amount'] ?? 0)];
      if (feature === 'inPhases') {
        counts.push(Number(items.get(`reserved-${id}`)?.['amount'] ?? 0));
        counts.push([...transfers.values()].filter((payment) => payment === id).length);
      }
      return counts.every((count) => count === 1) ? 1 : counts.some((count) => count > 1) ? 2 : 0;
    },
    max: firstOf(200, { first: 60 }),
  });
  expect(report.runs).toBeGreaterThan(50);
});
