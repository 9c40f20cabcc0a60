import type { ClaimRecord } from './record.ts';

/**
 * What a claim's record says of the runs that pawl has only watched.
 *
 * Owns: what is kept of them, and how enforcement reads it. Does not own: how a run that begins or ends changes a record (`observe.ts`).
 *
 * 1. A record that only observed runs have made has a token that no grant has. Its status is what enforcement reads: done is completed; begun is in flight until its
 *    lease ends; failed, or ended without a word, is in doubt.
 * 2. Beside a claim of enforcement, observed runs change nothing but `observed`: the claim is its worker's. What they came to counts once that claim is free.
 * 3. A key under which observed runs had two intents is honoured for none of them. Nobody knows which of the two was done.
 * 4. A grant or a parking takes over what was observed: its doubt is the claim's own from then on, and a decision about it is not asked for again.
 */

/** How a delivery came to be another one of its key. */
const waysAgain = ['sent-twice', 'redelivered', 'redelivered-after-crash', 'redriven', 'called-again'] as const;
export type WayAgain = (typeof waysAgain)[number];

/** How an observed run ended. `nothing`: its error says that it has applied nothing. */
export type ObservedEnd = 'done' | 'failed' | 'nothing';

/** One run that pawl has watched. Times are epoch milliseconds. */
export interface ObservedRun {
  /** A random token. */
  readonly run: string;
  readonly at: number;
  /** Until when it may run, which is the end of its invocation; of a run that has ended, when it did. */
  readonly until: number;
  /** SQS's id of its message, through any number of copies. */
  readonly message?: string | undefined;
  /** @default it runs; or it was killed, if its time is over */
  readonly end?: ObservedEnd | undefined;
  /** Its payload was another one than that of the record. */
  readonly other?: true | undefined;
}

/** What is kept of the runs of one key. The numbers are of all of them, and `runs` are the last ones. */
export interface Observed {
  readonly deliveries: number;
  /** How many runs of the record's intent have had their effect. */
  readonly done: number;
  /** How many of them may have had it: they failed. */
  readonly failed: number;
  /** How many runs had another payload. */
  readonly other: number;
  /** Of the deliveries after the first one, how they came. */
  readonly again: Readonly<Partial<Record<WayAgain, number>>>;
  readonly runs: readonly ObservedRun[];
  /** A short hash of each field of the first payload. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
  /** The names of the fields in which the payloads under this key differ. */
  readonly differing?: readonly string[] | undefined;
  /** A run began beside a claim of enforcement, or behind one. */
  readonly beside?: true | undefined;
}

/** The token of a record that only observed runs have made. No grant has it. */
export const observedToken = '#observed';

export const nothingObserved: Observed = { deliveries: 0, done: 0, failed: 0, other: 0, again: {}, runs: [] };

/** What is kept of the observed runs of a key. */
export function observedIn({ observed }: Pick<ClaimRecord, 'observed'>): Observed {
  return observed === undefined ? nothingObserved : JSON.parse(observed);
}

/** What is kept of observed runs, without what it says of their messages: their ids, and the hashes of their fields. The counts stay, and so does every run. */
export function withoutMessages(observed: ClaimRecord['observed']): ClaimRecord['observed'] {
  if (observed === undefined) return undefined;
  const { fields: _, runs, ...counts }: Observed = JSON.parse(observed);
  return JSON.stringify({ ...counts, runs: runs.map(({ message: _, ...run }) => run) } satisfies Observed);
}

/** Whether only observed runs have made a record, and nobody has decided about it since. */
export function isObserved({ claimId, status }: Pick<ClaimRecord, 'claimId' | 'status'>): boolean {
  return claimId === observedToken && status !== 'parked' && status !== 'rejected';
}

/**
 * Whether enforcement has the claim of a key, or had it before an observed run took the record over. A worker that is killed reports nothing, so the record
 * keeps it.
 */
export function isEnforcedToo(record: Pick<ClaimRecord, 'claimId' | 'observed'>): boolean {
  return record.claimId !== observedToken || observedIn(record).beside === true;
}

/** Whether an observed run of a key had another intent than its record: an effect under the key may be that of either. */
export function hadOtherIntent(record: Pick<ClaimRecord, 'observed'>): boolean {
  return observedIn(record).other > 0;
}

/** Whether a key stands for several intents, as far as observed runs have seen. */
export function isAmbiguous(record: Pick<ClaimRecord, 'claimId' | 'observed'>): boolean {
  return record.claimId === observedToken && hadOtherIntent(record);
}

/** The runs of the record's own intent that have not ended, as far as is known. */
export function runsUnderWay({ runs }: Pick<Observed, 'runs'>): readonly ObservedRun[] {
  return runs.filter(({ end, other }) => end === undefined && other === undefined);
}

/** What of a record observed runs have a say in. */
export type Seen = Pick<ClaimRecord, 'status' | 'claimId' | 'leaseUntil' | 'unknownAt' | 'observed'>;

/**
 * The record as it is to be decided upon: with what runs came to that were observed beside a claim of enforcement. Of a record that only observed runs have made, its
 * status says so already.
 */
export function withObserved<R extends Seen>(found: R): R {
  const isOver = found.status !== 'released' && found.status !== 'in-flight';
  if (found.observed === undefined || found.claimId === observedToken || isOver) return found;
  const observed = observedIn(found);
  if (observed.done > 0) return { ...found, status: 'completed', resultOmitted: 'not-returned', error: undefined };
  const doubts = observed.runs
    .filter(({ end, other }) => end === 'failed' && other === undefined)
    .map(({ until }) => until);
  const unknownAt = doubts.length === 0 ? found.unknownAt : Math.max(...doubts, found.unknownAt ?? 0);
  const ends = runsUnderWay(observed).map(({ until }) => until);
  if (ends.length === 0) return { ...found, unknownAt };
  const leaseUntil = Math.max(...ends, found.status === 'in-flight' ? found.leaseUntil : 0);
  return { ...found, status: 'in-flight', leaseUntil, unknownAt, atomic: undefined };
}
