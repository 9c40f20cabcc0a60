import { explained } from '../kernel/error-code.ts';
import { wrongNumberIn } from '../kernel/stored-numbers.ts';
import type { StoredRecord } from './record.ts';

/**
 * An item is where a lock should be, and is none that this version of pawl knows. It is left as it is.
 *
 * @example
 * await lockStore.read([lock.id]).catch((error) => {
 *   if (error instanceof UnknownLockError) console.error('a later version of pawl, or another program, wrote this item');
 *   throw error;
 * });
 */
export class UnknownLockError extends Error {
  override readonly name = 'UnknownLockError';
  /** The item's. It may identify a person, and is no part of the message. */
  readonly id: string;
  constructor(id: string) {
    super(explained("an item is left alone: it is no lock of pawl's schema 1", 'foreign-item'));
    this.id = id;
  }
}

const ofLock = { counts: ['resources', 'rev'], times: ['since', 'leaseUntil', 'expiresAt'] };
const ofResource = { counts: ['fence'], times: [] };

/** @throws UnknownLockError when what a store has read is not of a schema that this version knows */
export function knownLock(found: object, id: string): StoredRecord {
  // Deciding upon a record that is only half understood could give a locked resource away.
  const record = found as StoredRecord;
  if (
    record.v !== 'lock-1' ||
    wrongNumberIn<string>({ ...record }, record.kind === 'lock' ? ofLock : ofResource) !== undefined
  ) {
    throw new UnknownLockError(id);
  }
  return record;
}
