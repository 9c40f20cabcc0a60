/**
 * What an operator sees of a claim, in the words of the protocol.
 *
 * `in-flight`: one worker holds the claim. `released`: it may be tried again. `completed`: the effect happened.
 * `rejected`: it failed for good. `parked`: its outcome is unknown and somebody has to decide.
 */
export type ClaimStatus = 'in-flight' | 'released' | 'completed' | 'rejected' | 'parked';

/** A bounded description of an error: enough to act on, never a payload, never a stack. */
export interface RecordedError {
  readonly name: string;
  readonly message: string;
}

/** How a claim that was parked came to be decided. All are texts: it is kept for people to read. */
export interface Resolution {
  readonly verdict: 'applied' | 'not-applied' | 'retry';
  /** Who decided; `last holder` when the worker that was thought dead came with the proof. */
  readonly by: string;
  readonly note: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Why a completed claim has no result to replay. */
export type ResultOmitted = 'by-choice' | 'too-large' | 'not-serialisable';

/** Facts that ride with a key: an amount, who asked, which account. */
export type Attributes = Readonly<Record<string, string | number>>;

/** One item of the claims table. Times are epoch milliseconds, except `expiresAt`. */
export interface ClaimRecord {
  /** `operation#key`, or `operation#sha256:…` where the key is too long to be a DynamoDB partition key. */
  readonly id: string;
  readonly status: ClaimStatus;
  /** Random token of the last grant: whoever knows it is the owner. */
  readonly claimId: string;
  /** Grows by one with every grant of this key, and never goes back. */
  readonly fence: number;
  /** Until when the claim is exclusive, by the clock of the worker that holds it. */
  readonly leaseUntil: number;
  readonly firstSeenAt: number;
  /** How many times the claim was granted. */
  readonly attempts: number;
  /** How many of those grants ended without an outcome: the worker died, or it was too late. */
  readonly abandoned: number;
  /**
   * Until when an earlier attempt may have applied the effect without anybody knowing. Absent when nothing is in doubt.
   * Kept beside `released`, so that a policy chosen later still sees the doubt.
   */
  readonly unknownAt?: number | undefined;
  readonly fingerprint?: string | undefined;
  /** The outcome to replay, as JSON text: exact, and a fresh copy each time it is read. */
  readonly result?: string | undefined;
  readonly resultOmitted?: ResultOmitted | undefined;
  /** How far the steps of the handler came, by their order, as JSON text. Kept through later attempts. */
  readonly checkpoints?: string | undefined;
  /** Of a rejected claim, why; of a parked one, what is in doubt; of a released one, the last failure. */
  readonly error?: RecordedError | undefined;
  /** Of a claim that was parked, who decided what. Kept through later attempts. */
  readonly resolution?: Resolution | undefined;
  /** What the author keeps beside the key, from its first grant on. Never decided upon. */
  readonly attributes?: Attributes | undefined;
  /** When DynamoDB's TTL may collect the record, in epoch SECONDS. Absent when it is kept for ever, or parked. */
  readonly expiresAt?: number | undefined;
  /** Schema version. */
  readonly v: 1;
}

const longestErrorText = 512;

/** Takes what was thrown, whatever it is, down to a bounded name and message. */
export function recordedError(thrown: unknown): RecordedError {
  const bounded = (text: unknown) => String(text).slice(0, longestErrorText);
  try {
    const { name = 'Error', message = thrown } = Object(thrown);
    return { name: bounded(name), message: bounded(message) };
  } catch {
    // An error whose own getters or toString throw must not turn a settled claim into a lost one.
    return { name: 'Error', message: 'indescribable' };
  }
}
