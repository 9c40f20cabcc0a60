import type { AcquisitionState, Attempt } from '../../lib/pawl/locks/acquisition-state.ts';
import type { FoundResource } from '../../lib/pawl/locks/found-resource.ts';
import type { StoredRecord } from '../../lib/pawl/locks/record.ts';
import type { LockWrite } from '../../lib/pawl/locks/store.ts';
import type { Activity, Worker, World } from './model.ts';

/**
 * A text for each world, the same for worlds that nothing can tell apart. What decides nothing is left out: reasons, schemas, since when a holder
 * has had its resources, and when a record is collected.
 */
export function keyOf({ now, crashes, lost, records, written, workers }: World): string {
  const stored = Object.values(records).map(ofRecord).sort();
  const counts = Object.entries(written).sort();
  return [now, crashes, lost, stored, counts, workers.map(ofWorker).join('&')].join('|');
}

function ofRecord(record: StoredRecord | undefined): string {
  if (record === undefined) return '-';
  if (record.kind === 'resource') return `${record.id}:${record.lockId}:${record.fence}`;
  const { id, status, holder, leaseUntil, by, rev } = record;
  return `${id}:${status}:${holder}:${leaseUntil}:${by}:${rev}`;
}

function ofWorker({ holder, lockId, at, retries, granted, commits }: Worker): string {
  return `${holder}/${lockId}/${retries}/${Object.entries(granted)}/${commits}/${ofActivity(at)}`;
}

function ofActivity(at: Activity): string {
  if (at.kind === 'ended') return `ended:${at.end}`;
  return at.kind === 'acquiring' ? ofState(at.state) : `${at.kind}:${ofRecord(at.own)}`;
}

function ofState(state: AcquisitionState): string {
  return `${state.kind}(${ofAttempt(state.attempt)})${detailsOf(state)}`;
}

function ofAttempt({ from, own, resources, earlier, memory }: Attempt): string {
  const fences = [...new Map(resources.map(({ id, fence }) => [id, fence]))].sort();
  const { known, looked, ended, takenOver } = memory;
  return [from, ofRecord(own), fences, records(earlier), known, looked, records(ended), [...takenOver.keys()]].join(
    ';',
  );
}

function detailsOf(state: AcquisitionState): string {
  switch (state.kind) {
    case 'reading-locks':
      return state.resources.map(ofRecord).join();
    case 'checking-own':
      return found(state.found);
    case 'clearing':
      return `${found(state.found)}>${writes(state.writes)}`;
    case 'taking':
    case 'ending-earlier':
      return writes(state.writes);
    case 'renewing':
      return writes([state.write]);
    case 'letting-go':
      return `${writes([state.write])}>${state.busy.isFinal}`;
    case 'checking-earlier':
      return String(state.busy.isFinal);
    case 'reading-successor':
      return state.lockId;
    default:
      return '';
  }
}

const records = (map: ReadonlyMap<string, StoredRecord>) => [...map.values()].map(ofRecord).join();
const found = (all: readonly FoundResource[]) =>
  all.map(({ resource, lock }) => `${ofRecord(resource)}<${ofRecord(lock)}`).join();
const writes = (all: readonly LockWrite[]) => all.map(({ next, seen }) => `${ofRecord(seen)}>${ofRecord(next)}`).join();
