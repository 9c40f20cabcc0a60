import { describe, expect, it } from 'vitest';
import { SetupError } from '../../../lib/pawl/kernel/errors.ts';
import { NoAnswerError } from '../../../lib/pawl/kernel/request.ts';
import { insist, pauseMs, type RetryPolicy } from '../../../lib/pawl/kernel/retry.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

describe('the pause before the next try', () => {
  const atRandom = (random: number) => ({ random: () => random });

  it('doubles with every failure, from 50 ms up to 2 s', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 6, 20].map((failures) => pauseMs(atRandom(0.5), failures));
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1600, 2000, 2000]);
  });

  it('is spread by half in both directions', () => {
    expect(pauseMs(atRandom(0), 1)).toBe(50);
    expect(pauseMs(atRandom(0.999), 1)).toBeCloseTo(150, 0);
  });

  it('has other bounds where they are given', () => {
    const pauses = { firstMs: 1000, mostMs: 3000 };
    expect([0, 1, 2].map((failures) => pauseMs(atRandom(0.5), failures, pauses))).toEqual([1000, 2000, 3000]);
  });
});

/** A request that fails in these ways, one after the other, and then succeeds. */
function failing(errors: readonly unknown[], policy: Partial<RetryPolicy> = {}) {
  const host = virtualHost();
  const sentAt: number[] = [];
  const left = [...errors];
  const send = async () => {
    sentAt.push(host.now() - someDay);
    if (left.length > 0) throw left.shift();
    return 'done';
  };
  const sent = insist(host, send, { requestMs: 1000, until: someDay + 10_000, ...policy });
  return { host, sentAt, sent: sent.catch((error: unknown) => error) };
}

const down = new Error('down');

describe('a request that is insisted upon', () => {
  it('is sent once when it succeeds', async () => {
    const { sent, sentAt } = failing([]);
    expect(await sent).toBe('done');
    expect(sentAt).toEqual([0]);
  });

  it('is sent again after each failure, after a longer pause each time', async () => {
    const { host, sent, sentAt } = failing([down, down, down]);
    await host.advance(1000);
    expect(await sent).toBe('done');
    expect(sentAt).toEqual([0, 50, 150, 350]);
  });

  it('is sent once if an operator has to change something first', async () => {
    const denied = new SetupError('no permission', 'access-denied');
    const { host, sent, sentAt } = failing([denied]);
    await host.advance(1000);
    expect(await sent).toBe(denied);
    expect(sentAt).toEqual([0]);
  });

  it('waits as long as its policy says', async () => {
    const { host, sent, sentAt } = failing([down, down], { pauses: { firstMs: 200, mostMs: 300 } });
    await host.advance(1000);
    expect(await sent).toBe('done');
    expect(sentAt).toEqual([0, 200, 500]);
  });

  it('is not sent more often than its policy says, and fails with the last error', async () => {
    const last = new Error('still down');
    const { host, sent, sentAt } = failing([down, last, down], { tries: 2 });
    await host.advance(1000);
    expect(await sent).toBe(last);
    expect(sentAt).toEqual([0, 50]);
  });

  it('is not sent again when the pause before that would end at or after its end', async () => {
    const atItsEnd = failing([down, down], { until: someDay + 50 });
    await atItsEnd.host.advance(1000);
    expect(await atItsEnd.sent).toBe(down);
    expect(atItsEnd.sentAt).toEqual([0]);

    const before = failing([down], { until: someDay + 51 });
    await before.host.advance(1000);
    expect(await before.sent).toBe('done');
    expect(before.sentAt).toEqual([0, 50]);
  });
});

describe('a request that is never answered', () => {
  function hanging(policy: RetryPolicy, errors: readonly unknown[] = []) {
    const host = virtualHost();
    const sentAt: number[] = [];
    const left = [...errors];
    const send = () => {
      sentAt.push(host.now() - someDay);
      return left.length > 0 ? Promise.reject(left.shift()) : new Promise<never>(() => undefined);
    };
    return { host, sentAt, sent: insist(host, send, policy).catch((error: unknown) => [error, host.now() - someDay]) };
  }

  it('is given up after the time of a request, and sent again', async () => {
    const { host, sent, sentAt } = hanging({ requestMs: 1000, until: someDay + 2500 });
    await host.advance(5000);
    expect(sentAt).toEqual([0, 1000 + 50, 2050 + 100]);
    // Not after its end either, although the last one had more time.
    expect(await sent).toEqual([expect.any(NoAnswerError), 2500]);
  });

  it('fails with what the store said before, if it ever said anything', async () => {
    const { host, sent } = hanging({ requestMs: 1000, until: someDay + 2500 }, [down]);
    await host.advance(5000);
    expect(await sent).toEqual([down, 2500]);
  });

  it('fails with what was said even if that was nothing but `undefined`', async () => {
    const { host, sent } = hanging({ requestMs: 1000, until: someDay + 2500 }, [undefined]);
    await host.advance(5000);
    expect(await sent).toEqual([undefined, 2500]);
  });
});
