import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../lib/pawl/index.ts';
import { processWide } from '../../lib/pawl/kernel/process-wide.ts';
import { bodyField, deadLetterQueue, eachMessage, type MessageHandler, messageId } from '../../lib/pawl/sqs/index.ts';
import {
  type CrashSweepOptions,
  type CrashSweepReport,
  crashSweep,
  type Finding,
  type World,
} from '../../lib/testing/index.ts';
import { forgetfulProvider, type Order, order, orders } from './providers.ts';

/*
 * Handlers that look right, and are not. docs/guides/testing.md shows them.
 */

type Mailer = ReturnType<typeof forgetfulProvider>;

/** Sweeps a consumer that parks what is in doubt, around this handler. */
function sweepOf(
  handle: (world: World, mailer: Mailer) => MessageHandler<Order>,
  options: Partial<Parameters<typeof eachMessage<Order>>[0]> = {},
  sweep: Partial<CrashSweepOptions<Mailer>> = {},
): Promise<CrashSweepReport> {
  return crashSweep({
    messages: order,
    provider: forgetfulProvider,
    handler: (world, mailer) =>
      eachMessage<Order>(
        {
          ...world.options,
          operation: 'send-email',
          key: bodyField('orderId'),
          onAbandoned: 'park',
          deadLetters: deadLetterQueue(world.deadLetterQueueUrl),
          ...options,
        },
        handle(world, mailer),
      ),
    effects: (mailer, message) => mailer.count(message),
    max: 60,
    ...sweep,
  });
}

/** What was caught, and at what. */
const caught = (findings: readonly Finding[]) =>
  findings
    .filter(({ faults }) => faults.length < 2)
    .map(({ message, faults }) => [message, ...faults.map(({ at, fault }) => `${fault} #${at}`)].join(' '));

describe('a handler that is right', () => {
  it('neither doubles nor loses', async () => {
    const report = await sweepOf(
      (world, mailer) =>
        async ({ body }, claim) => {
          await claim.effect(() => world.io('mailer.send', () => mailer.send(body.orderId)));
        },
      { marksEffect: true },
      { messages: orders },
    );
    expect([report.doubled, report.lost, report.stuck]).toEqual([[], [], []]);
    expect(report.fates.acknowledged).toBeGreaterThan(0);
    expect(report.fates.parked).toBeGreaterThan(0);
  });
});

describe('caught:', () => {
  it("'retry', with a provider that ignores the key", async () => {
    const report = await sweepOf(
      (world, mailer) =>
        ({ body }) =>
          world.io('mailer.send', () => mailer.send(body.orderId)),
      { onAbandoned: 'retry' },
    );
    expect(report.lost).toEqual([]);
    // Not when the write of the completion fails, or its answer is lost: that is tried again, and the effect is known by then.
    expect(caught(report.doubled)).toEqual([
      '1 kill-after #2',
      '1 lose-answer #2',
      '1 apply-late #2',
      '1 hang #2',
      '1 kill-before #3',
    ]);
  });

  it('an effect outside of claim.effect, where marksEffect says that there is none', async () => {
    const report = await sweepOf(
      (world, mailer) =>
        async ({ body }, claim) => {
          await world.io('mailer.send', () => mailer.send(body.orderId));
          await claim.effect(() => world.io('audit.write', () => undefined));
        },
      { marksEffect: true },
    );
    expect(caught(report.doubled)).toEqual(['1 lose-answer #2', '1 apply-late #2']);
  });

  it('two effects in one handler', async () => {
    const report = await crashSweep({
      messages: order,
      provider: () => ({ mails: forgetfulProvider(), points: forgetfulProvider() }),
      handler: (world, { mails, points }) =>
        eachMessage<Order>(
          {
            ...world.options,
            operation: 'send-email',
            key: bodyField('orderId'),
            onAbandoned: 'park',
            deadLetters: deadLetterQueue(world.deadLetterQueueUrl),
          },
          async ({ body }, claim) => {
            await claim.effect(() => world.io('mailer.send', () => mails.send(body.orderId)));
            await world.io('points.add', () => points.send(body.orderId));
          },
        ),
      effects: ({ mails, points }, message) => ({ mail: mails.count(message), points: points.count(message) }),
      max: 60,
    });
    expect(caught(report.lost)).toEqual(['1 throw #3']);
    expect(report.lost[0]?.effects).toEqual({ mail: 1, points: 0 });
  });

  it('a promise that is not awaited: the sandbox is frozen before it has done anything', async () => {
    const report = await sweepOf((world, mailer) => async ({ body }) => {
      void world.io('mailer.send', () => mailer.send(body.orderId));
    });
    expect(caught(report.lost)).toContain('1');
  });

  it('an error that is only logged', async () => {
    const report = await sweepOf((world, mailer) => async ({ body }) => {
      await world.io('mailer.send', () => mailer.send(body.orderId)).catch(() => undefined);
    });
    expect(caught(report.lost)).toEqual(['1 throw #2']);
  });

  it('a time-out that is taken for a failure', async () => {
    const report = await sweepOf((world, mailer) => async ({ body }) => {
      try {
        await world.io('mailer.send', () => mailer.send(body.orderId));
      } catch (cause) {
        throw new RetryableError('the mailer did not answer', { cause });
      }
    });
    expect(caught(report.doubled)).toEqual(['1 lose-answer #2', '1 apply-late #2']);
  });

  it("the message's id for a key, with a producer that sends twice", async () => {
    const report = await sweepOf(
      (world, mailer) =>
        ({ body }) =>
          world.io('mailer.send', () => mailer.send(body.orderId)),
      { key: messageId() },
      { messages: [...order, ...order] },
    );
    expect(caught(report.doubled)).toContain('1');
  });

  it('no protection at all', async () => {
    const report = await crashSweep({
      messages: order,
      provider: forgetfulProvider,
      handler: (world, mailer) => async (event: { Records: { body: string }[] }) => {
        for (const { body } of event.Records)
          await world.io('mailer.send', () => mailer.send(JSON.parse(body).orderId));
      },
      effects: (mailer, message) => mailer.count(message),
    });
    expect(caught(report.doubled)).toEqual([
      '1 kill-after #1',
      '1 lose-answer #1',
      '1 apply-late #1',
      '1 hang #1',
      '1 kill-before #2',
    ]);
  });
});

it('keeps no handler of a worker that it has killed: each later call of once would wait for it', async () => {
  const calls = processWide('claims.calls-of-once/1', () => ({ expected: false, unseen: new Set<object>() }));
  const { expected } = calls;
  const before = calls.unseen.size;
  calls.expected = false;
  try {
    const report = await sweepOf(
      (world, mailer) =>
        ({ body }) =>
          world.io('mailer.send', () => mailer.send(body.orderId)),
    );
    expect(report.fates.parked).toBeGreaterThan(0);
    expect(calls.unseen.size).toBe(before);
  } finally {
    calls.expected = expected;
  }
});
