import { pbkdf2 } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import middy from '@middy/core';
import { headerKey, httpOnce, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { once, RejectedError, reconcile, renewedLease } from '../../../lib/pawl/index.ts';
import {
  bodyField,
  deadLetterQueue,
  eachMessage,
  type InvocationContext,
  type SqsEvent,
  type SqsOptions,
} from '../../../lib/pawl/sqs/index.ts';
import type { World } from '../../../lib/testing/index.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { common, type Fixture, fixture, group, messages, type Order, one, order, orderOf } from './fixture.ts';

/*
 * Handlers that are right, for the provider and the messages that they have: none may be accused.
 */

const madeBefore = promisify(setTimeout);
const derive = promisify(pbkdf2);

const server = createServer((_, response) => void madeBefore(5).then(() => response.end('yes')));

const listening = new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve).unref());

/** Asks a server that takes its time, without `world.io`. */
async function answerOfServer(): Promise<void> {
  await listening;
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', agent: false }, (response) => response.resume().on('end', resolve));
    request.on('error', reject);
  });
}

const pawl = (world: World): SqsOptions<Order> => ({
  ...world.options,
  operation: 'send',
  key: bodyField('orderId'),
  onAbandoned: 'park',
  deadLetters: deadLetterQueue(world.deadLetterQueueUrl),
});

const post = ({ body }: { readonly body: unknown }) =>
  apiGatewayV2({ body: JSON.stringify(body), headers: { 'Idempotency-Key': `"${orderOf(body)}"` } });

type Post = ReturnType<typeof post>;

/** A plain handler that reports what failed. */
const each = (handle: (record: SqsEvent['Records'][number]) => Promise<unknown>) => async (event: SqsEvent) => {
  const results = await Promise.allSettled(event.Records.map(handle));
  const failed = event.Records.filter((_, index) => results[index]?.status === 'rejected');
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};

export const right: readonly Fixture[] = [
  fixture('parks what is in doubt', {
    ...common,
    handler: (world, { send }) =>
      eachMessage<Order>({ ...pawl(world), marksEffect: true }, async ({ body }, claim) => {
        await claim.effect(() => world.io('send', () => send(body.orderId)));
      }),
  }),
  fixture('parks, and leaves what is parked to the redrive policy of the queue', {
    ...common,
    handler: (world, { send }) =>
      eachMessage<Order>({ ...pawl(world), deadLetters: undefined }, ({ body }) =>
        world.io('send', () => send(body.orderId)),
      ),
  }),
  fixture('asks, once its requests must have arrived', {
    ...common,
    handler: (world, { send, wasSent }) =>
      eachMessage<Order>(
        {
          ...pawl(world),
          onAbandoned: reconcile({
            ask: async (_, { body }) => {
              const was = await world.io('wasSent', () => wasSent(body.orderId));
              return { verdict: was ? 'applied' : 'not-applied' };
            },
            settleMs: 1000,
          }),
        },
        ({ body }) => world.io('send', () => send(body.orderId)),
      ),
  }),
  fixture('has a key with the time of sending, and a producer that sends once', {
    ...common,
    messages: messages.slice(0, 2),
    handler: (world, { send }) =>
      eachMessage<Order>(
        {
          ...pawl(world),
          key: ({ body, record }) =>
            `${body.orderId}-${(record.attributes as { SentTimestamp?: string }).SentTimestamp}`,
        },
        ({ body }) => world.io('send', () => send(body.orderId)),
      ),
  }),
  fixture('has nothing to do for one of its messages', {
    ...common,
    expected: (_, { body }) => (orderOf(body) === 'o-2' ? 0 : 1),
    handler: (world, { send }) =>
      eachMessage<Order>(pawl(world), async ({ body }) => {
        if (body.orderId !== 'o-2') await world.io('send', () => send(body.orderId));
      }),
  }),
  fixture('rejects what can never run', {
    ...common,
    expected: (_, { body }) => (orderOf(body) === 'o-2' ? 'dead-letter' : 1),
    handler: (world, { send }) =>
      eachMessage<Order>(pawl(world), async ({ body }) => {
        if (body.orderId === 'o-2') throw new RejectedError('an odd order');
        await world.io('send', () => send(body.orderId));
      }),
  }),
  fixture('sends three mails for one order', {
    ...common,
    expected: () => 3,
    handler: (world, { sendOnce }) =>
      eachMessage<Order>({ ...pawl(world), onAbandoned: 'retry' }, async ({ body }, { effectKey }) => {
        for (const to of ['customer', 'shop', 'archive'])
          await world.io('send', () => sendOnce(body.orderId, `${effectKey}-${to}`));
      }),
  }),
  fixture('works for twenty seconds under a lease of ten, with heartbeats', {
    ...common,
    messages: [order('o-1'), order('o-1')],
    maxReceiveCount: 12,
    handler: (world, { send }) =>
      eachMessage<Order>({ ...pawl(world), lease: renewedLease(10_000) }, ({ body }) =>
        world.io('send', () => send(body.orderId), { takesMs: 20_000 }),
      ),
  }),
  fixture('a group in order, by the library', {
    ...common,
    messages: group,
    handler: (world, { sendOnce }) =>
      eachMessage<Order>({ ...pawl(world), onAbandoned: 'retry' }, ({ body }, { effectKey }) =>
        world.io('send', () => sendOnce(body.orderId, effectKey)),
      ),
  }),
  fixture('plain: a group in order, and what comes behind a failure comes again with it', {
    ...common,
    messages: group,
    handler:
      (world, { sendOnce }) =>
      async ({ Records }: SqsEvent) => {
        for (const [index, { body }] of Records.entries()) {
          try {
            await world.io('send', () => sendOnce(orderOf(body), orderOf(body)));
          } catch {
            return { batchItemFailures: Records.slice(index).map(({ messageId }) => ({ itemIdentifier: messageId })) };
          }
        }
        return { batchItemFailures: [] };
      },
  }),
  fixture('plain: a provider that honours the key', {
    ...common,
    handler: (world, { sendOnce }) =>
      each(({ body }) => world.io('send', () => sendOnce(orderOf(body), orderOf(body)))),
  }),
  fixture('plain: waits for a timer of 5 ms', {
    ...common,
    handler: (world, { sendOnce }) =>
      each(async ({ body }) => {
        await sleep(5);
        await new Promise((resolve) => setTimeout(resolve, 5));
        await world.io('send', () => sendOnce(orderOf(body), orderOf(body)));
      }),
  }),
  fixture('plain: waits for a real timer of 5 ms, by a function that was made before the sweep', {
    ...common,
    max: 40,
    handler: (world, { sendOnce }) =>
      each(async ({ body }) => {
        await madeBefore(5);
        await world.io('send', () => sendOnce(orderOf(body), orderOf(body)));
      }),
  }),
  fixture('plain: asks a server that is not wrapped', {
    ...common,
    max: 40,
    handler: (world, { sendOnce }) =>
      each(async ({ body }) => {
        await answerOfServer();
        await world.io('send', () => sendOnce(orderOf(body), orderOf(body)));
      }),
  }),
  fixture('plain: derives a key, in a thread of its own', {
    ...common,
    max: 40,
    handler: (world, { sendOnce }) =>
      each(async ({ body }) => {
        const key = await derive(orderOf(body), 'salt', 10_000, 32, 'sha256');
        await world.io('send', () => sendOnce(orderOf(body), key.toString('hex')));
      }),
  }),
  fixture('plain: reads a file', {
    ...common,
    max: 60,
    handler: (world, { sendOnce }) =>
      each(async ({ body }) => {
        await readFile(new URL(import.meta.url), 'utf8');
        await world.io('send', () => sendOnce(orderOf(body), orderOf(body)));
        await readFile(new URL(import.meta.url), 'utf8');
      }),
  }),
  fixture('plain: gives a call up after two seconds, and tries again under the same key', {
    ...common,
    handler: (world, { sendOnce }) =>
      each(async ({ body }) => {
        for (let attempt = 1; attempt <= 3; attempt++) {
          const late = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), 2000));
          const answer = await Promise.race([late, world.io('send', () => sendOnce(orderOf(body), orderOf(body)))]);
          if (answer !== 'late') return;
        }
        throw new Error('it does not answer');
      }),
  }),
  ...(['retry', 'park'] as const).map((onAbandoned) =>
    fixture(`HTTP: under '${onAbandoned}'`, {
      ...common,
      callers: { event: post },
      handler: (world, { send, sendOnce }) =>
        onceOverHttp(
          { ...world.options, operation: 'pay', caller: 'anyone', key: headerKey(), onAbandoned },
          async ({ body }: Post, _: InvocationContext, { effectKey }) => {
            const orderId = orderOf(body);
            await world.io('pay', () => (onAbandoned === 'park' ? send(orderId) : sendOnce(orderId, effectKey)));
            return { statusCode: 201 };
          },
        ),
    }),
  ),
  fixture('HTTP: by the middleware, with Middy', {
    ...common,
    callers: { event: post },
    handler: (world, { send }) =>
      middy(async ({ body }: Post) => {
        await world.io('pay', () => send(orderOf(body)));
        return { statusCode: 201 };
      }).use(
        httpOnce<Post>({ ...world.options, operation: 'pay', caller: 'anyone', key: headerKey(), onAbandoned: 'park' }),
      ),
  }),
  ...(['retry', 'park'] as const).map((onAbandoned) =>
    fixture(`once: under '${onAbandoned}'`, {
      ...common,
      callers: {},
      handler: (world, { send, sendOnce }) => {
        const pay = once<Order, string>(
          { ...world.options, operation: 'pay', key: ({ orderId }) => orderId, onAbandoned },
          async ({ orderId }, { effectKey }) => {
            await world.io('pay', () => (onAbandoned === 'park' ? send(orderId) : sendOnce(orderId, effectKey)));
            return 'paid';
          },
        );
        return (input: Order) => pay(input);
      },
    }),
  ),
  fixture('HTTP, plain: a table row that holds the key and the payment', {
    ...common,
    callers: { event: post },
    messages: [...one, ...one],
    handler:
      (world, { sendOnce }) =>
      async ({ body }: Post) => {
        await world.io('insert', () => sendOnce(orderOf(body), orderOf(body)));
        return { statusCode: 201 };
      },
  }),
];
