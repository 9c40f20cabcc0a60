import { headerKey, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { once, RejectedError, RetryableError, reconcile } from '../../../lib/pawl/index.ts';
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
import { common, type Fixture, fixture, group, type Ledger, type Order, one, order, orderOf } from './fixture.ts';

/*
 * Handlers that look right, and are not: pawl's, and plain ones. docs/guides/testing.md lists them.
 */

/** What a consumer of pawl has here, unless it says otherwise. */
const pawl = (world: World): SqsOptions<Order> => ({
  ...world.options,
  operation: 'send',
  key: bodyField('orderId'),
  onAbandoned: 'park',
  deadLetters: deadLetterQueue(world.deadLetterQueueUrl),
});

/** A plain handler for each record, which reports the failed ones. */
const each = (handle: (record: SqsEvent['Records'][number]) => Promise<unknown>) => async (event: SqsEvent) => {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of event.Records) {
    try {
      await handle(record);
    } catch {
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  return { batchItemFailures };
};

/** A payment as a client sends it: the key is the same at every attempt. */
const post = ({ body }: { readonly body: unknown }) =>
  apiGatewayV2({ body: JSON.stringify(body), headers: { 'Idempotency-Key': `"${orderOf(body)}"` } });

type Post = ReturnType<typeof post>;

export const broken: readonly Fixture[] = [
  fixture(
    'drops messages older than a minute',
    {
      ...common,
      messages: one,
      handler: (world, { sendOnce }) =>
        each(async ({ body, attributes }) => {
          const { SentTimestamp } = attributes as { SentTimestamp?: string };
          if (Date.now() - Number(SentTimestamp) > 60_000) return;
          await world.io('send', () => sendOnce(orderOf(body), orderOf(body)));
        }),
    },
    { harm: 'lost' },
  ),
  fixture(
    'has a key with the time of sending, and a producer that sends twice',
    {
      ...common,
      handler: (world, { send }) =>
        eachMessage<Order>(
          {
            ...pawl(world),
            key: ({ body, record }) =>
              `${body.orderId}-${(record.attributes as { SentTimestamp?: string }).SentTimestamp}`,
          },
          ({ body }) => world.io('send', () => send(body.orderId)),
        ),
    },
    { harm: 'doubled', always: true },
  ),
  fixture(
    'has a key with the count of receives',
    {
      ...common,
      messages: one,
      handler: (world, { sendOnce }) =>
        each(({ body, attributes }) =>
          world.io('send', () => sendOnce(orderOf(body), `${orderOf(body)}-${attributes.ApproximateReceiveCount}`)),
        ),
    },
    { harm: 'doubled' },
  ),
  fixture(
    'has a key with the receipt handle',
    {
      ...common,
      messages: one,
      handler: (world, { sendOnce }) =>
        each(({ body, receiptHandle }) => world.io('send', () => sendOnce(orderOf(body), receiptHandle))),
    },
    { harm: 'doubled' },
  ),
  fixture(
    'believes "not applied" at once: reconcile with settleMs: 0',
    {
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
              settleMs: 0,
            }),
          },
          ({ body }) => world.io('send', () => send(body.orderId)),
        ),
    },
    { harm: 'doubled' },
  ),
  fixture(
    'checks, and then acts',
    {
      ...common,
      handler: (world, { send, wasSent }) =>
        each(async ({ body }) => {
          const orderId = orderOf(body);
          if (await world.io('wasSent', () => wasSent(orderId))) return;
          await world.io('send', () => send(orderId));
        }),
    },
    { harm: 'doubled', always: true },
  ),
  fixture(
    'runs a group of a FIFO queue backwards',
    {
      ...common,
      messages: group,
      handler:
        (world, { sendOnce }) =>
        async ({ Records }: SqsEvent) => {
          for (const { body } of Records.toReversed())
            await world.io('send', () => sendOnce(orderOf(body), orderOf(body)));
        },
    },
    { harm: 'out-of-order', always: true },
  ),
  fixture(
    'runs a group of a FIFO queue side by side, and returns what failed',
    {
      ...common,
      messages: group,
      handler: (world, { sendOnce }) =>
        each(({ body }) => world.io('send', () => sendOnce(orderOf(body), orderOf(body)))),
    },
    { harm: 'out-of-order' },
  ),
  fixture(
    'stops a group at a message that can never run, until the receives of the rest are used up',
    {
      ...common,
      messages: [order('poison', { messageGroupId: 'customer-1' }), ...group],
      expected: (_, { body }) => (orderOf(body) === 'poison' ? 'dead-letter' : 1),
      handler:
        (world, { sendOnce }) =>
        async ({ Records }: SqsEvent) => {
          for (const [index, { body }] of Records.entries()) {
            try {
              const orderId = orderOf(body);
              if (orderId === 'poison') throw new Error('it can never run');
              await world.io('send', () => sendOnce(orderId, orderId));
            } catch {
              return {
                batchItemFailures: Records.slice(index).map(({ messageId }) => ({ itemIdentifier: messageId })),
              };
            }
          }
          return { batchItemFailures: [] };
        },
    },
    { harm: 'never-ran', always: true },
  ),
  fixture(
    'rejects one of its messages, always',
    {
      ...common,
      handler: (world, { send }) =>
        eachMessage<Order>(pawl(world), async ({ body }) => {
          if (body.orderId === 'o-2') throw new RejectedError('an odd order');
          await world.io('send', () => send(body.orderId));
        }),
    },
    { harm: 'dead-lettered', always: true },
  ),
  fixture(
    'makes a RejectedError of every error',
    {
      ...common,
      messages: one,
      handler: (world, { sendOnce }) =>
        eachMessage<Order>(pawl(world), async ({ body }, { effectKey }) => {
          try {
            await world.io('send', () => sendOnce(body.orderId, effectKey));
          } catch (cause) {
            throw new RejectedError('it failed', { cause });
          }
        }),
    },
    { harm: 'dead-lettered' },
  ),
  fixture(
    'has no room for one of its messages: its schema refuses it',
    {
      ...common,
      handler: (world, { send }) =>
        eachMessage<Order>(
          {
            ...pawl(world),
            key: ({ body }) => (body.orderId === 'o-2' ? '' : body.orderId),
          },
          ({ body }) => world.io('send', () => send(body.orderId)),
        ),
    },
    { harm: 'dead-lettered', always: true },
  ),
  fixture(
    'sends one digest of a batch, under the key of its first message',
    {
      ...common,
      messages: ['o-1', 'o-2', 'o-3', 'o-4'].map((id) => order(id)),
      handler: (world, { sendOnce }) => {
        const digest = once<readonly string[], void, false>(
          {
            ...world.options,
            operation: 'digest',
            key: ([first = '']) => first,
            fingerprint: (ids) => ids.join(' '),
            onAbandoned: 'retry',
            recordResult: false,
          },
          (ids, { effectKey }) =>
            world.io('send', async () => {
              for (const id of ids) await sendOnce(id, `${effectKey} ${id}`);
            }),
        );
        return ({ Records }: SqsEvent) => digest(Records.map(({ body }) => orderOf(body)));
      },
    },
    { harm: 'dead-lettered' },
  ),
  fixture(
    'remembers for ten minutes, and the queue keeps a repetition for days',
    {
      ...common,
      messages: [order('o-1'), order('o-1')],
      handler: (world, { send }) =>
        eachMessage<Order>({ ...pawl(world), retentionSeconds: 600 }, ({ body }) =>
          world.io('send', () => send(body.orderId)),
        ),
    },
    { harm: 'doubled', always: true },
  ),
  fixture(
    "remembers what it has done in its worker's memory",
    {
      ...common,
      messages: one,
      handler: (world, { send }) => {
        const seen = new Set<string>();
        return each(async ({ body }) => {
          if (seen.has(orderOf(body))) return;
          await world.io('send', () => send(orderOf(body)));
          seen.add(orderOf(body));
        });
      },
    },
    { harm: 'doubled' },
  ),
  fixture(
    'marks a message as done, and then does it',
    {
      ...common,
      messages: one,
      handler: (world, { send, take }) =>
        each(async ({ body }) => {
          if (!(await world.io('take', () => take(orderOf(body))))) return;
          await world.io('send', () => send(orderOf(body)));
        }),
    },
    { harm: 'lost' },
  ),
  fixture(
    'locks for ten seconds what takes twenty',
    {
      ...common,
      messages: [order('o-1'), order('o-1')],
      visibilityTimeoutMs: 30_000,
      maxReceiveCount: 12,
      handler: (world, { send, takenAt, take, release }) =>
        each(async ({ body }) => {
          const orderId = orderOf(body);
          const since = await world.io('takenAt', () => takenAt(orderId));
          if (since !== undefined && Date.now() - since < 10_000) throw new Error('locked');
          await world.io('take', () => take(orderId));
          await world.io('send', () => send(orderId), { takesMs: 20_000 });
          await world.io('release', () => release(orderId));
        }),
    },
    { harm: 'doubled', always: true },
  ),
  fixture(
    'misspells batchItemFailures',
    {
      ...common,
      messages: one,
      handler: (world, { sendOnce }) => {
        const handle = each(({ body }) => world.io('send', () => sendOnce(orderOf(body), orderOf(body))));
        return async (event: SqsEvent) => ({ batchItemFailure: (await handle(event)).batchItemFailures });
      },
    },
    { harm: 'lost' },
  ),
  fixture(
    'answers how its promises were settled, which Lambda does not read',
    {
      ...common,
      messages: one,
      handler:
        (world, { sendOnce }) =>
        ({ Records }: SqsEvent) =>
          Promise.allSettled(Records.map(({ body }) => world.io('send', () => sendOnce(orderOf(body), orderOf(body))))),
    },
    { harm: 'lost' },
  ),
  fixture(
    'takes its own time-out for a failure, and tries again under another key',
    {
      ...common,
      messages: one,
      handler: (world, { sendOnce }) =>
        each(async ({ body }) => {
          for (const attempt of [1, 2]) {
            const late = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), 2000));
            const answer = await Promise.race([
              late,
              world.io('send', () => sendOnce(orderOf(body), `${orderOf(body)}-${attempt}`)),
            ]);
            if (answer !== 'late') return;
          }
          throw new Error('it does not answer');
        }),
    },
    { harm: 'doubled' },
  ),
  fixture(
    'drops what comes before the order that it belongs to',
    {
      ...common,
      messages: [order('o-1'), { body: { orderId: 'o-1-paid' } }],
      handler: (world, { sendOnce, wasSent }) =>
        each(async ({ body }) => {
          const orderId = orderOf(body);
          const placed = !orderId.endsWith('-paid') || (await world.io('wasSent', () => wasSent('o-1')));
          if (placed) await world.io('send', () => sendOnce(orderId, orderId));
        }),
    },
    { harm: 'lost', always: true },
  ),
  fixture(
    'never ends one of its messages',
    {
      ...common,
      maxReceiveCount: 1000,
      handler: (world, { sendOnce }) =>
        each(async ({ body }) => {
          if (orderOf(body) === 'o-2') throw new Error('not now');
          await world.io('send', () => sendOnce(orderOf(body), orderOf(body)));
        }),
      max: 20,
    },
    { harm: 'stuck', always: true },
  ),
  fixture(
    'says that nothing was applied, of a time-out',
    {
      ...common,
      messages: one,
      handler: (world, { send }) =>
        eachMessage<Order>(pawl(world), async ({ body }) => {
          await world
            .io('send', () => send(body.orderId))
            .catch((cause) => {
              throw new RetryableError('it did not answer', { cause });
            });
        }),
    },
    { harm: 'doubled' },
  ),
  fixture(
    'HTTP: pays as often as it is asked',
    {
      ...common,
      callers: { event: post },
      messages: one,
      handler:
        (world, { send }) =>
        async ({ body }: Post) => {
          await world.io('pay', () => send(orderOf(body)));
          return { statusCode: 201 };
        },
    },
    { harm: 'doubled' },
  ),
  fixture(
    'HTTP: answers before it has paid',
    {
      ...common,
      callers: { event: post },
      messages: one,
      handler:
        (world, { sendOnce }) =>
        async ({ body }: Post) => {
          void world.io('pay', () => sendOnce(orderOf(body), orderOf(body))).catch(() => undefined);
          return { statusCode: 202 };
        },
    },
    { harm: 'lost', always: true },
  ),
  fixture(
    'HTTP: makes a success of "it is under way"',
    {
      ...common,
      callers: { event: post },
      handler: (world, { sendOnce }) => {
        const pay = onceOverHttp(
          { ...world.options, operation: 'pay', caller: 'anyone', key: headerKey(), onAbandoned: 'retry' },
          async ({ body }: Post, _: InvocationContext, claim) => {
            await world.io('pay', () => sendOnce(orderOf(body), claim.effectKey));
            return { statusCode: 201 };
          },
        );
        return async (event: Post, context: InvocationContext) => {
          const response = await pay(event, context);
          return response.statusCode === 409 ? { statusCode: 200 } : response;
        };
      },
    },
    { harm: 'lost' },
  ),
  fixture(
    'HTTP: refuses with 400 what failed for a moment',
    {
      ...common,
      callers: { event: post },
      messages: one,
      handler:
        (world, { sendOnce }) =>
        async ({ body }: Post) => {
          try {
            await world.io('pay', () => sendOnce(orderOf(body), orderOf(body)));
            return { statusCode: 201 };
          } catch {
            return { statusCode: 400 };
          }
        },
    },
    { harm: 'dead-lettered' },
  ),
  fixture(
    'HTTP: its client makes a key for every attempt',
    {
      ...common,
      callers: {
        event: ({ body }, attempt) =>
          apiGatewayV2({
            body: JSON.stringify(body),
            headers: { 'Idempotency-Key': `"${orderOf(body)}-${attempt}"` },
          }),
      },
      messages: one,
      handler: (world, { sendOnce }) =>
        onceOverHttp(
          { ...world.options, operation: 'pay', caller: 'anyone', key: headerKey(), onAbandoned: 'retry' },
          async ({ body }: Post, _: InvocationContext, claim) => {
            await world.io('pay', () => sendOnce(orderOf(body), claim.effectKey));
            return { statusCode: 201 };
          },
        ),
    },
    { harm: 'doubled' },
  ),
  fixture(
    "once: takes 'in-flight' for done",
    {
      ...common,
      callers: { understands: () => 'done' },
      handler: (world, { sendOnce }: Ledger) => {
        const pay = once<Order, void>(
          { ...world.options, operation: 'pay', key: ({ orderId }) => orderId, onAbandoned: 'retry' },
          ({ orderId }, { effectKey }) => world.io('pay', () => sendOnce(orderId, effectKey)),
        );
        return (order: Order, context: InvocationContext) =>
          pay.outcome(order, { remainingMs: () => context.getRemainingTimeInMillis() });
      },
    },
    { harm: 'lost' },
  ),
];
