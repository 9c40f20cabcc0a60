import type { ClaimRecord, ClaimStore, ClaimWrite, WriteResult } from 'pawl/internal';
import { expectSame } from './expect.ts';

/** What one law of claim stores runs on. */
export interface ClaimStage {
  readonly store: ClaimStore;
  /** The same records as another process sees them. The store itself, where it has one process only. */
  readonly elsewhere: ClaimStore;
  /** Stores that send every applied write twice, by who it is that sends again. */
  readonly lossy: LossyStores;
  readonly races: number;
  readonly runs: number;
  readonly mayMeetItself: boolean;
  /** How long a list of open claims may lag behind the records, in milliseconds. */
  readonly listLagMs: number;
}

/** The same records, through a store that loses the response of every applied write and sends the write again. */
export interface LosingResponses<Store> {
  readonly store: Store;
  /** How many responses were lost until now. */
  readonly lost: () => number;
}

/** Who sends again: the caller of the store, or the database's client below the store. */
export interface LossyStores {
  readonly 'its caller': LosingResponses<ClaimStore>;
  /** Missing where no such way was given: the laws about it are skipped. */
  readonly 'its client': LosingResponses<ClaimStore> | undefined;
}

/** A store as a caller uses it that did not get the response, and asks again: also of a write that was refused because of itself. */
export function sentTwice(store: ClaimStore, mayMeetItself: boolean): LosingResponses<ClaimStore> {
  let lost = 0;
  return {
    lost: () => lost,
    store: {
      read: (id) => store.read(id),
      async write(write) {
        const first = await store.write(write);
        if (!wasApplied(first, write.next, mayMeetItself)) return first;
        lost++;
        return store.write(write);
      },
    },
  };
}

/** Writes a record that must not be there yet. */
export async function create({ store, mayMeetItself }: ClaimStage, next: ClaimRecord): Promise<void> {
  const result = await store.write({ next, seen: undefined });
  if (wasApplied(result, next, mayMeetItself)) return;
  expectSame('The first write of an id was refused', result, { applied: true }, noFirstClaim);
}

const noFirstClaim = 'No message with a new key would ever run.';

/**
 * Whether a write was applied. A client that sends again by itself is refused by its own first try: the record that stands there is the very
 * one that it wrote.
 */
export function wasApplied(result: WriteResult, next: ClaimRecord, mayMeetItself: boolean): boolean {
  if (result.applied) return true;
  return mayMeetItself && result.found?.claimId === next.claimId && result.found.rev === next.rev;
}

/**
 * Holds a store to refuse a write, to say what stands there, and to leave that as it is.
 *
 * @param did what is wrong if the store applies the write, as the beginning of a sentence
 */
export async function expectRefused(
  { store }: ClaimStage,
  write: ClaimWrite,
  found: ClaimRecord | undefined,
  did: string,
  why: string,
): Promise<void> {
  const result = await store.write(write);
  expectSame(did, result, { applied: false, found }, why);
  const after = await store.read(write.next.id);
  expectSame(`${did}: it was refused, and read(id) shows a change`, after, found, why);
}
