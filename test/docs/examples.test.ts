import { describe, expect, test } from 'vitest';
import { blocksOf, blockWith, guides } from '../../checks/docs/pages.ts';
import { type Claim, memoryStore, once, step } from '../../lib/pawl/index.ts';
import { operator } from '../../lib/pawl/operate/index.ts';
import { bodyField, eachMessage, type SqsEvent, type SqsOptions } from '../../lib/pawl/sqs/index.ts';
import {
  assertSurvivesCrashes,
  type CrashSweepOptions,
  crashSweep,
  type SweptHandler,
  type World,
} from '../../lib/testing/index.ts';
import { apiGatewayV2 } from '../support/http-events.ts';
import { firstOf } from '../support/whole.ts';
import { type Example, exampleOf, type Names } from './run-example.ts';
import { createOutside, type Outside, wired } from './swept-world.ts';

type Order = { readonly orderId: string };

/** How the handler of a world is made from an example, and what a reader has and the example does not show. */
interface Sweep {
  readonly guide: string;
  /** What tells the example from the others of its guide. */
  readonly text: string;
  readonly handler: (run: Example, world: World, outside: Outside) => SweptHandler;
  /** How often the effects of a message have happened. */
  readonly effects?: (outside: Outside, orderId: string) => Record<string, number> | number;
}

/** An example that exports a handler. */
const exported =
  (given: (world: World, outside: Outside) => Names) =>
  (run: Example, world: World, outside: Outside): SweptHandler => {
    const module = run({ ...wired(world, outside), ...given(world, outside) });
    return async (event, context) => {
      const { handler } = (await module) as { readonly handler: (event: unknown, context: unknown) => unknown };
      return handler(event, context);
    };
  };

/** An example of what is inside of a handler, run by a consumer around it. */
const inside =
  (
    given: (world: World, outside: Outside, orderId: string, claim: Claim) => Names,
    options: Partial<SqsOptions<Order>> = {},
  ) =>
  (run: Example, world: World, outside: Outside): SweptHandler =>
    eachMessage<Order>(
      { ...world.options, operation: 'around', key: bodyField('orderId'), onAbandoned: 'retry', ...options },
      async ({ body }, claim) => {
        await run({ ...wired(world, outside), ...given(world, outside, body.orderId, claim) });
      },
    );

/** A handler of requests over HTTP, whose client sends each message as a request, and again until it is told that it is done. */
const overHttp = (handle: SweptHandler): SweptHandler => {
  const asked = handle as (event: object, context: unknown) => Promise<{ readonly statusCode: number }>;
  return (async ({ Records }: SqsEvent, context: unknown) => {
    for (const { body } of Records) {
      const sent = apiGatewayV2({ headers: { 'idempotency-key': JSON.stringify(JSON.parse(body).orderId) }, body });
      const authorizer = { jwt: { claims: { sub: 'customer-1' }, scopes: [] } };
      const { statusCode } = await asked({ ...sent, requestContext: { ...sent.requestContext, authorizer } }, context);
      if (statusCode >= 400) throw new Error(String(statusCode));
    }
  }) as SweptHandler;
};

/** A batch handler as people have them, whose mailer knows a mail by its order. */
const existing = (world: World, outside: Outside) => async (event: SqsEvent) => {
  for (const { body } of event.Records) {
    const { orderId } = JSON.parse(body) as Order;
    await world.io('mailer.send', () => outside.act(orderId, orderId));
  }
};

const Order = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
};

const sweeps: readonly Sweep[] = [
  {
    guide: 'docs/guides/from-a-table.md',
    text: 'wasDone(',
    handler: exported((world, outside) => ({
      wasDone: (orderId: string) => world.io('table.read', () => orderId === 'done before'),
      sendMail: ({ orderId }: Order) => world.io('mailer.send', () => outside.repeat(orderId, 'none')),
    })),
  },
  {
    guide: 'docs/guides/from-fifo.md',
    text: 'book(body',
    handler: exported((world, outside) => ({
      book: ({ orderId }: Order, effectKey: string) => world.io('ledger.book', () => outside.act(orderId, effectKey)),
    })),
  },
  {
    guide: 'README.md',
    text: 'giftCards.issue(body',
    handler: exported((world, outside) => ({
      Order,
      giftCards: {
        issue: ({ orderId }: Order, { idempotencyKey }: { idempotencyKey: string }) =>
          world.io('giftCards.issue', () => outside.act(orderId, idempotencyKey)),
      },
    })),
  },
  {
    guide: 'README.md',
    text: 'middy(existingBatchHandler',
    handler: exported((world, outside) => ({ existingBatchHandler: existing(world, outside) })),
  },
  {
    guide: 'docs/guides/http.md',
    text: 'await payments.refund(JSON.parse(event.body',
    handler: (run, world, outside) =>
      overHttp(
        exported(() => ({
          payments: {
            refund: ({ orderId }: Order, { idempotencyKey }: { idempotencyKey: string }) =>
              world.io('payments.refund', () => outside.act(orderId, idempotencyKey)),
          },
        }))(run, world, outside),
      ),
  },
  {
    guide: 'docs/guides/http.md',
    text: 'httpOnce(',
    handler: (run, world, outside) =>
      overHttp(
        exported(() => ({
          accountOf: () => 'customer-1',
          async refund({ body }: { body: string }) {
            const { orderId } = JSON.parse(body) as Order;
            await world.io('payments.refund', () => outside.act(orderId, orderId));
            return { statusCode: 201 };
          },
        }))(run, world, outside),
      ),
  },
  {
    guide: 'docs/guides/policies.md',
    text: 'reconcile(',
    handler: asking,
  },
  {
    guide: 'docs/guides/policies.md',
    text: 'classify(',
    handler(run, world, outside) {
      class ProviderError extends Error {
        readonly status = 429;
      }
      let calls = 0;
      const module = run({ ProviderError });
      return consuming(
        world,
        outside,
        async () => ({ ...(await module), onAbandoned: 'park' }),
        () => {
          if (++calls === 1) throw new ProviderError('slow down');
        },
      );
    },
  },
  {
    guide: 'docs/guides/powertools.md',
    text: 'besidePowertools(claims',
    handler: exported((world, outside) => ({
      // Of Powertools' records: test/suites/integration/powertools.
      besidePowertools: (store: object) => store,
      sendMail: ({ orderId }: Order) => world.io('mailer.send', () => outside.act(orderId, orderId)),
    })),
  },
  {
    guide: 'docs/guides/producers.md',
    text: "entityKey('payment'",
    handler: inside((_, __, orderId) => ({ payment: { id: orderId } })),
    effects: (outside, orderId) => outside.done.filter(({ key }) => key === `payment/${orderId}/refund`).length,
  },
  {
    guide: 'docs/guides/producers.md',
    text: 'sentKey()',
    handler: exported((world, outside) => ({
      refund: ({ body }: { body: Order }) => world.io('payments.refund', () => outside.act(body.orderId, body.orderId)),
    })),
  },
  {
    guide: 'docs/guides/producers.md',
    text: 'requestKey()',
    handler(run, world, outside) {
      const names = wired(world, outside);
      const sendOnce = names['sendOnce'] as (options: object) => unknown;
      const send = sendOnce({ operation: 'newsletter', store: world.options.store, queueUrl: 'https://sqs/mails' });
      return inside((_, __, orderId) => ({
        send,
        run: { date: '2026-11-21' },
        customer: { id: orderId },
        body: {},
        requestKey: () => `${orderId} ${world.options.host.randomId()}`,
      }))(run, world, outside);
    },
    effects: (outside, orderId) => outside.done.filter(({ key }) => key?.startsWith(orderId)).length,
  },
  {
    guide: 'docs/guides/transactions.md',
    text: 'eachTransaction<Payment>',
    handler: exported(() => ({
      bodyField: () => bodyField('orderId'),
      debitOf: ({ orderId }: Order) => ({ id: `${orderId} debit` }),
      creditOf: ({ orderId }: Order) => ({ id: `${orderId} credit` }),
    })),
    effects: ({ transactions: { put } }, orderId) => ({
      debit: put.filter(({ id }) => id === `${orderId} debit`).length,
      credit: put.filter(({ id }) => id === `${orderId} credit`).length,
    }),
  },
  {
    guide: 'docs/guides/transactions.md',
    text: 'inPhases({',
    handler: exported((world, outside) => ({
      TableName: 'payouts',
      bodyField: () => bodyField('orderId'),
      bank: {
        transfer: ({ orderId }: Order, { idempotencyKey }: { idempotencyKey: string }) =>
          world.io('bank.transfer', () => outside.act(orderId, idempotencyKey)),
      },
    })),
    effects: (outside, orderId) => ({
      transfer: outside.times(orderId),
      paid: outside.transactions.put.filter(({ transfer }) => transfer === `done ${orderId}`).length,
    }),
  },
  {
    guide: 'docs/guides/transactions.md',
    text: "step(claim, 'charge'",
    handler: inside((world, outside, orderId, claim) => ({
      claim,
      order: { id: orderId },
      cards: {
        charge: ({ id }: { id: string }, { effectKey }: { effectKey: string }) =>
          world.io('cards.charge', () => outside.act(id, effectKey)),
      },
      mailer: { send: (mail: string) => world.io('mailer.send', () => outside.repeat(mail, mail)) },
      receiptOf: () => `receipt ${orderId}`,
    })),
    effects: (outside, orderId) => ({ charge: outside.times(orderId), mail: outside.times(`receipt ${orderId}`) }),
  },
  {
    guide: 'docs/guides/wrap.md',
    text: 'middy(existingBatchHandler',
    handler: exported((world, outside) => ({ existingBatchHandler: existing(world, outside) })),
  },
  {
    guide: 'docs/guides/wrap.md',
    text: 'claim.effect(',
    handler: exported((world, outside) => ({
      Order,
      sendMail: ({ orderId }: Order) => world.io('mailer.send', () => outside.repeat(orderId, 'none')),
    })),
  },
  {
    guide: 'docs/guides/wrap.md',
    text: 'const refund = once(',
    handler: (run, world, outside) =>
      (async ({ Records }: SqsEvent) => {
        for (const { body } of Records) {
          const { orderId } = JSON.parse(body) as Order;
          const said: string[] = [];
          await run({
            ...wired(world, outside),
            provider: {
              refund: (id: string, { idempotencyKey }: { idempotencyKey: string }) =>
                world.io('provider.refund', () => outside.act(`${orderId} ${id}`, idempotencyKey)),
            },
            console: { log: (line: string) => said.push(line) },
          });
          if (said.some((line) => line.startsWith('ask again'))) throw new Error('the caller asks again');
        }
      }) as SweptHandler,
    effects: (outside) => outside.done.filter(({ id }) => id.endsWith('payment-1234')).length,
  },
  ...(['mails', 'cards'] as const).map(
    (name): Sweep => ({
      guide: 'docs/guides/testing.md',
      text: 'export const mails',
      handler(run, world, outside) {
        const send = (orderId: string, key: string) => world.io('mailer.send', () => outside.act(orderId, key));
        const module = run({
          existing: () => existing(world, outside),
          issueCard: ({ orderId }: Order) => send(orderId, orderId),
        });
        return async (event, context) => {
          const exports = (await module) as Record<typeof name, (world: World, provider: unknown) => SweptHandler>;
          return exports[name](world, {})(event, context);
        };
      },
    }),
  ),
];

/** A consumer under the policy of an example, which asks the provider of gift cards. */
function asking(run: Example, world: World, outside: Outside): SweptHandler {
  const findByKey = (key: string) => world.io('giftCards.findByKey', () => outside.done.find((one) => one.key === key));
  const policy = run({ giftCards: { findByKey } });
  return consuming(world, outside, () => policy);
}

/** A consumer with the options of an example, whose provider ignores the keys that it is given. */
function consuming(
  world: World,
  outside: Outside,
  optionsOf: () => Promise<object>,
  before: () => void = () => undefined,
): SweptHandler {
  return async (event, context) => {
    const handler = eachMessage<Order>(
      {
        ...world.options,
        operation: 'issue',
        key: bodyField('orderId'),
        onAbandoned: 'park',
        ...(await optionsOf()),
      },
      async ({ body }, claim) => {
        before();
        const card = await world.io('giftCards.issue', () => outside.repeat(body.orderId, claim.effectKey));
        return card.id;
      },
    );
    return handler(event, context);
  };
}

describe('an example survives crashes, errors, lost answers and hanging calls at every await, as it is printed', () => {
  test.each(sweeps.map((sweep) => [sweep.guide, sweep.text, sweep] as const))(
    '%s: %s',
    async (guide, text, { handler, effects }) => {
      const run = await exampleOf(guide, text);
      const counted: CrashSweepOptions<Outside>['effects'] = (outside, { body }) => {
        const { orderId } = body as Order;
        return effects?.(outside, orderId) ?? outside.times(orderId);
      };
      const report = await crashSweep<Outside>({
        messages: [{ body: { orderId: 'o-1' }, messageAttributes: { 'idempotency-key': 'o-1' } }],
        provider: createOutside,
        handler: (world, outside) => handler(run, world, outside),
        effects: counted,
        maxReceiveCount: 10,
        max: firstOf(300, { first: 40 }),
      });
      expect(report).toMatchObject({ doubled: [], lost: [], stuck: [] });
      expect(report.runs).toBeGreaterThan(20);
    },
    60_000,
  );
});

test('the sweep catches an example whose provider does not honour the key that it is given', async () => {
  const run = await exampleOf('README.md', 'giftCards.issue(body');
  const ignorant = exported((world, outside) => ({
    Order,
    giftCards: { issue: ({ orderId }: Order) => world.io('giftCards.issue', () => outside.act(orderId)) },
  }));
  const report = await crashSweep<Outside>({
    messages: [{ body: { orderId: 'o-1' } }],
    provider: createOutside,
    handler: (world, outside) => ignorant(run, world, outside),
    effects: (outside) => outside.times('o-1'),
    max: 100,
  });
  expect(report.doubled.length).toBeGreaterThan(0);
});

/** The kit's own number of runs in the long tests, as on the page. */
const part: typeof assertSurvivesCrashes = (options) =>
  assertSurvivesCrashes({ ...options, max: firstOf(1000, { first: 100 }) });

test('the sweep of the testing page passes as it is printed', async () => {
  const run = await exampleOf('docs/guides/testing.md', 'no order is mailed twice');
  const swept: Promise<void>[] = [];
  await run({ test: (_: string, body: () => Promise<void>) => swept.push(body()), assertSurvivesCrashes: part });
  expect(swept).toHaveLength(1);
  await Promise.all(swept);
});

test('the sweeps with callers of the testing page pass as they are printed, with a bank that honours the key', async () => {
  const run = await exampleOf('docs/guides/testing.md', 'callers: {');
  let payments = 0;
  const fakeBank = () => {
    const paid: { readonly key: string; readonly id: string }[] = [];
    return {
      paid,
      async pay({ id }: { readonly id: string }, key: string) {
        payments++;
        if (!paid.some((one) => one.key === key)) paid.push({ key, id });
      },
    };
  };
  await run({ fakeBank, assertSurvivesCrashes: part });
  expect(payments).toBeGreaterThan(0);
});

const resolutions: readonly (readonly [guide: string, orderId: string, runs: number])[] = [
  ['docs/guides/recover.md', 'order-17', 0],
  ['docs/guides/recover.md', 'order-18', 1],
  ['docs/guides/recover.md', 'order-19', 1],
  ['docs/reference/command-line.md', 'order-17', 0],
];

test.each(resolutions)('%s: parked.resolve of %s does what its comment says', async (guide, orderId, times) => {
  const store = memoryStore();
  let fails = true;
  let runs = 0;
  const send = once(
    { operation: 'send-email', store, key: (id: string) => id, onAbandoned: 'park', onEvent: () => undefined },
    () => {
      if (fails) throw new Error('socket hang up');
      runs++;
    },
  ).outcome;
  const parked = ['order-17', 'order-18', 'order-19'];
  for (const id of parked) await expect(send(id)).rejects.toThrow('socket hang up');
  fails = false;
  await (await exampleOf(guide, 'it is in the outbox'))({ store });
  expect(await send(orderId)).toMatchObject({ outcome: 'completed' });
  expect(runs).toBe(times);
});

test('docs/guides/recover.md: of two steps in doubt, the one that was applied is not run, and the other is', async () => {
  const store = memoryStore();
  const options = { operation: 'pay', store, onAbandoned: 'retry', onEvent: () => undefined } as const;
  let fails = true;
  const ran: string[] = [];
  const run = (name: string) => () => {
    if (fails) throw new Error('socket hang up');
    ran.push(name);
    return { id: name };
  };
  const order = once({ ...options, key: (id: string) => id }, async (_, claim) => {
    const park = { onAbandoned: 'park' } as const;
    const [charge] = await Promise.all([
      step(claim, 'charge', run('charge'), park),
      step(claim, 'receipt', run('mail'), park),
    ]);
    return charge;
  }).outcome;
  await expect(order('order-17')).rejects.toThrow();
  fails = false;
  const resolve = await exampleOf('docs/guides/recover.md', 'the card was charged, the mail was not sent');
  await resolve({ operate: operator({ store, onEvent: () => undefined }) });
  expect(await order('order-17')).toMatchObject({ outcome: 'completed', result: { id: 'ch_1' } });
  expect(ran).toEqual(['mail']);
});

/** Examples that are run elsewhere, or have no effect of their own. */
const others: readonly (readonly [guide: string, text: string])[] = [
  ['docs/guides/locks.md', 'forEachItem('], // locks-example.test.ts
  ['docs/guides/testing.md', 'no order is mailed twice'],
  ['docs/guides/testing.md', 'callers: {'],
  ['docs/guides/recover.md', 'it is in the outbox'],
  ['docs/tutorial/first-consumer.md', '// mailer.ts'], // tutorial.long.test.ts runs every file and command of that page, as are the next four
  ['docs/tutorial/first-consumer.md', '// deliver.ts'],
  ['docs/tutorial/first-consumer.md', '// twice.ts'],
  ['docs/tutorial/first-consumer.md', '// once.ts'],
  ['docs/tutorial/first-consumer.md', '// mails.test.ts'],
  ['docs/guides/rehearsal.md', "mailer('orderId')"], // rehearsals of a whole app, not handlers: compiled, as are the next two
  ['docs/guides/rehearsal.md', 'httpProvider({'],
  ['docs/guides/rehearsal.md', 'clockSpeed: 60'],
  ['docs/reference/command-line.md', 'it is in the outbox'],
  ['docs/guides/recover.md', 'the card was charged, the mail was not sent'],
  ['docs/guides/deployments.md', 'export const fingerprint'], // a rule, of which the tests of fingerprints are
  ['docs/guides/testing.md', 'expected: '], // an option of a sweep
  ['docs/guides/stores.md', 'export function mapStore'], // run in `stores.test.ts`, as are the next three
  ['docs/guides/stores.md', 'claimStoreLaws({'],
  ['docs/guides/stores.md', 'export function mapLockStore'],
  ['docs/guides/stores.md', 'lockStoreLaws({'],
  ['docs/guides/testing.md', 'world.wrap('], // two lines about the kit itself
  ['docs/guides/http.md', 'APIGatewayProxyHandlerV2 = onceOverHttp('], // its types are all that it shows: test/pawl/http/types.test.ts
  ['docs/guides/managed-instances.md', 'timeoutMs: 10_000'], // a provider on the network
  ['docs/guides/statements.md', 'A completed claim waits'], // the same
  ['docs/guides/statements.md', 'transactionsBetween('], // the same
  ['docs/guides/statements.md', 'await charge('], // run below
  ['docs/guides/remedies.md', 'bank.refund('], // test/suites/laws/remedies.ts makes the same calls, as of the next two
  ['docs/guides/remedies.md', 'settleReservations('],
  ['docs/guides/remedies.md', 'desk.approve('],
  ['docs/guides/remedies.md', 'satisfies Omit<'], // test/suites/integration/operate/settle-findings.test.ts has such a file
  ['docs/guides/keys.md', "hashed(process.env['KEY_SECRET'])"], // test/suites/integration/hashed-keys.test.ts
  ['docs/guides/keys.md', 'NEW_KEY_SECRET'], // test/suites/integration/rotated-keys.test.ts
  ['docs/guides/keys.md', 'KEY_SECRET_ARN'], // the secret as it is read, and no handler
  ['docs/guides/forget.md', 'done.notReached.join('], // test/pawl/operate/forget.test.ts
  ['docs/guides/wrap.md', 'metricEvents()'], // listeners around a handler that does nothing
  ['docs/guides/install.md', 'issue-card'], // run below
  ['docs/guides/once.md', 'await notify.outcome(order)'], // run in once.test.ts, as are the next five
  ['docs/guides/once.md', 'DynamoDBStreamEvent'],
  ['docs/guides/once.md', 'compositeKey('],
  ['docs/guides/once.md', 'BatchProcessor(EventType.SQS)'],
  ['docs/guides/once.md', 'EventType.KinesisDataStreams'],
  ['docs/guides/once.md', 'payOut.outcome(one)'],
  ['docs/guides/adopt.md', '// lib/send-mail.ts'], // adopt.long.test.ts, as are the next two
  ['docs/guides/adopt.md', '// lib/handler.ts'],
  ['docs/guides/adopt.md', '// test/send-mail.test.ts'],
  ['docs/guides/powertools.md', 'sendMailOnce = makeIdempotent('], // test/suites/integration/powertools/handlers.test.ts has such a handler
  ['docs/guides/powertools.md', 'moveOver('], // CDK: test/cdk
  ['docs/guides/unit-tests.md', '// src/mails.ts'], // unit-tests.long.test.ts, as are the next two
  ['docs/guides/unit-tests.md', '// test/mails.test.ts'],
  ['docs/guides/unit-tests.md', '// vitest.config.ts'],
  ['docs/guides/envelopes.md', 'console.log(metadata.sns?.topicArn)'], // the same handlers: test/pawl/sqs/envelopes.test.ts, as are the next seven
  ['docs/guides/envelopes.md', 'const envelope = [snsEnvelope(), s3Events()]'],
  ['docs/guides/envelopes.md', 'key: s3EventKey()'],
  ['docs/guides/envelopes.md', 'largePayload({'],
  ['docs/guides/envelopes.md', 'const unzipped = decoded('],
  ['docs/guides/envelopes.md', 'openedMessage<{ orderId: string }>(record)'],
  ['docs/guides/envelopes.md', 'canonicalJson(record.body)'],
  ['docs/reference/command-line.md', 'readAllRecords('], // test/suites/integration/operate/acts.test.ts makes the same calls
  ['docs/reference/command-line.md', 'await operate.planResolutions({'], // test/suites/integration/operate/incident.long.test.ts makes the same calls
  ['docs/guides/powertools-beside.md', 'new Logger({'], // run as printed in test/suites/integration/powertools-beside.test.ts, as are the next five
  ['docs/guides/powertools-beside.md', 'new Metrics({'],
  ['docs/guides/powertools-beside.md', 'new Tracer({'],
  ['docs/guides/powertools-beside.md', 'SnsSqsNotificationSchema.extend('],
  ['docs/guides/powertools-beside.md', 'EventBridgeSchema.extend('],
  ['docs/guides/powertools-beside.md', 'new BatchProcessor('],
  ['docs/guides/outbox.md', 'eachTransaction<Payment>('], // run in test/suites/integration/outbox/guide.test.ts, as are the next eight
  ['docs/guides/outbox.md', 'outboxRelay({ outbox: dynamoOutbox'],
  ['docs/guides/outbox.md', 'key: sentKey()'],
  ['docs/guides/outbox.md', 'destinations: [queues({ aws }), topics(), eventBuses()]'],
  ['docs/guides/outbox.md', 'largeBodies({'],
  ['docs/guides/outbox.md', 'outbox.prepare(['],
  ['docs/guides/outbox-postgres.md', "operation: 'enter-payment'"],
  ['docs/guides/outbox-postgres.md', 'outboxRelay({ outbox: postgresOutbox'],
  ['docs/guides/outbox-postgres.md', 'outbox.insert('],
  ['docs/guides/workflows.md', 'new SFNClient'], // test/pawl/workflows/start-once.test.ts, as are the next two
  ['docs/guides/workflows.md', "type: 'EXPRESS'"],
  ['docs/guides/workflows.md', 'await startExecution('],
  ['docs/guides/workflows.md', 'new LambdaClient'], // test/pawl/workflows/durable-functions.test.ts
  ['docs/guides/workflows.md', 'executionEnded(waiting)'], // test/pawl/workflows/waiting.test.ts
  ['docs/guides/observe.md', "mode: 'observe',"], // test/pawl/sqs/observe.test.ts, as is the next
  ['docs/guides/observe.md', 'enforce: 0.01'],
  ['docs/guides/sweep.md', 'sweepOpenClaims({'], // test/pawl/sweep/sweep.test.ts
  ['docs/guides/restore.md', 'export const store = dynamoStore({'], // test/suites/integration/restored.test.ts
  ['docs/guides/restore.md', "restored: 'lift',"], // test/suites/integration/restored-statements.long.test.ts
  ['docs/guides/aws.md', "import { dynamoStore } from 'pawl/dynamodb/lean'"], // test/suites/laws/lean-dynamodb.long.test.ts, test/suites/integration/lean-sqs.test.ts
  ['docs/guides/aws.md', 'aws: lean({ region'],
  ['docs/guides/aws.md', 'aws: sdk({ dynamodb, sqs })'],
  ['docs/guides/aws.md', 'aws: lean() }'], // test/suites/integration/lean-sqs.test.ts
  ['docs/guides/postgres.md', 'postgresMigration'], // test/suites/integration/postgres-guide.test.ts, as are the next six
  ['docs/guides/postgres.md', "operation: 'send-email'"],
  ['docs/guides/postgres.md', "operation: 'pay',"],
  ['docs/guides/postgres.md', "operation: 'pay-out'"],
  ['docs/guides/postgres.md', 'drizzleStore'],
  ['docs/guides/postgres.md', 'const locks ='],
  ['docs/guides/postgres.md', 'deleteExpired'],
  ['docs/guides/postgres.md', 'checkPostgres'], // test/suites/integration/postgres-check.test.ts
  ['docs/guides/postgres-deploy.md', 'export const pool ='],
  ['docs/guides/templates.md', 'async ({ body }) => sendEmail(body)'], // shop/templates/handler.ts, deployed by npm run e2e -- templates
];

/** Guides of which another test runs every block. */
const runWhole = ['docs/guides/powertools-handlers.md']; // test/suites/integration/powertools/handlers.test.ts

test('the quick start issues one card for an order that is asked for twice', async () => {
  const said: unknown[][] = [];
  const run = await exampleOf('docs/guides/install.md', 'issue-card');
  await run({ console: { log: (...words: unknown[]) => said.push(words) } });
  const card = { card: 'card-1' };
  expect(said).toEqual([['issues a card for order-17, with effect key issue-card#order-17'], [card, card]]);
});

test('the example of a statement prints what the page says', async () => {
  const printed: string[] = [];
  const run = await exampleOf('docs/guides/statements.md', 'await charge(');
  await run({ console: { log: (...words: string[]) => printed.push(words.join(' ')), warn: () => undefined } });
  expect(printed.toSorted()).toEqual(['differs charge#order-2', 'missing-here charge#order-3']);
});

test('every example in the guides that is no deployment is run, or is known to have no effect', () => {
  const known = [...sweeps.map(({ guide, text }) => [guide, text] as const), ...others];
  const run = new Set(known.map(([guide, text]) => `${guide} ${blockWith(guide, text).number}`));
  const rest = guides.filter((guide) => !runWhole.includes(guide));
  const left = rest.flatMap((guide) =>
    blocksOf(guide)
      .filter(({ code, given }) => !/aws-cdk-lib|@pawl\/cdk/.test(code + given))
      .map(({ number }) => `${guide} ${number}`)
      .filter((name) => !run.has(name)),
  );
  expect(left).toEqual([]);
});
