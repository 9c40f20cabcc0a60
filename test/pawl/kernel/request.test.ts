import { describe, expect, it } from 'vitest';
import { sleep, whenOver } from '../../../lib/pawl/kernel/host.ts';
import { answeredBy, isNoAnswer, NoAnswerError } from '../../../lib/pawl/kernel/request.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

/** A request, and how it is answered. */
function request(until: number) {
  const host = virtualHost();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const ends: unknown[] = [];
  const answered = answeredBy(host, until, promise);
  answered.then(
    (result) => ends.push(result),
    (error: unknown) => ends.push(error),
  );
  return { host, resolve, reject, ends };
}

describe('a request with an end', () => {
  it('returns the result that comes in time', async () => {
    const { host, resolve, ends } = request(someDay + 1000);
    await host.advance(999);
    resolve('written');
    await host.advance(5000);
    expect(ends).toEqual(['written']);
  });

  it('throws the error that comes in time', async () => {
    const down = new Error('down');
    const { host, reject, ends } = request(someDay + 1000);
    await host.advance(999);
    reject(down);
    await host.advance(5000);
    expect(ends).toEqual([down]);
  });

  it('is given up at its end, and says how long it was waited for', async () => {
    const { host, resolve, ends } = request(someDay + 1000.5);
    await host.advance(1000);
    expect(ends).toEqual([]);
    await host.advance(1);
    expect(ends).toMatchObject([{ name: 'NoAnswerError', message: 'no answer within 1001 ms' }]);
    resolve('written late');
    await host.advance(5000);
    expect(ends).toHaveLength(1);
  });

  it('that came while the sandbox was frozen is not given up: the result counts, and not the timer that is over as well', async () => {
    const host = virtualHost();
    const { promise, resolve } = Promise.withResolvers<string>();
    const answered = answeredBy(host, someDay + 1000, promise);
    host.after(1000, () => resolve('written'));
    await host.advance(60_000);
    expect(await answered).toBe('written');
  });

  it('whose end is over already is given up, unless it is answered at once', async () => {
    const { host, ends } = request(someDay - 1);
    await host.advance(0);
    expect(ends).toMatchObject([{ name: 'NoAnswerError' }]);
    expect(await answeredBy(virtualHost(), someDay - 1, Promise.resolve('at once'))).toBe('at once');
  });

  it('leaves no timer behind when it is answered', async () => {
    const timers = new Set<number>();
    let count = 0;
    const host = {
      now: () => someDay,
      after() {
        const timer = ++count;
        timers.add(timer);
        return () => timers.delete(timer);
      },
    };
    await answeredBy(host, someDay + 1000, Promise.resolve('written'));
    await answeredBy(host, someDay + 1000, Promise.reject(new Error('down'))).catch(() => undefined);
    expect([count, timers.size]).toEqual([2, 0]);
  });

  it('that got no answer is told apart from every other error by its brand', () => {
    expect(isNoAnswer(new NoAnswerError('no answer within 5 ms'))).toBe(true);
    expect(isNoAnswer(Object.assign(new Error('no answer'), { name: 'NoAnswerError' }))).toBe(false);
    expect(isNoAnswer(undefined)).toBe(false);
  });
});

describe('a time that is waited for', () => {
  it('lets one turn pass at its end, for what has come meanwhile', async () => {
    const host = virtualHost();
    const order: string[] = [];
    whenOver(host, 100, () => order.push('over'));
    host.after(100, () => order.push('came'));
    await host.advance(100);
    expect(order).toEqual(['came', 'over']);
  });

  it('can be called off, also in its last turn', async () => {
    const host = virtualHost();
    const called: string[] = [];
    const cancel = whenOver(host, 100, () => called.push('first'));
    await host.advance(99);
    cancel();
    const cancelLate = whenOver(host, 100, () => called.push('second'));
    host.after(100, () => cancelLate());
    await host.advance(1000);
    expect(called).toEqual([]);
  });

  it('that is over by now ends at once', async () => {
    const host = virtualHost();
    const waits: number[] = [];
    const after = (ms: number, callback: () => void) => {
      waits.push(ms);
      return host.after(ms, callback);
    };
    whenOver({ after }, -5, () => undefined);
    await host.advance(0);
    expect(waits).toEqual([0, 0]);
  });

  it('is slept through', async () => {
    const host = virtualHost();
    let awake = false;
    sleep(host, 100).then(() => {
      awake = true;
    });
    await host.advance(99);
    expect(awake).toBe(false);
    await host.advance(1);
    expect(awake).toBe(true);
  });
});
