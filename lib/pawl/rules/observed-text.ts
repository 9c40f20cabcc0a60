import { propertyOf } from '../kernel/unknown.ts';

/*
 * What a record keeps of the runs of its key that pawl has only watched: one field, as JSON text. Owns: its form. Does not own: what it means (`observed.ts`), and
 * when it changes (`observe.ts`).
 */

/** How a delivery came to be another one of its key. */
export const waysAgain = ['sent-twice', 'redelivered', 'redelivered-after-crash', 'redriven', 'called-again'] as const;
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
}

export const nothingObserved: Observed = { deliveries: 0, done: 0, failed: 0, other: 0, again: {}, runs: [] };

/** What is kept of the observed runs of a key. */
export function observedIn({ observed }: { readonly observed?: string | undefined }): Observed {
  return observed === undefined ? nothingObserved : JSON.parse(observed);
}

/** Whether a text is what pawl keeps of observed runs. */
export function isObservedText(text: unknown): boolean {
  try {
    const read: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    const isCounted = (['deliveries', 'done', 'failed', 'other'] as const).every((name) =>
      Number.isSafeInteger(propertyOf(read, name)),
    );
    return isCounted && Array.isArray(propertyOf(read, 'runs')) && typeof propertyOf(read, 'again') === 'object';
  } catch {
    return false;
  }
}
