import middy from '@middy/core';
import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { once, reconcile, renewedLease } from '../../lib/pawl/index.ts';
import { sqsOnce } from '../../lib/pawl/middy/index.ts';
import { bodyField, deadLetterQueue, eachMessage, type SqsEvent } from '../../lib/pawl/sqs/index.ts';
import { assertSurvivesCrashes, type CrashSweepOptions } from '../../lib/testing/index.ts';
import { forgetfulProvider, knowingProvider, type Order, orders } from './providers.ts';

type Provider = ReturnType<typeof knowingProvider>;

/** The policies, with a provider that each is right for. */
const policies = {
  retry: { provider: (time) => knowingProvider(time), policy: () => 'retry' },
  park: { provider: (time) => knowingProvider(time, { honoursKeys: false }), policy: () => 'park' },
  reconcile: {
    provider: (time) => knowingProvider(time, { honoursKeys: false, lagMs: 500 }),
    policy: (provider: Provider) =>
      reconcile({
        ask: async (doubt) => ({ verdict: (await provider.wasIssued(doubt.effectKey)) ? 'applied' : 'not-applied' }),
        settleMs: 1000,
      }),
  },
} satisfies Record<
  string,
  { provider: CrashSweepOptions<Provider>['provider']; policy: (provider: Provider) => unknown }
>;

describe.each(['retry', 'park', 'reconcile'] as const)('under %s, with a provider that it is right for', (name) => {
  const { provider, policy } = policies[name];
  const common = {
    messages: [...orders, ...orders.slice(0, 1)],
    provider,
    effects: (cards: Provider, message: CrashSweepOptions<Provider>['messages'][number]) => cards.count(message),
    max: 120,
  };

  it('eachMessage neither doubles nor loses', async () => {
    const { fates } = await assertSurvivesCrashes({
      ...common,
      handler: (world, cards) => {
        const wrapped = world.wrap('cards', cards);
        return eachMessage<Order>(
          {
            ...world.options,
            operation: 'issue',
            key: bodyField('orderId'),
            onAbandoned: policy(wrapped as unknown as Provider) as 'retry',
            deadLetters: deadLetterQueue(world.deadLetterQueueUrl),
          },
          ({ body }, claim) => wrapped.issue(body.orderId, claim.effectKey),
        );
      },
    });
    expect(fates.acknowledged).toBeGreaterThan(0);
    if (name !== 'park') expect(fates.parked).toBeLessThan(fates.acknowledged / 20);
  });

  it('nor does the middleware, around a batch handler that exists', async () => {
    const { fates } = await assertSurvivesCrashes({
      ...common,
      handler: (world, cards) => {
        const wrapped = world.wrap('cards', cards);
        const existing = async ({ Records }: SQSEvent) =>
          Promise.allSettled(
            Records.map(({ body }) => {
              const { orderId } = JSON.parse(body);
              return wrapped.issue(orderId, `issue#${orderId}`);
            }),
          );
        return middy(existing, { timeoutEarlyInMillis: 0 }).use(
          sqsOnce<Order>({
            ...world.options,
            operation: 'issue',
            key: bodyField('orderId'),
            onAbandoned: policy(wrapped as unknown as Provider) as 'retry',
            deadLetters: deadLetterQueue(world.deadLetterQueueUrl),
          }),
        );
      },
    });
    expect(fates.acknowledged).toBeGreaterThan(0);
  });

  it('nor does once, with a heartbeat, when two workers have the same order', async () => {
    const { fates } = await assertSurvivesCrashes({
      ...common,
      batchSize: 1,
      handler: (world, cards) => {
        const wrapped = world.wrap('cards', cards);
        const issue = once<Order, void, false>(
          {
            ...world.options,
            operation: 'issue',
            key: ({ orderId }) => orderId,
            onAbandoned: policy(wrapped as unknown as Provider) as 'retry',
            lease: renewedLease(10_000),
            recordResult: false,
          },
          ({ orderId }, claim) => wrapped.issue(orderId, claim.effectKey),
        );
        return ({ Records: [record] }: SqsEvent) => issue(JSON.parse(record?.body ?? ''));
      },
    });
    expect(fates.acknowledged).toBeGreaterThan(0);
  });
});

it('keeps the order of a group, and loses nothing of it', async () => {
  const { fates } = await assertSurvivesCrashes({
    messages: orders.map((message) => ({ ...message, messageGroupId: 'customer-1' })),
    provider: forgetfulProvider,
    handler: (world, mailer) =>
      eachMessage<Order>(
        {
          ...world.options,
          operation: 'send',
          key: bodyField('orderId'),
          onAbandoned: 'park',
          deadLetters: deadLetterQueue(world.deadLetterQueueUrl),
        },
        ({ body }) => world.io('mailer.send', () => mailer.send(body.orderId)),
      ),
    effects: (mailer, message) => mailer.count(message),
    max: 120,
  });
  expect(fates.acknowledged).toBeGreaterThan(0);
});
