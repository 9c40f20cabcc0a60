import type { LockFact } from '../engine/events.ts';
import { callListener } from '../kernel/listener.ts';
import type { Acquired } from './acquire.ts';
import type { LockSettings } from './options.ts';
import type { LockRecord } from './record.ts';

/** What happens to locks, for listeners: ids and counts, and no resource's name. */

type Reporting = Pick<LockSettings, 'operation' | 'onEvent' | 'host'>;

/** As many ids are in one event, at most. */
const mostIds = 10;

/** Reports what happened. Never throws. @param id of the lock or the work; empty if there is none */
export function reportLock({ operation, onEvent, host }: Reporting, id: string, fact: LockFact): void {
  callListener(onEvent, { operation, id, at: host.now(), ...fact });
}

/** Reports what became of a call for resources. */
export function reportAcquired(settings: Reporting, acquired: Acquired, resources: number): void {
  const now = settings.host.now();
  if (acquired.kind === 'busy') {
    const { by, retryAfterMs } = acquired.busy;
    const ids = [...new Set(by.flatMap(({ lock }) => lock?.id ?? []))].slice(0, mostIds);
    reportLock(settings, ids[0] ?? '', { type: 'lock-busy', resources, by: ids, retryAfterMs });
    return;
  }
  const { own, attempt } = acquired;
  const { ended, takenOver } = attempt.memory;
  for (const lock of ended.values()) {
    const overdueMs = Math.max(0, now - lock.leaseUntil);
    const facts = { by: own.id, resources: lock.resources, heldMs: heldMsOf(lock, now), overdueMs };
    reportLock(settings, lock.id, { type: 'lock-taken-over', ...facts });
  }
  const heldMs = own.since === attempt.since ? 0 : heldMsOf(own, now);
  reportLock(settings, own.id, { type: 'locked', resources, takenOver: takenOver.size, heldMs });
}

/** For how long the holder of a lock has had its resources. Its time is from the clock of whoever had it first. */
export function heldMsOf({ since }: Pick<LockRecord, 'since'>, now: number): number {
  return Math.max(0, now - since);
}
