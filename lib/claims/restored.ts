import { propertyOf } from '../kernel/unknown.ts';
import type { AbandonedPolicy } from './decide.ts';
import type { ClaimRecord } from './record.ts';

/**
 * What a table that was restored from a point in time says of a key.
 *
 * Such a table has forgotten the effects since that point. So a key without a record may have had its effect, and a record that nothing is known
 * against may be older than what happened since.
 *
 * 1. Only doubt is added. A confirmed outcome stays, and so does a parked claim.
 * 2. What was written since the table was opened again is left as it is.
 * 3. The fence moves on: beyond every fence that the lost minutes may have given.
 * 4. Under `'retry'` a handler runs again, and its steps and commits are in doubt one by one (`forgottenUntil`).
 */

/** A restore whose mark stands. */
export interface Restore {
  /** When the table was opened again, in epoch milliseconds: no effect that it has forgotten was applied later. */
  readonly reopenedAt: number;
}

/** What the mark of a restored table says to a run that compares statements. */
export interface MarkedRestore extends Restore {
  /** The point in time that the table was restored to, in epoch milliseconds: no effect that it has forgotten was applied earlier. */
  readonly cutOff: number;
  /** Whether the mark stands for the operation that was asked about. */
  readonly stands: boolean;
}

/**
 * What a store of a restored table can do besides: say what its mark says, and lift it for one operation. An optional capability of a `ClaimStore`, for
 * statements.
 */
export interface KnowsRestore {
  /** Reads the mark anew. @throws the store's error; OptionError if the table has none */
  readRestore(operation: string): Promise<MarkedRestore>;
  /** From then on, a key of this operation without a record is new. @throws the store's error */
  liftRestore(operation: string, lifted: { readonly by: string; readonly note: string }): Promise<void>;
}

export function knowsRestore(store: object): store is KnowsRestore {
  return (['readRestore', 'liftRestore'] as const).every((name) => typeof propertyOf(store, name) === 'function');
}

/** The token that no grant has: of a record that stands for what is forgotten. */
const forgotten = '#forgotten';

/** The record as it is to be decided upon. @param found what the table holds; `undefined` when there is nothing */
export function asRestored(id: string, found: ClaimRecord | undefined, { reopenedAt }: Restore): ClaimRecord {
  // Seconds, so that it stays readable; no key is granted once a second.
  const beyond = Math.floor(reopenedAt / 1000);
  if (found === undefined) {
    return {
      id,
      status: 'released',
      claimId: forgotten,
      fence: beyond,
      leaseUntil: reopenedAt,
      firstSeenAt: reopenedAt,
      attempts: 0,
      abandoned: 0,
      unknownAt: reopenedAt,
      restoredAt: reopenedAt,
      error: { name: 'Forgotten', message: 'the table was restored, and may have forgotten this key' },
      rev: 0,
      v: 2,
    };
  }
  const fence = Math.max(found.fence, beyond);
  const { status, firstSeenAt, leaseUntil, unknownAt = 0, restoredAt } = found;
  // Granted since: what its worker, its provider or an operator says of it is newer than the mark.
  if (restoredAt === reopenedAt) return found;
  // Resolved since, without a grant.
  if (firstSeenAt >= reopenedAt) return found;
  if (status === 'released' && unknownAt < reopenedAt)
    return { ...found, fence, unknownAt: reopenedAt, restoredAt: reopenedAt, expiresAt: undefined };
  if (status === 'in-flight' && leaseUntil < reopenedAt)
    return { ...found, fence, leaseUntil: reopenedAt, restoredAt: reopenedAt };
  return found;
}

/**
 * Until when a part of a granted claim may have been applied without a record of it: a step without a checkpoint, a commit. `'retry'` lets the handler
 * run, and relies on these records. An operator, or the claim's own provider, speaks of the whole.
 *
 * @returns epoch milliseconds; nothing where all records are there, or the doubt has ended
 */
export function forgottenUntil(
  { restoredAt, unknownAt }: Pick<ClaimRecord, 'restoredAt' | 'unknownAt'>,
  { onAbandoned }: { readonly onAbandoned: AbandonedPolicy },
): number | undefined {
  return onAbandoned === 'retry' && unknownAt !== undefined ? restoredAt : undefined;
}

/** Whether a record stands for one that the table does not have. A claim that was parked from it keeps its token, and has been written. */
export function isForgottenRecord({ claimId, rev }: ClaimRecord): boolean {
  return claimId === forgotten && rev === 0;
}
