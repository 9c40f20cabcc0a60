import { beatsPerLease } from './defaults.ts';
import type { Host } from './host.ts';

/** What a heartbeat does. */
export interface Heartbeat {
  /** How long the lease is, in milliseconds. A third of it lies between two beats. */
  readonly leaseMs: number;
  /** Extends the lease. @param until when to give this beat up, in epoch milliseconds */
  readonly beat: (until: number) => Promise<'applied' | 'stale'>;
  /** A beat failed. That is no loss: the lease still runs, and the next beat comes before its end. */
  readonly onMissed: (error: unknown) => void;
  /** The record is another worker's. No further beat follows. */
  readonly onLost: () => void;
}

/**
 * Renews a lease at every third of it, until the returned function is called. That function does not wait for a beat under way: one
 * that hangs would keep the outcome of an effect that has happened from being recorded. What such a beat writes late, the revision refuses.
 */
export function startHeartbeat(host: Host, { leaseMs, beat, onMissed, onLost }: Heartbeat): () => void {
  const everyMs = leaseMs / beatsPerLease;
  let stopped = false;
  let cancel: (() => void) | undefined;

  /** Never rejects: nothing waits for it. */
  async function beatOnce(): Promise<void> {
    const startedAt = host.now();
    let lost = false;
    try {
      // A beat that hangs is given up when the next one is due: waited for any longer, it alone would cost the lease. It is not given up at the
      // end of the lease as far as that is known here: after a clock was set forward that is over, and no beat would ever be waited for again.
      lost = (await beat(startedAt + everyMs)) === 'stale';
    } catch (error) {
      if (!stopped) onMissed(error);
    }
    // The work has ended while this beat was under way. What the beat wrote, if anything, the outcome has seen or fenced off.
    if (stopped) return;
    if (lost) onLost();
    else next(host.now() - startedAt);
  }

  function next(tookMs: number): void {
    // Not below 0, nor later than a third, whatever becomes of the clock meanwhile.
    cancel = host.after(Math.min(everyMs, Math.max(0, everyMs - tookMs)), () => void beatOnce());
  }

  next(0);
  return function stop() {
    stopped = true;
    cancel?.();
  };
}

/**
 * Runs `callback` when a lease has ended, unless the returned function is called before. A renewal may move the end, so it is looked
 * at again when the time has come.
 *
 * @param remainingMs milliseconds until the lease ends, as known now
 */
export function whenLeaseEnds(host: Pick<Host, 'after'>, remainingMs: () => number, callback: () => void): () => void {
  let cancel: () => void;

  function arm(): void {
    cancel = host.after(Math.max(0, remainingMs()), () => {
      if (remainingMs() > 0) arm();
      else callback();
    });
  }

  arm();
  return () => cancel();
}
