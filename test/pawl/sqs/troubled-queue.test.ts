import type { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { type ClaimEvent, memoryStore, RejectedError } from '../../../lib/pawl/index.ts';
import { bodyField, eachMessage, type SqsOptions } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';

type Order = { orderId: string };
interface Call {
  readonly name: string;
  readonly entries: readonly { readonly ReceiptHandle: string; readonly VisibilityTimeout: number }[];
}
type Options = Partial<SqsOptions<Order>> & { readonly serve?: (name: string) => unknown };

/** A consumer of an SQS that answers as `serve` says: by default, as if five receives were allowed. */
function setUp({ serve, ...options }: Options, handle: (orderId: string) => unknown = () => undefined) {
  const host = options.host ?? virtualHost();
  const calls: Call[] = [];
  const buried: string[] = [];
  const events: ClaimEvent[] = [];
  const ran: string[] = [];
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: 'dead', maxReceiveCount: 5 });
  const sqsClient = {
    async send(command: { input: { Entries?: Call['entries'] } }) {
      const { name } = command.constructor;
      calls.push({ name, entries: command.input.Entries ?? [] });
      return (await serve?.(name)) ?? { Attributes: { RedrivePolicy } };
    },
  } as unknown as SQSClient;
  const handler = eachMessage<Order>(
    {
      operation: 'send-email',
      store: memoryStore(),
      key: bodyField('orderId'),
      onAbandoned: 'retry',
      aws: sdk({ sqs: sqsClient }),
      deadLetters: {
        send: async (_client, { body }, reason) => void buried.push(`${JSON.parse(body).orderId}: ${reason}`),
      },
      onEvent: (event) => events.push(event),
      ...options,
      host,
    },
    ({ body }) => {
      ran.push(body.orderId);
      return handle(body.orderId);
    },
  );
  const call = (records: ReturnType<typeof sqsRecord>[], remainingMs = 30_000) =>
    handler(sqsEvent(...records), context(remainingMs, host.now));
  return { host, calls, buried, events, ran, call };
}

const order = (orderId: string, receiveCount = 1, group?: string) =>
  sqsRecord(
    { orderId },
    { messageId: orderId, receiptHandle: orderId, receiveCount, ...(group !== undefined && { group }) },
  );
const inGroup = (receiveCount: number, ...ids: readonly string[]) => ids.map((id) => order(id, receiveCount, 'g'));
const failsFor = (bad: string) => (orderId: string) => {
  if (orderId === bad) throw new Error('account closed');
};
const never = () => new Promise<never>(() => undefined);

describe('the head of a message group', () => {
  it('that keeps failing is set aside when it has had half of the receives: the other half is for those behind it', async () => {
    const serve = () => ({ Attributes: { RedrivePolicy: '{"maxReceiveCount":10}' } });
    for (const [receives, failing] of [
      [4, ['a', 'b', 'c']],
      [5, []],
      [10, []],
    ] as const) {
      const { call, ran, buried } = setUp({ serve }, failsFor('a'));
      expect(failuresOf(await call(inGroup(receives, 'a', 'b', 'c')))).toEqual(failing);
      expect(ran).toEqual(failing.length > 0 ? ['a'] : ['a', 'b', 'c']);
      expect(buried).toEqual(failing.length > 0 ? [] : ['a: receives-used-up']);
    }
  });

  it('stays what it is, a failure that waits for its back-off, if it cannot be set aside', async () => {
    const deadLetters = { send: () => Promise.reject(new Error('the queue is gone')) };
    const { call, ran, calls } = setUp({ deadLetters, backoffSeconds: () => 40 }, failsFor('a'));
    expect(failuresOf(await call(inGroup(4, 'a', 'b')))).toEqual(['a', 'b']);
    expect(ran).toEqual(['a']);
    const delayed = calls.flatMap(({ entries }) => entries).filter(({ ReceiptHandle }) => ReceiptHandle === 'a');
    expect(delayed).toMatchObject([{ VisibilityTimeout: expect.any(Number) }]);
    expect(delayed[0]?.VisibilityTimeout).toBeGreaterThanOrEqual(30);
  });

  it('is set aside earlier, where those behind it need several invocations', async () => {
    // One of 20 s fits in 30 s: the three behind it need three of the five receives.
    const { call, buried, ran } = setUp({ timeoutMs: 20_000 }, failsFor('a'));
    expect(failuresOf(await call(inGroup(2, 'a', 'b', 'c', 'd')))).toEqual([]);
    expect(buried).toEqual(['a: receives-used-up']);
    expect(ran).toEqual(['a', 'b', 'c', 'd']);
  });

  it('stays where it is, when it failed for the first time, when nothing waits behind it, and without a dead-letter queue', async () => {
    const first = setUp({ serve: () => ({ Attributes: { RedrivePolicy: '{"maxReceiveCount":1}' } }) }, failsFor('a'));
    expect(failuresOf(await first.call(inGroup(1, 'a', 'b')))).toEqual(['a', 'b']);
    const last = setUp({}, failsFor('a'));
    expect(failuresOf(await last.call(inGroup(5, 'a')))).toEqual(['a']);
    expect([first.buried, last.buried]).toEqual([[], []]);
    const none = setUp({ deadLetters: undefined }, failsFor('a'));
    expect(failuresOf(await none.call(inGroup(5, 'a', 'b')))).toEqual(['a', 'b']);
    expect(none.ran).toEqual(['a']);
  });

  it.each<[string, Options]>([
    ['SQS does not say how many receives there are', { serve: () => Promise.reject(new Error('AccessDenied')) }],
    ['the queue has no redrive policy', { serve: () => ({ Attributes: {} }) }],
    ['the redrive policy names no number', { serve: () => ({ Attributes: { RedrivePolicy: '{}' } }) }],
    ['the dead-letter queue refuses it', { deadLetters: { send: () => Promise.reject(new Error('AccessDenied')) } }],
  ])('stays where it is when %s, and nothing runs behind it', async (_, options) => {
    const { call, ran } = setUp(options, failsFor('a'));
    expect(failuresOf(await call(inGroup(5, 'a', 'b')))).toEqual(['a', 'b']);
    expect(ran).toEqual(['a']);
  });

  it('stays where it is while the store is down: that is no fault of its own', async () => {
    const down = { read: () => Promise.reject(new Error('down')), write: () => Promise.reject(new Error('down')) };
    const { call, buried } = setUp({ store: down });
    expect(failuresOf(await call(inGroup(5, 'a', 'b')))).toEqual(['a', 'b']);
    expect(buried).toEqual([]);
  });

  it('does not pull those along that repeat its key in another group', async () => {
    const { call, buried, events } = setUp({}, failsFor('a'));
    const repeat = { ...order('a', 1, 'other'), messageId: 'repeat' };
    expect(failuresOf(await call([...inGroup(5, 'a', 'b'), repeat]))).toEqual(['repeat']);
    expect(buried).toEqual(['a: receives-used-up']);
    expect(events.map(({ type }) => type)).toContain('repeated');
  });

  it('is buried in order when it can never run: unreadable, rejected, one after the other', async () => {
    const { call, buried, ran } = setUp({}, (orderId) => {
      if (orderId === 'b') throw new RejectedError('no');
    });
    const unreadable = sqsRecord('{"noOrder":1}', { group: 'g' });
    expect(failuresOf(await call([unreadable, ...inGroup(1, 'b', 'c')]))).toEqual([]);
    expect(buried).toEqual(['undefined: missing-key', 'b: rejected']);
    expect(ran).toEqual(['b', 'c']);
  });
});

describe('what did not get its turn on a standard queue', () => {
  const slow = (options: Options = {}) => {
    const host = virtualHost();
    return setUp({ concurrency: 1, timeoutMs: 20_000, host, ...options }, () => host.advance(20_000));
  };

  it('comes back when this worker could have come to it, and not all at once', async () => {
    const { call, calls } = slow();
    expect(failuresOf(await call(['a', 'b', 'c', 'd'].map((id) => order(id))))).toEqual(['b', 'c', 'd']);
    expect(calls.flatMap(({ entries }) => entries.map((entry) => entry.VisibilityTimeout))).toEqual([0, 20, 40]);
  });

  it('goes first when it comes back', async () => {
    const { call, ran } = slow();
    await call([order('new'), order('waited twice', 3), order('waited once', 2)]);
    expect(ran).toEqual(['waited twice']);
  });
});

describe('an SQS that does not answer', () => {
  it('holds up no batch: it has its response before the invocation ends, and nothing that is done comes again (consumer.ts 6)', async () => {
    const { call, host, events } = setUp({ serve: never, deadLetters: { send: never } }, (orderId) => {
      if (orderId === 'failing') throw new Error('no');
      if (orderId === 'rejected') throw new RejectedError('no');
    });
    const response = call(['done', 'failing', 'rejected'].map((id) => order(id)));
    await (host as ReturnType<typeof virtualHost>).advance(29_900);
    const answer = await Promise.race([response, Promise.resolve('no answer')]);
    expect(failuresOf(answer)).toEqual(['failing', 'rejected']);
    const failed = events.filter(({ type }) => type === 'queue-call-failed');
    expect(failed).toMatchObject([
      {
        messageId: 'rejected',
        error: { message: 'SQS did not respond in time. See node_modules/pawl/docs/errors.md#queue-unavailable' },
      },
      { messageId: 'failing' },
    ]);
  });

  it('keeps no suspect from its turn for more than a second', async () => {
    const host = virtualHost();
    const store = memoryStore();
    const dead = setUp({ store, host: { ...host, after: () => () => undefined } }, never);
    void dead.call([order('a'), order('b')]);
    await host.advance(60_000);
    const { call, ran } = setUp({ store, host, serve: never });
    const response = call([order('a', 2), order('b', 2)]);
    await host.advance(1500);
    expect(failuresOf(await response)).toEqual([]);
    expect(ran).toEqual(['a', 'b']);
  });
});

it('400 suspects cost as many calls as they have tens, and each still comes back before those ahead of it', async () => {
  const host = virtualHost();
  const store = memoryStore();
  const ids = Array.from({ length: 400 }, (_, n) => `o-${n}`);
  const dead = setUp({ store, concurrency: 400, host: { ...host, after: () => () => undefined } }, never);
  void dead.call(ids.map((id) => order(id)));
  await host.advance(60_000);
  const { call, calls, ran } = setUp({ store, host });
  const response = call(ids.map((id) => order(id, 2)));
  await host.advance(20_000);
  expect(failuresOf(await response)).toEqual([]);
  expect(ran).toEqual(ids);
  expect(calls).toHaveLength(40);
  const seconds = calls.flatMap(({ entries }) => entries).map((entry) => entry.VisibilityTimeout);
  expect(seconds).toEqual(seconds.toSorted((a, b) => b - a));
  expect(Math.max(...seconds)).toBeLessThanOrEqual(31 + 900);
});

it('visibility is set ten messages a call, ten calls at once', async () => {
  let atOnce = 0;
  let most = 0;
  const { call, calls } = setUp(
    {
      serve: async () => {
        most = Math.max(most, ++atOnce);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce--;
      },
    },
    () => Promise.reject(new Error('no')),
  );
  await call(Array.from({ length: 200 }, (_, n) => order(`o-${n}`)));
  expect(calls.map(({ entries }) => entries.length)).toEqual(Array.from({ length: 20 }, () => 10));
  expect(most).toBe(10);
});
