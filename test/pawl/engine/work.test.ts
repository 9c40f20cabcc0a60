import { describe, expect, it } from 'vitest';
import { Work } from '../../../lib/pawl/engine/work.ts';
import { unhandledRejections } from '../../support/rejections.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

/** Work that has until then, and what came of waiting for it. */
function working(ms: number) {
  const host = virtualHost();
  const work = new Work();
  const rest = () => work.rest(host, () => someDay + ms - host.now());
  return { host, work, rest };
}

describe('the work beside a handler', () => {
  it('is none where nothing is under way: nothing may start after it', async () => {
    const { work, rest } = working(1000);
    work.end('returned');
    expect(work.stopped).toBe(false);
    expect(await rest()).toEqual({ inDoubt: [], late: [] });
    expect(work.stopped).toBe(true);
  });

  it('may not start after the handler has thrown', () => {
    const { work } = working(1000);
    expect(work.stopped).toBe(false);
    work.end('threw');
    expect(work.stopped).toBe(true);
  });

  it('is waited for, also what the first of it begins', async () => {
    const { host, work, rest } = working(10_000);
    const ended: string[] = [];
    const first = new Promise<void>((resolve) => host.after(1000, resolve)).then(() => {
      ended.push('first');
      work.follow(new Promise<void>((resolve) => host.after(1000, resolve)).then(() => ended.push('second')));
    });
    work.follow(first);
    work.end('returned');
    const rested = rest();
    await host.advance(1999);
    expect(work.stopped).toBe(false);
    await host.advance(1);
    expect(await rested).toEqual({ inDoubt: [], late: [] });
    expect(ended).toEqual(['first', 'second']);
  });

  it('is waited for, also where the first of it takes several awaits to begin the next', async () => {
    const { host, work, rest } = working(10_000);
    let ended = false;
    const first = new Promise<void>((resolve) => host.after(1000, resolve));
    const second = async () => {
      await first;
      for (let hop = 0; hop < 20; hop++) await undefined;
      await work.follow(new Promise<void>((resolve) => host.after(1000, resolve)));
      ended = true;
    };
    const chain = second();
    work.follow(first);
    work.end('returned');
    const rested = rest();
    await host.advance(1000);
    expect(work.stopped).toBe(false);
    await host.advance(1000);
    expect(await rested).toEqual({ inDoubt: [], late: [] });
    await chain;
    expect(ended).toBe(true);
  });

  it('is not waited for when the time is over, and that is an error of the handler’s', async () => {
    const { host, work, rest } = working(1000);
    work.follow(new Promise(() => undefined));
    const rested = rest();
    await host.advance(1000);
    const { late } = await rested;
    expect(late).toMatchObject([
      {
        error: {
          name: 'LeaseError',
          message:
            'an effect, a step or a call of once had not ended when the time was over. See node_modules/pawl/docs/errors.md#lease-over',
        },
      },
    ]);
    expect(work.stopped).toBe(true);
  });

  it('is waited for on after a renewal has moved the time', async () => {
    const { host, work } = working(1000);
    let until = someDay + 1000;
    work.follow(new Promise<void>((resolve) => host.after(2000, resolve)));
    const rested = work.rest(host, () => until - host.now());
    await host.advance(500);
    until += 2000;
    await host.advance(1500);
    expect(await rested).toEqual({ inDoubt: [], late: [] });
  });

  it('that fails counts where the handler has ended, and is the handler’s own business before', async () => {
    const early = new Error('the handler sees it');
    const late = new Error('too late');
    const { host, work, rest } = working(10_000);
    const unhandled = await unhandledRejections(async () => {
      work.follow(Promise.reject(early));
      await host.advance(0);
      work.end('returned');
      work.follow(new Promise<void>((resolve) => host.after(100, resolve)).then(() => Promise.reject(late)));
      const rested = rest();
      await host.advance(100);
      expect(await rested).toEqual({ inDoubt: [], late: [{ error: late }] });
    });
    expect(unhandled).toEqual([]);
  });

  it('that is in doubt, or could not start, is remembered, whatever was thrown', async () => {
    const { work, rest } = working(1000);
    work.leaveInDoubt(undefined);
    work.leaveUnstarted('late');
    expect(work.inDoubt).toEqual([{ error: undefined }]);
    expect(await rest()).toEqual({ inDoubt: [{ error: undefined }], late: [{ error: 'late' }] });
  });
});
