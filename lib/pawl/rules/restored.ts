import { propertyOf } from '../kernel/unknown.ts';
import { checkpointsOf } from './checkpoints.ts';
import { type ClaimRecord, claimSchema } from './record.ts';

/**
 * What a table that was restored from a point in time says of a key.
 *
 * Such a table has forgotten the effects since that point. So a key without a record may have had its effect, and a record that is not confirmed may be
 * older than what happened since.
 *
 * 1. Only doubt is added. A confirmed outcome stays while it is kept, and so does a parked claim.
 * 2. What was written under the mark is left as it is. A record says so itself (`restoredAt`): no time of one machine is compared with a time of another.
 *    So the mark of a second restore, and one that was corrected to an earlier time, put all in doubt anew that is not confirmed.
 * 3. The fence moves on: beyond every fence that the lost minutes may have given.
 * 4. The parts of a handler are in doubt one by one (`forgottenUntil`): its commits, its steps without a checkpoint, and those whose checkpoint says that
 *    they had applied nothing. A decision on the whole claim ends that; a decision on some of its steps does not.
 */

/** A restore whose mark stands. */
export interface Restore {
  /** When the table was opened again, in epoch milliseconds: no effect that it has forgotten was applied later. It tells one mark from another. */
  readonly reopenedAt: number;
}

/** What the mark of a restored table says to a run that compares statements. */
export interface MarkedRestore extends Restore {
  /** The point in time that the table was restored to, in epoch milliseconds: no effect that it has forgotten was applied earlier. */
  readonly cutOff: number;
  /** The same of the earliest restore that the table or one of those before it had. */
  readonly firstCutOff: number;
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
  /**
   * From then on, a key of this operation without a record is new.
   *
   * @param judged the restore that the caller has judged
   * @returns false if the mark is another one by now, and stands
   * @throws the store's error
   */
  liftRestore(
    operation: string,
    lifted: { readonly by: string; readonly note: string },
    judged: Restore,
  ): Promise<boolean>;
}

export function knowsRestore(store: object): store is KnowsRestore {
  return (['readRestore', 'liftRestore'] as const).every((name) => typeof propertyOf(store, name) === 'function');
}

/** The token that no grant has: of a record that stands for what is forgotten. */
const forgotten = '#forgotten';

/**
 * The record as it is to be decided upon.
 *
 * @param found what the table holds; `undefined` when there is nothing
 * @param now epoch milliseconds
 */
export function asRestored(
  id: string,
  found: ClaimRecord | undefined,
  { reopenedAt }: Restore,
  now: number,
): ClaimRecord {
  if (found?.restoredAt === reopenedAt) return found;
  // Seconds, so that it stays readable; no key is granted once a second.
  const fence = Math.max(found?.fence ?? 0, Math.floor(reopenedAt / 1000));
  const seen = { fence, restoredAt: reopenedAt, forgottenUntil: reopenedAt };
  const nothing: ClaimRecord = {
    ...seen,
    id,
    status: 'released',
    claimId: forgotten,
    leaseUntil: reopenedAt,
    firstSeenAt: now,
    attempts: 0,
    abandoned: 0,
    unknownAt: reopenedAt,
    error: { name: 'Forgotten', message: 'the table was restored, and may have forgotten this key' },
    rev: 0,
    v: claimSchema,
  };
  switch (found?.status) {
    case undefined:
      return nothing;
    case 'completed':
    case 'rejected': {
      // Once it is no longer kept, its key is new, and may have run again in the lost time.
      const { expiresAt = Infinity, claimId, rev } = found;
      if (expiresAt * 1000 <= reopenedAt) return { ...nothing, claimId, rev };
      // What is written in its place, once it is not kept any more, is written under the mark.
      return expiresAt * 1000 > now ? found : { ...found, restoredAt: reopenedAt };
    }
    case 'in-flight':
      // Its lease says nothing: its worker may have completed it since, and others, at other doors, may have taken it over.
      return {
        ...found,
        ...seen,
        atomic: undefined,
        leaseUntil: Math.max(found.leaseUntil, reopenedAt),
        ...partsOf(found, reopenedAt),
      };
    case 'released': {
      const unknownAt = Math.max(found.unknownAt ?? 0, reopenedAt);
      return { ...found, ...seen, unknownAt, expiresAt: undefined, ...partsOf(found, reopenedAt) };
    }
    case 'parked':
      // It may have been resolved since, by steps, and have run.
      return { ...found, ...seen, ...partsOf(found, reopenedAt) };
  }
}

/** The checkpoints of a record of before: what had not been applied may have been applied since. */
function partsOf(found: ClaimRecord, reopenedAt: number): Pick<ClaimRecord, 'checkpoints'> {
  if (found.checkpoints === undefined) return {};
  const parts = checkpointsOf(found).map((one) =>
    one === null || one.state === 'done' ? one : { ...one, state: 'started', at: reopenedAt },
  );
  return { checkpoints: JSON.stringify(parts) };
}

/** Whether a record stands for one that the table does not have. A claim that was parked from it keeps its token, and has been written. */
export function isForgottenRecord({ claimId, rev }: ClaimRecord): boolean {
  return claimId === forgotten && rev === 0;
}
