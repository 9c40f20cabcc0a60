import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { fail } from '../../../lib/pawl/engine/record-outcome.ts';
import { RetryableError } from '../../../lib/pawl/kernel/errors.ts';
import { createQueueDoor } from '../../../lib/pawl/sqs/consumer.ts';
import type { Delivery } from '../../../lib/pawl/sqs/delivery.ts';
import type { Disposition } from '../../../lib/pawl/sqs/disposition.ts';
import { makeWay } from '../../../lib/pawl/sqs/make-way.ts';
import type { SqsOptions } from '../../../lib/pawl/sqs/options.ts';
import { Suspects } from '../../../lib/pawl/sqs/suspects.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { engineAtWork } from '../../support/engines.ts';
import { sqsRecord } from '../../support/lambda.ts';
import { someDay } from '../../support/virtual-host.ts';

const error = { name: 'Error', message: '503' };
const failed: Disposition = { kind: 'returned', error };
const invocation = { startedAt: someDay, deadline: someDay + 30_000 };

/** A consumer of a FIFO queue that allows so many receives, and what it asks of SQS and of its dead-letter queue. */
function consuming(
  options: Partial<SqsOptions<unknown>> & { readonly maxReceives?: number; readonly hangs?: boolean } = {},
) {
  const { maxReceives = 10, hangs = false, ...more } = options;
  const { host, engine, grant, records, troubles, store } = engineAtWork();
  const buried: string[] = [];
  const visibility: (readonly [string, number])[][] = [];
  const sqsClient = Object.assign(new SQSClient({ region: 'us-east-1' }), {
    async send({
      input,
    }: {
      readonly input: {
        readonly Entries?: readonly { readonly VisibilityTimeout: number; readonly ReceiptHandle: string }[];
      };
    }) {
      if (hangs) return new Promise(() => undefined);
      if (input.Entries !== undefined) {
        visibility.push(
          input.Entries.map(({ ReceiptHandle, VisibilityTimeout }) => [ReceiptHandle, VisibilityTimeout] as const),
        );
        return {};
      }
      return { Attributes: { RedrivePolicy: JSON.stringify({ maxReceiveCount: maxReceives }) } };
    },
  });
  const deadLetters = {
    async send(_: unknown, __: unknown, reason: string) {
      buried.push(reason);
    },
  };
  const consumer = createQueueDoor<unknown>({
    operation: 'refund',
    store: engine.settings.store,
    key: () => 'r-1',
    onAbandoned: 'retry',
    aws: sdk({ sqs: sqsClient }),
    deadLetters,
    onEvent: () => undefined,
    ...more,
    host,
  });
  return { host, engine, grant, records, troubles, store, consumer, buried, visibility };
}

const head = (receiveCount: number, disposition: Disposition | undefined = failed): Delivery => ({
  record: sqsRecord({}, { group: 'g', receiveCount }),
  disposition,
});

describe('the head of a message group', () => {
  it.each([
    [10, 1, 4, 0],
    [10, 1, 5, 1],
    [11, 1, 5, 1],
    [4, 1, 1, 0],
    [4, 1, 2, 1],
    [2, 1, 1, 0],
    [3, 1, 2, 1],
  ])(
    'has half of %i receives for itself, with %i behind it: at its receive %i, %i are set aside',
    async (maxReceives, behind, receives, times) => {
      const { consumer, buried } = consuming({ maxReceives });
      const one = head(receives);
      await makeWay(consumer, one, behind, invocation);
      expect(buried).toEqual(Array(times).fill('receives-used-up'));
      expect(one.disposition).toEqual(
        times === 0 ? failed : { kind: 'dead-lettered', reason: 'receives-used-up', error },
      );
    },
  );

  it.each([
    [9_000, 18, 3, 0],
    [9_000, 18, 4, 1],
    [9_000, 19, 3, 1],
    [29_000, 6, 3, 0],
    [29_000, 6, 4, 1],
    [40_000, 6, 3, 0],
    [40_000, 6, 4, 1],
    [40_000, 7, 3, 1],
    [0, 18, 4, 0],
    [0, 18, 5, 1],
  ])(
    'leaves to those behind it the receives that they need for their turn, at %i ms each: with %i of them, at its receive %i, %i are set aside',
    async (timeoutMs, behind, receives, times) => {
      const { consumer, buried } = consuming({ maxReceives: 10, timeoutMs });
      await makeWay(consumer, head(receives), behind, invocation);
      expect(buried).toHaveLength(times);
    },
  );

  it('is not set aside after its first failure, whatever the queue allows', async () => {
    const { consumer, buried } = consuming({ maxReceives: 2 });
    await makeWay(consumer, head(1), 1, invocation);
    expect(buried).toEqual([]);
  });

  it('is not set aside where it waits, and has not failed', async () => {
    const { consumer, buried } = consuming();
    await makeWay(consumer, head(9, { kind: 'returned' }), 1, invocation);
    expect(buried).toEqual([]);
  });

  it('is not set aside where there is no dead-letter queue', async () => {
    const { host, engine } = engineAtWork();
    let asked = 0;
    const sqsClient = Object.assign(new SQSClient({ region: 'us-east-1' }), {
      async send() {
        asked++;
        return { Attributes: { RedrivePolicy: '{"maxReceiveCount":2}' } };
      },
    });
    const { store } = engine.settings;
    const options = {
      operation: 'refund',
      store,
      key: () => 'r-1',
      onAbandoned: 'retry',
      aws: sdk({ sqs: sqsClient }),
      host,
    } as const;
    const one = head(9);
    await makeWay(createQueueDoor<unknown>(options), one, 1, invocation);
    expect([asked, one.disposition]).toEqual([0, failed]);
  });

  it('that can never run is dead-lettered at once', async () => {
    const { consumer, buried } = consuming();
    const one = head(1, { kind: 'dead-lettered', reason: 'rejected', error });
    await makeWay(consumer, one, 1, invocation);
    expect([buried, one.isInDeadLetterQueue]).toEqual([['rejected'], true]);
  });

  it('is parked before it is set aside: a copy of it must not run after those behind it', async () => {
    const { consumer, engine, grant, records, buried } = consuming();
    const granted = await grant();
    await fail(engine, granted, new RetryableError('later'), 'unmarked');
    await makeWay(consumer, { ...head(9), grant: granted }, 1, invocation);
    expect(records()).toMatchObject([{ status: 'parked', error: { name: 'set-aside' } }]);
    expect(buried).toEqual(['receives-used-up']);
  });

  it('stays where its claim is another worker’s by now', async () => {
    const { consumer, engine, grant, buried } = consuming();
    const granted = await grant();
    await fail(engine, granted, new RetryableError('later'), 'unmarked');
    await grant();
    const one = { ...head(9), grant: granted };
    await makeWay(consumer, one, 1, invocation);
    expect([buried, one.disposition]).toEqual([[], failed]);
  });

  it('stays a failure where the dead-letter queue does not take it', async () => {
    const deadLetters = { send: () => Promise.reject(new Error('AccessDenied')) };
    const { consumer } = consuming({ deadLetters });
    const one = head(9);
    await makeWay(consumer, one, 1, invocation);
    expect([one.isInDeadLetterQueue, one.disposition]).toEqual([undefined, failed]);
  });

  it('keeps its group waiting for an SQS that does not answer for 5 seconds, and never longer than the batch has', async () => {
    for (const [atLatest, waits] of [
      [someDay + 20_000, 5000],
      [someDay + 3000, 3000],
    ] as const) {
      const { consumer, host } = consuming({ hangs: true });
      let over = false;
      const made = makeWay(consumer, head(9), 1, invocation, atLatest).then(() => {
        over = true;
      });
      await host.advance(waits - 1);
      expect(over).toBe(false);
      await host.advance(1);
      await made;
    }
  });
});

describe('suspects', () => {
  const suspect = (workersLost: number): Delivery => ({
    record: sqsRecord({}, { receiveCount: 2 }),
    disposition: { kind: 'returned', delayMs: 0, suspect: workersLost },
  });

  it('come back after the worker would be lost, those that have outlived fewer workers last, and two seconds apart', async () => {
    const { consumer, visibility } = consuming();
    const suspects = new Suspects(consumer, someDay + 30_000);
    const [a, b, c] = [suspect(2), suspect(1), suspect(3)];
    for (const one of [a, b, c]) suspects.add(one);
    await suspects.letGo(b);
    const handle = ({ record }: Delivery) => record.receiptHandle;
    expect(visibility).toEqual([
      [
        [handle(b), 35],
        [handle(a), 33],
        [handle(c), 31],
      ],
    ]);
    // SQS knows of the others.
    await suspects.letGo(a);
    expect(visibility).toHaveLength(1);
  });

  it('is one alone: SQS need not know', async () => {
    const { consumer, visibility } = consuming();
    const suspects = new Suspects(consumer, someDay + 30_000);
    const only = suspect(1);
    suspects.add(only);
    await suspects.letGo(only);
    expect(visibility).toEqual([]);
  });

  it('that has had its turn is not told about again, when another one comes', async () => {
    const { consumer, visibility } = consuming();
    const suspects = new Suspects(consumer, someDay + 30_000);
    const [first, second] = [suspect(1), suspect(1)];
    suspects.add(first);
    await suspects.letGo(first);
    suspects.add(second);
    await suspects.letGo(second);
    expect(visibility).toEqual([]);
  });
});
