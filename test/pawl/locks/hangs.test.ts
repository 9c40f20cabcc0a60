import { describe, expect, it, vi } from 'vitest';
import { errorKind } from '../../../lib/pawl/kernel/error-kind.ts';
import { type LockStore, memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const unlock = { onSuccess: 'unlock', onFailure: 'keep' } as const;
const never = () => new Promise<never>(() => undefined);

/** Locks over a store that stops to answer when it is told to. A write that hangs is applied when it is let go. */
function setUp() {
  const host = virtualHost();
  const inner = memoryLockStore();
  const hangs = { read: false, write: false };
  const held: (() => Promise<unknown>)[] = [];
  const store: LockStore = {
    ...inner,
    read: (ids) => (hangs.read ? never() : inner.read(ids)),
    write(writes) {
      if (!hangs.write) return inner.write(writes);
      held.push(() => inner.write(writes));
      return never();
    },
  };
  const others = resourceLocks({ store: inner, host });
  return { host, inner, hangs, held, others, locks: resourceLocks({ store, host }) };
}

/** What became of a promise, so far. */
function watched<T>(promise: Promise<T>) {
  const seen: { outcome?: unknown } = {};
  promise.then(
    (value) => {
      seen.outcome = value;
    },
    (error) => {
      seen.outcome = error;
    },
  );
  return seen;
}

describe('a store that hangs', () => {
  it('in a renewal holds up neither the end of the work nor its unlock', async () => {
    const { host, hangs, locks, others } = setUp();
    const working = watched(
      locks.withLock(['a'], { holder: 'one', unlock }, async () => {
        hangs.write = true;
        await new Promise<void>((resolve) => host.after(21_000, resolve));
        hangs.write = false;
        return 7;
      }),
    );
    await host.advance(21_500);
    expect(working.outcome).toEqual({ outcome: 'done', result: 7, lock: 'unlocked' });
    expect(await others.read(['a'])).toEqual([]);
  });

  it('in a renewal whose write arrives late does not bring back a lock that was unlocked meanwhile', async () => {
    const { host, hangs, held, locks, others, inner } = setUp();
    const working = watched(
      locks.withLock(['a'], { holder: 'one', unlock }, async () => {
        hangs.write = true;
        await new Promise<void>((resolve) => host.after(21_000, resolve));
        hangs.write = false;
      }),
    );
    await host.advance(21_500);
    expect(working.outcome).toMatchObject({ lock: 'unlocked' });
    const before = JSON.stringify(inner.records());
    for (const arrive of held) expect(await arrive()).toMatchObject({ applied: false });
    expect(JSON.stringify(inner.records())).toBe(before);
    expect(await others.read(['a'])).toEqual([]);
  });

  it('in the unlock lets the work’s result through, and says that the lock is unknown', async () => {
    const { host, hangs, locks } = setUp();
    const working = watched(
      locks.withLock(['a'], { holder: 'one', unlock }, async () => {
        hangs.write = true;
        return 7;
      }),
    );
    await host.advance(5000);
    expect(working.outcome).toEqual({ outcome: 'done', result: 7, lock: 'unknown' });
  });

  it('when the lock is asked for is given up once waitMs is over, with an error that leaves nothing in doubt', async () => {
    const { host, hangs, locks } = setUp();
    hangs.read = true;
    const asking = watched(locks.withLock(['a'], { holder: 'one', unlock, waitMs: 8000 }, () => 7));
    await host.advance(7000);
    expect(asking.outcome).toBeUndefined();
    await host.advance(6500);
    expect(asking.outcome).toMatchObject({ name: 'StoreUnavailableError' });
    expect(errorKind(asking.outcome)).toBe('retryable');
  });

  it('when the lock is asked for without waiting is given up after some seconds', async () => {
    const { host, hangs, locks } = setUp();
    hangs.write = true;
    const asking = watched(locks.lockAll(['a'], { holder: 'one' }));
    await host.advance(5001);
    expect(asking.outcome).toMatchObject({ name: 'StoreUnavailableError' });
  });

  it('while a waiter looks is asked again, and the wait goes on', async () => {
    const { host, hangs, locks, others } = setUp();
    const other = await others.lockAll(['a'], { holder: 'two' });
    const asking = watched(locks.lockAll(['a'], { holder: 'one', waitMs: 30_000 }));
    await host.advance(100);
    hangs.read = true;
    await host.advance(8000);
    hangs.read = false;
    await other.unlock();
    await host.advance(9000);
    expect(asking.outcome).toMatchObject({ holder: 'one' });
  });
});

it('an unlock rule that hangs is taken for no after a lease, and the lock is kept', async () => {
  const { host, locks, others } = setUp();
  const working = watched(locks.withLock(['a'], { holder: 'one', unlock: { ...unlock, onFailure: never } }, fails));
  await host.advance(59_000);
  expect(working.outcome).toBeUndefined();
  await host.advance(1000);
  expect(working.outcome).toMatchObject({ message: 'no' });
  expect(await others.read(['a'])).toMatchObject([{ status: 'kept' }]);
});

const fails = () => Promise.reject(new Error('no'));

describe('a promise of a lock', () => {
  /** What Node would end the process for. */
  async function unhandled(what: () => void): Promise<unknown[]> {
    const reasons: unknown[] = [];
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', (reason) => reasons.push(reason));
    what();
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
    return reasons;
  }

  it('that fails and is never awaited does not end the process, and is said on the console', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { locks } = setUp();
    const reasons = await unhandled(() => void locks.withLock(['a'], { holder: 'one', unlock }, fails));
    expect(reasons).toEqual([]);
    vi.advanceTimersByTime(1000);
    const said = warn.mock.calls.map(([line]) => JSON.parse(line)).filter(({ pawl }) => pawl !== 'lock-kept');
    expect(said).toEqual([{ pawl: 'not-awaited', what: 'withLock', error: { name: 'Error', message: 'no' } }]);
    vi.useRealTimers();
    warn.mockRestore();
  });

  it('that is awaited later still fails for its author, and is not said', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { locks } = setUp();
    let working: Promise<unknown> | undefined;
    const reasons = await unhandled(() => {
      working = locks.withLock(['a'], { holder: 'one', unlock }, fails);
    });
    await expect(working).rejects.toThrow('no');
    expect(reasons).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(warn).not.toHaveBeenCalledWith(expect.stringContaining('not-awaited'));
    warn.mockRestore();
  });
});
