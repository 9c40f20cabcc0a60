import { describe, expect, it } from 'vitest';
import { startHeartbeat, whenLeaseEnds } from '../../../lib/pawl/kernel/heartbeat.ts';
import type { Host } from '../../../lib/pawl/kernel/host.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

type Beat = (until: number) => Promise<'applied' | 'stale'>;

const leaseMs = 30_000;

/** A heartbeat of a lease of 30 seconds, and what came of it: when it beat, how long it would have waited, what it missed. */
function beating(beat: (host: Host & { now(): number }) => Promise<'applied' | 'stale'>) {
  const host = virtualHost();
  const beats: number[] = [];
  const ends: number[] = [];
  const missed: unknown[] = [];
  const lost: number[] = [];
  const beatOnce: Beat = (until) => {
    beats.push(host.now() - someDay);
    ends.push(until - someDay);
    return beat(host);
  };
  const onMissed = (error: unknown) => missed.push(error);
  const onLost = () => lost.push(host.now() - someDay);
  const stop = startHeartbeat(host, { leaseMs, beat: beatOnce, onMissed, onLost });
  return { host, beats, ends, missed, lost, stop };
}

const later = <T>(host: Host, ms: number, value: T) =>
  new Promise<T>((resolve) => host.after(ms, () => resolve(value)));

describe('a heartbeat', () => {
  it('beats at every third of the lease, and not before', async () => {
    const { host, beats, missed, lost } = beating(async () => 'applied');
    await host.advance(9_999);
    expect(beats).toEqual([]);
    await host.advance(25_001);
    expect(beats).toEqual([10_000, 20_000, 30_000]);
    expect([missed, lost]).toEqual([[], []]);
  });

  it('gives a beat up when the next one is due', async () => {
    const { host, ends } = beating(async () => 'applied');
    await host.advance(20_000);
    expect(ends).toEqual([20_000, 30_000]);
  });

  it('keeps its time although a beat takes long, and never beats twice at once', async () => {
    const { host, beats } = beating((one) => later(one, 4_000, 'applied'));
    await host.advance(30_000);
    expect(beats).toEqual([10_000, 20_000, 30_000]);
    const slow = beating((one) => later(one, 13_000, 'applied'));
    await slow.host.advance(40_000);
    expect(slow.beats).toEqual([10_000, 23_000, 36_000]);
  });

  it('beats again after at most a third, also when the clock was set back meanwhile', async () => {
    const waits: number[] = [];
    let now = someDay;
    const due: (() => void)[] = [];
    const after: Host['after'] = (ms, callback) => {
      waits.push(ms);
      due.push(callback);
      return () => undefined;
    };
    const beat: Beat = async () => {
      now -= 3_600_000;
      return 'applied';
    };
    const host: Host = { ...virtualHost(), now: () => now, after };
    startHeartbeat(host, { leaseMs, beat, onMissed: () => undefined, onLost: () => undefined });
    due[0]?.();
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(waits).toEqual([10_000, 10_000]);
  });

  it('that failed is missed, and no loss: the next one follows at its time', async () => {
    const down = new Error('down');
    const { host, beats, missed, lost } = beating(() => Promise.reject(down));
    await host.advance(20_000);
    expect(beats).toEqual([10_000, 20_000]);
    expect(missed).toEqual([down, down]);
    expect(lost).toEqual([]);
  });

  it('ends when the record is another worker’s, and says so once', async () => {
    const { host, beats, lost } = beating(async () => 'stale');
    await host.advance(60_000);
    expect(beats).toEqual([10_000]);
    expect(lost).toEqual([10_000]);
  });

  it('ends when it is stopped', async () => {
    const { host, beats, stop } = beating(async () => 'applied');
    await host.advance(10_000);
    stop();
    await host.advance(60_000);
    expect(beats).toEqual([10_000]);
  });

  it.each([
    ['is lost', async (host: Host) => later(host, 5_000, 'stale' as const)],
    ['is missed', (host: Host) => later(host, 5_000, undefined).then(() => Promise.reject(new Error('down')))],
    ['is applied', async (host: Host) => later(host, 5_000, 'applied' as const)],
  ])('that is stopped says nothing of a beat under way that %s, and no other follows', async (_, beat) => {
    const { host, beats, missed, lost, stop } = beating(beat);
    await host.advance(12_000);
    stop();
    await host.advance(60_000);
    expect([beats, missed, lost]).toEqual([[10_000], [], []]);
  });

  it('can be stopped before its first beat', async () => {
    const { host, beats, stop } = beating(async () => 'applied');
    stop();
    await host.advance(60_000);
    expect(beats).toEqual([]);
  });
});

describe('the end of a lease', () => {
  function watched(leaseUntil: { value: number }) {
    const host = virtualHost();
    const ends: number[] = [];
    const stop = whenLeaseEnds(
      host,
      () => leaseUntil.value - host.now(),
      () => ends.push(host.now() - someDay),
    );
    return { host, ends, stop };
  }

  it('is told when it has come, once', async () => {
    const { host, ends } = watched({ value: someDay + 1000 });
    await host.advance(999);
    expect(ends).toEqual([]);
    await host.advance(10_000);
    expect(ends).toEqual([1000]);
  });

  it('is told later when a renewal has moved it', async () => {
    const leaseUntil = { value: someDay + 1000 };
    const { host, ends } = watched(leaseUntil);
    await host.advance(500);
    leaseUntil.value += 2000;
    await host.advance(10_000);
    expect(ends).toEqual([3000]);
  });

  it('that is over by now is told at once', async () => {
    const { host, ends } = watched({ value: someDay - 5 });
    await host.advance(0);
    expect(ends).toEqual([0]);
  });

  it('is not told when the watch has ended, also after a renewal', async () => {
    const leaseUntil = { value: someDay + 1000 };
    const { host, ends, stop } = watched(leaseUntil);
    leaseUntil.value += 1000;
    await host.advance(1500);
    stop();
    await host.advance(10_000);
    expect(ends).toEqual([]);
  });
});
