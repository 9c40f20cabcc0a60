import { LeaseError } from '../kernel/errors.ts';
import type { Lock } from './lock.ts';
import type { LockSettings } from './options.ts';

export interface Renewal {
  /** Aborted when the lock is no longer this worker's. */
  readonly signal: AbortSignal;
  /** No renewal begins after it. One that is under way is not waited for, because it may hang: late, it is refused by its revision. */
  readonly stop: () => void;
}

/** Node runs a longer timer at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Renews a lock at every third of its lease until it is stopped. */
export function keepRenewed({ host, leaseMs }: LockSettings, lock: Lock): Renewal {
  const controller = new AbortController();
  let cancel: () => void = () => undefined;
  let cancelEnd: () => void = () => undefined;
  let stopped = false;

  async function beat(): Promise<void> {
    try {
      if ((await lock.renew()) === 'stale') return lose('the lock is somebody else’s');
    } catch {
      // One missed beat is no loss: the lease still runs, and the next beat comes before its end.
    }
    if (lock.remainingMs() <= 0) return lose('the lease has ended');
    next();
  }

  function lose(why: string): void {
    // Its work has ended, and has ended its lock itself.
    if (stopped) return;
    controller.abort(new LeaseError(why));
  }

  function next(): void {
    // A beat that was under way must not arm the next one: a heartbeat that outlives its work holds a dead lock.
    if (stopped) return;
    watchTheEnd();
    cancel = host.after(Math.min(leaseMs / 3, longestTimerMs), () => void beat());
  }

  /** A beat that hangs must not keep the work from hearing that its time is over. */
  function watchTheEnd(): void {
    cancelEnd();
    cancelEnd = host.after(Math.min(lock.remainingMs(), longestTimerMs), () => {
      if (lock.remainingMs() <= 0) lose('the lease has ended');
      else watchTheEnd();
    });
  }
  next();

  return {
    signal: controller.signal,
    stop(): void {
      stopped = true;
      cancel();
      cancelEnd();
    },
  };
}
