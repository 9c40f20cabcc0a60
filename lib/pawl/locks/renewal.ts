import { LeaseError } from '../kernel/errors.ts';
import { startHeartbeat, whenLeaseEnds } from '../kernel/heartbeat.ts';
import { keptUntil } from '../kernel/outliving.ts';
import { extend, type OwnedLock, remainingMs, reportLost } from './owned-lock.ts';

export interface Renewal {
  /** Aborted when the lock is no longer this worker's. */
  readonly signal: AbortSignal;
  /** No renewal begins after it. One that is under way is not awaited, because it may hang: late, its revision refuses it. */
  readonly stop: () => void;
}

/** Renews a lock at every third of its lease until it is stopped. */
export function keepRenewed(owned: OwnedLock): Renewal {
  const { host, leaseMs } = owned.settings;
  const controller = new AbortController();
  // Elsewhere, a work that never ends is ended with its invocation.
  const latest = keptUntil(host) ?? Infinity;

  function stop(): void {
    stopHeartbeat();
    stopWatch();
  }

  function lose(why: string): void {
    stop();
    reportLost(owned);
    controller.abort(new LeaseError(why));
  }

  const stopHeartbeat = startHeartbeat(host, {
    leaseMs,
    beat(until) {
      if (host.now() < latest) return extend(owned, until);
      stopHeartbeat();
      return Promise.resolve('applied');
    },
    // The lease still runs, and the next beat comes before its end.
    onMissed: () => undefined,
    onLost: () => lose('the lock is another worker’s'),
  });
  // Beside the heartbeat: a beat that hangs must not keep the work from hearing that its time is over.
  const stopWatch = whenLeaseEnds(
    host,
    () => remainingMs(owned),
    () => lose('the lease has ended'),
  );
  return { signal: controller.signal, stop };
}
