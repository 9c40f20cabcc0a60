import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStore, RejectedError } from '../../../lib/pawl/index.ts';
import { deadLetterQueue, eachMessage, type SqsOptions } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { messageGroup } from '../../support/fifo-queue.ts';
import { context } from '../../support/lambda.ts';
import { startQueues } from '../../support/queues.ts';

let queues: Awaited<ReturnType<typeof startQueues>>;
beforeEach(async () => {
  queues = await startQueues(10);
});
afterEach(() => queues.stop());

type Numbered = { n: number };

function consumerOf(handle: (n: number) => unknown, options: Partial<SqsOptions<Numbered>> = {}) {
  const ran: number[] = [];
  const handler = eachMessage<Numbered>(
    {
      operation: 'post-payment',
      store: memoryStore(),
      key: ({ body }) => body.n,
      onAbandoned: 'retry',
      deadLetters: deadLetterQueue(queues.deadLetters.url),
      aws: sdk({ sqs: queues.functionClient }),
      backoffSeconds: () => 1,
      onEvent: () => undefined,
      ...options,
    },
    async ({ body }) => {
      ran.push(body.n);
      await handle(body.n);
    },
  );
  return { ran, handler };
}

async function deadLetters(): Promise<readonly string[]> {
  const { Records } = await queues.receive(queues.deadLetters);
  return Records.map(
    ({ body, messageAttributes }) => `${JSON.parse(body).n}: ${messageAttributes['pawl-reason']?.stringValue}`,
  ).sort();
}

const send = async (count: number) => {
  for (let n = 1; n <= count; n++) await queues.send({ n });
};

describe('a message group with the defaults, ten a batch and ten receives', () => {
  it('goes on behind a head that keeps failing, when that has had half of the receives', async () => {
    await send(5);
    const { receives, drain } = messageGroup(queues);
    const { ran, handler } = consumerOf((n) => {
      if (n === 1) throw new Error('account closed');
    });
    await drain((event) => handler(event, context()), 40_000);
    expect(ran).toEqual([1, 1, 1, 1, 1, 2, 3, 4, 5]);
    expect([...receives.values()]).toEqual([5, 5, 5, 5, 5]);
    expect(await deadLetters()).toEqual(['1: receives-used-up']);
  });

  it('buries in order what can never run, and goes on at once', async () => {
    await send(7);
    const { receives, drain } = messageGroup(queues);
    const { ran, handler } = consumerOf((n) => {
      if (n <= 5) throw new RejectedError('account closed');
    });
    await drain((event) => handler(event, context()), 20_000);
    expect(ran).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect([...receives.values()]).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(await deadLetters()).toEqual([1, 2, 3, 4, 5].map((n) => `${n}: rejected`));
  });

  it('sets nothing aside unrun when two heads in a row keep failing', async () => {
    await send(4);
    const { drain } = messageGroup(queues);
    const { ran, handler } = consumerOf((n) => {
      if (n <= 2) throw new Error('account closed');
    });
    await drain((event) => handler(event, context()), 40_000);
    expect(ran).toEqual([1, 1, 1, 1, 1, 2, 3, 4]);
    expect(await deadLetters()).toEqual(['1: receives-used-up', '2: receives-used-up']);
  });
});

it('ten healthy messages on a standard queue, of which an invocation manages one, all run within five receives', async () => {
  await send(10);
  const receives = new Map<number, number>();
  const { ran, handler } = consumerOf(() => sleep(900), { concurrency: 1, timeoutMs: 1000, marginMs: 100 });
  while (ran.length < 10) {
    const { received } = await queues.deliver((event) => {
      for (const { body, attributes } of event.Records) {
        receives.set(JSON.parse(body).n, Number(attributes.ApproximateReceiveCount));
      }
      return handler(event, context(1500));
    });
    if (received === 0) await sleep(100);
  }
  expect(ran.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(Math.max(...receives.values())).toBeLessThanOrEqual(4);
  expect(await deadLetters()).toEqual([]);
});

it('a copy of what was set aside does not overtake those that were behind it', async () => {
  await send(4);
  await queues.send({ n: 1 });
  const { drain } = messageGroup(queues);
  let failing = true;
  const store = memoryStore();
  const { ran, handler } = consumerOf(
    (n) => {
      if (n === 1 && failing) throw new Error('account closed');
      if (n === 4) failing = false;
    },
    { store },
  );
  await drain((event) => handler(event, context()), 40_000);
  expect(ran).toEqual([1, 1, 1, 1, 1, 2, 3, 4]);
  expect(store.records().find(({ id }) => id === 'post-payment#1')).toMatchObject({
    status: 'parked',
    error: { name: 'set-aside', message: 'Error: account closed' },
  });
  expect((await deadLetters()).length).toBeGreaterThan(0);
});
