import type { FoundResource } from './found-resource.ts';
import type { LockRecord, ResourceRecord, StoredRecord } from './record.ts';
import type { LockWrite, LockWriteResult } from './store.ts';

/** What the state machine of `acquisition.ts` is made of. */

/** What one call asks for. */
export interface Wish {
  /** The ids of the resources, each once, in the order in which every worker takes them. */
  readonly ids: readonly string[];
  readonly holder: string;
  readonly reason: string;
  /** How many resources one write takes, besides the lock itself. */
  readonly room: number;
  readonly leaseMs: number;
  readonly keepMs: number;
  readonly skewMs: number;
}

/** What a call remembers from one attempt to the next. */
export interface Memory {
  /** Its own tokens, and the locks of the holder that were there at the first look. A lock of the holder that is none of them came later. */
  readonly known: readonly string[];
  /** The pieces that begin before this resource have been looked at. */
  readonly looked: number;
  /** Locks of other holders that it has ended, as they were before. */
  readonly ended: ReadonlyMap<string, LockRecord>;
  /** The resources of these. */
  readonly takenOver: ReadonlyMap<string, FoundResource>;
}

/** One attempt of a call, and what it has so far. */
export interface Attempt {
  /** A late copy of a write that let go must not be taken for a write of the next attempt: each has a token of its own. */
  readonly lockId: string;
  /** Since when its holder has had the resources, in epoch milliseconds. */
  readonly since: number;
  /** The first resource of the current piece, as an index. */
  readonly from: number;
  readonly own: LockRecord | undefined;
  /** What it has put under its lock, some of it perhaps more than once. */
  readonly resources: readonly ResourceRecord[];
  /** Locks of the holder's earlier attempts. */
  readonly earlier: ReadonlyMap<string, LockRecord>;
  readonly memory: Memory;
}

/** Other holders have some of the resources. `isFinal`: a later attempt of the same holder has come, and this one gives way. */
export interface Busy {
  readonly by: readonly FoundResource[];
  readonly retryAfterMs: number;
  readonly isFinal: boolean;
}

/** A write of the own lock alone. */
interface OwnWrite {
  readonly next: LockRecord;
  readonly seen: LockRecord;
}

type Situation =
  | { readonly kind: 'reading-resources' | 'reading-earlier' | 'reading-own' }
  | { readonly kind: 'reading-locks'; readonly resources: readonly (StoredRecord | undefined)[] }
  | { readonly kind: 'checking-own'; readonly found: readonly FoundResource[] }
  | { readonly kind: 'clearing'; readonly found: readonly FoundResource[]; readonly writes: readonly LockWrite[] }
  | { readonly kind: 'taking' | 'ending-earlier'; readonly writes: readonly LockWrite[] }
  | { readonly kind: 'renewing'; readonly write: OwnWrite }
  | { readonly kind: 'letting-go'; readonly write: OwnWrite; readonly busy: Busy }
  | { readonly kind: 'reading-successor'; readonly lockId: string }
  | { readonly kind: 'checking-earlier' | 'waiting' | 'refused'; readonly busy: Busy }
  | { readonly kind: 'granted'; readonly own: LockRecord };

export type AcquisitionState = Situation & { readonly attempt: Attempt };

/** What is to be carried out. At `wait`, the driver may give up instead: nothing is locked then. `granted` and `refused` end the call. */
export type Request =
  | { readonly kind: 'read'; readonly ids: readonly string[] }
  | { readonly kind: 'write'; readonly writes: readonly LockWrite[] }
  | { readonly kind: 'wait'; readonly busy: Busy }
  | { readonly kind: 'granted'; readonly attempt: Attempt; readonly own: LockRecord }
  | { readonly kind: 'refused'; readonly busy: Busy };

/** What a request has come to. `now`: epoch milliseconds, after the response. */
export type Event = { readonly now: number } & (
  | { readonly kind: 'read'; readonly records: readonly (StoredRecord | undefined)[] }
  | { readonly kind: 'written'; readonly result: LockWriteResult }
  /** The wait is over. `lockId` is the token of the next attempt. */
  | { readonly kind: 'waited'; readonly lockId: string }
);
