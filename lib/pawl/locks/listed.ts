import { joined, ownParts } from '../kernel/name.ts';
import { bytesOf } from '../kernel/text.ts';
import { openShard } from '../rules/open.ts';
import type { LockRecord } from './record.ts';

/*
 * Where the index of a table keeps the locks that stand, so that operators can list them. The same index keeps the open claims: no shard of theirs begins like
 * these places.
 */

/** The place of the locks in one shard. */
export function lockPlace(shard: string): string {
  return joined(ownParts('locks', shard));
}

/** A lock with its place in the index, which is none once it has ended. No rule reads it. */
export function listed(lock: LockRecord): LockRecord {
  if (lock.status === 'ended') return { ...lock, open: undefined, firstSeenAt: undefined };
  return { ...lock, open: lockPlace(openShard(lock.id)), firstSeenAt: lock.since };
}

/** With it, the record of a lock stays within one write unit. */
const mostBytes = 512;
const mostFirst = 10;

/** The first of these ids, as the record of their lock names them. */
export function firstOf(ids: readonly string[]): string {
  const first: string[] = [];
  for (const id of ids.slice(0, mostFirst)) {
    if (bytesOf(JSON.stringify([...first, id])) > mostBytes) break;
    first.push(id);
  }
  return JSON.stringify(first);
}

/** The ids that the record of a lock names. @returns none of what is no list of texts */
export function firstIn({ first = '[]' }: Pick<LockRecord, 'first'>): readonly string[] {
  try {
    const ids: unknown = JSON.parse(first);
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}
