import type { ChangeMessageVisibilityBatchCommandInput } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClaimEvent, memoryStore } from '../../../lib/pawl/index.ts';
import { bodyField, eachMessage, type SqsEvent, type SqsOptions } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { context } from '../../support/lambda.ts';
import { startQueues } from '../../support/queues.ts';

let queues: Awaited<ReturnType<typeof startQueues>>;
/** The seconds of invisibility that the consumer asked SQS for. */
const asked: number[] = [];
beforeEach(async () => {
  queues = await startQueues(20);
  queues.functionClient.middlewareStack.add(
    (next, context) => (args) => {
      if (context['commandName'] === 'ChangeMessageVisibilityBatchCommand') {
        const { Entries } = args.input as ChangeMessageVisibilityBatchCommandInput;
        asked.push(...(Entries ?? []).map(({ VisibilityTimeout = -1 }) => VisibilityTimeout));
      }
      return next(args);
    },
    { step: 'initialize' },
  );
});
afterEach(() => queues.stop());

type Order = { orderId: string };

function failing(options: Partial<SqsOptions<Order>> = {}) {
  const events: ClaimEvent[] = [];
  const handler = eachMessage<Order>(
    {
      operation: 'send-email',
      store: memoryStore(),
      key: bodyField('orderId'),
      onAbandoned: 'retry',
      aws: sdk({ sqs: queues.functionClient }),
      onEvent: (event) => events.push(event),
      ...options,
    },
    () => {
      throw new Error('mail server unavailable');
    },
  );
  /** Delivers once, as if it were this receive, and answers for how long the messages were sent back. */
  async function deliver(receiveCount: number): Promise<readonly number[]> {
    events.length = 0;
    asked.length = 0;
    await queues.deliver((event: SqsEvent) => {
      const Records = event.Records.map((record) => ({
        ...record,
        attributes: { ...record.attributes, ApproximateReceiveCount: String(receiveCount) },
      }));
      return handler({ Records }, context());
    });
    return [...asked];
  }
  return { events, deliver };
}

describe('a message that failed', () => {
  it.each([
    [1, 10],
    [2, 30],
    [3, 90],
    [5, 810],
    [6, 900],
    [19, 900],
  ])('comes again after a while that grows with its receives: %i → about %i seconds', async (receiveCount, seconds) => {
    await queues.send({ orderId: 'a' });
    const [delay = 0] = await failing().deliver(receiveCount);
    expect(delay).toBeGreaterThanOrEqual(seconds * 0.75);
    expect(delay).toBeLessThanOrEqual(Math.ceil(seconds * 1.25));
    expect(await queues.depth(queues.orders)).toMatchObject({ ready: 0, inFlight: 1 });
  });

  it('is spread out, so that all that failed together do not come back together', async () => {
    for (let n = 0; n < 10; n++) await queues.send({ orderId: `o-${n}` });
    const delays = await failing({ backoffSeconds: () => 600 }).deliver(1);
    expect(delays).toHaveLength(10);
    expect(new Set(delays).size).toBeGreaterThan(3);
  });

  it('keeps its queue’s visibility timeout when the author says so', async () => {
    await queues.send({ orderId: 'a' });
    expect(await failing({ backoffSeconds: () => undefined }).deliver(1)).toEqual([]);
    expect(await queues.depth(queues.orders)).toMatchObject({ inFlight: 1 });
  });

  it('is not lost when SQS refuses to change its visibility', async () => {
    await queues.send({ orderId: 'a' });
    const { events, deliver } = failing({ backoffSeconds: () => 10 });
    const gone = { ...queues.functionClient, send: () => Promise.reject(new Error('throttled')) } as never;
    const broken = failing({ aws: sdk({ sqs: gone }) });
    await broken.deliver(1);
    expect(broken.events.map(({ type }) => type)).toContain('queue-call-failed');
    expect(await queues.depth(queues.orders)).toMatchObject({ inFlight: 1 });
    expect(events).toEqual([]);
    expect(deliver).toBeTypeOf('function');
  });
});
