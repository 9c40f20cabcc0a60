import type { ErrorCode } from '../kernel/error-code.ts';
import { explainedError } from '../kernel/errors.ts';
import type { RecordedError } from '../kernel/recorded-error.ts';
import { isCount, isTime, type StoredNumbers, wrongNumberIn } from '../kernel/stored-numbers.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { isObservedText } from './observed-text.ts';

/**
 * What an operator sees of a claim, in the words of the protocol.
 *
 * `in-flight`: one worker holds the claim. `released`: it may be tried again. `completed`: the effect happened.
 * `rejected`: it can never succeed. `parked`: its outcome is unknown and an operator has to decide.
 */
export type ClaimStatus = 'in-flight' | 'released' | 'completed' | 'rejected' | 'parked';

export const resolutionVerdicts = ['applied', 'not-applied', 'retry'] as const;

/** What a resolution says about an effect in doubt. `retry`: the operator does not know, and the effect is to run all the same. */
export type ResolutionVerdict = (typeof resolutionVerdicts)[number];

/** What an operator, or the provider, says about a step in doubt. Later attempts get `result` from the step. */
export type StepResolution = ResolutionVerdict | { readonly verdict: 'applied'; readonly result?: unknown };

/** What an operator, or the last holder, decided about a parked claim. All are texts: pawl keeps it for people to read. */
export interface Resolution {
  /** Of the claim as a whole; `by-step` when its steps in doubt were decided one by one. */
  readonly verdict: ResolutionVerdict | 'by-step';
  /** What was said of each step that was in doubt, by its name. */
  readonly steps?: Readonly<Record<string, ResolutionVerdict>> | undefined;
  /** Who decided; `last holder` when the worker that was thought dead has proved what happened. */
  readonly by: string;
  readonly note: string;
  /** ISO 8601, by the clock of who decided. It is for people: no rule compares it with anything. */
  readonly at: string;
  /** A random token: tells this resolution from every other one, also of the same person and millisecond. The last holder's has none. */
  readonly id?: string | undefined;
}

/** That an operator has deleted the dead letter of a claim for good. All are texts, for people to read. It decides nothing: the claim is what its status says. */
export interface Discarded {
  /** SQS's id of the dead letter. */
  readonly messageId: string;
  readonly by: string;
  readonly note: string;
  /** ISO 8601, by the clock of who discarded it. */
  readonly at: string;
}

/** That an operator has erased the data of a claim. All are texts, for people to read. */
export interface Forgotten {
  readonly by: string;
  readonly note: string;
  /** ISO 8601, by the clock of who erased it. */
  readonly at: string;
  /** A random token: tells this act from every other one. */
  readonly id: string;
}

/** Why a completed claim has no result to replay. */
export type ResultOmitted = 'by-choice' | 'too-large' | 'not-serialisable' | 'not-returned';

/** Facts that ride with a key: an amount, who asked, which account. */
export type Attributes = Readonly<Record<string, string | number>>;

/**
 * One item of the claims table. Times are epoch milliseconds, except `expiresAt`.
 *
 * @example
 * const record = await store.read('refund#payment-17');
 * if (record?.status === 'parked') console.log(`${record.id} was parked: ${record.error?.message}`);
 */
export interface ClaimRecord {
  /** `operation#key`, or `operation#sha256:…` where the key is too long to be a DynamoDB partition key. */
  readonly id: string;
  /** What an operator sees of the claim. */
  readonly status: ClaimStatus;
  /** Random token of the last grant: the worker that knows it is the owner. */
  readonly claimId: string;
  /** Grows by one with every grant of this key, and never goes back. */
  readonly fence: number;
  /** Until when the claim is exclusive, by the clock of the worker that holds it. */
  readonly leaseUntil: number;
  /** When the key was first seen. */
  readonly firstSeenAt: number;
  /** How many times the claim was granted. A grant that was given back before anything began is not counted. */
  readonly attempts: number;
  /** How many grants, one after the other, were given back before anything began: the time was over. Absent if the last one was not. */
  readonly unstarted?: number | undefined;
  /** How many of those grants ended without an outcome: the worker died, or it was too late. */
  readonly abandoned: number;
  /**
   * Until when an earlier attempt may have applied the effect without a record of it. Absent when nothing is in doubt.
   * Kept beside `released`, so that a policy chosen later still sees the doubt.
   */
  readonly unknownAt?: number | undefined;
  /** What the payload meant, as a hash. A later request with another fingerprint never runs. */
  readonly fingerprint?: string | undefined;
  /** The outcome to replay, as JSON text: exact, and a fresh copy each time it is read. */
  readonly result?: string | undefined;
  /** Why a completed claim has no `result`. */
  readonly resultOmitted?: ResultOmitted | undefined;
  /** How far the steps of the handler have come, in their order, as JSON text. Kept through later attempts. */
  readonly checkpoints?: string | undefined;
  /** Of a rejected claim, why; of a parked one, what is in doubt; of a released one, the last failure. */
  readonly error?: RecordedError | undefined;
  /** Of a claim that was parked, who decided what. Kept through later attempts. */
  readonly resolution?: Resolution | undefined;
  /** The last dead letter of the claim that an operator has deleted for good. Kept through later attempts. Never decided upon. */
  readonly discarded?: Discarded | undefined;
  /** That an operator has erased what the claim kept. Never decided upon. */
  readonly forgotten?: Forgotten | undefined;
  /** What the author keeps beside the key, from its first grant on. Never decided upon. */
  readonly attributes?: Attributes | undefined;
  /**
   * SQS's id of the message that the claim was granted for, of a copy that of the first, where duplicates in flight are discarded. Absent elsewhere. Read it with `sourceOf`.
   */
  readonly source?: string | undefined;
  /**
   * Of an operation whose provider has statements: `due` from its first grant on, and after a line of a statement has confirmed the claim, which line
   * (`stated.ts`). Absent elsewhere. Never decided upon.
   */
  readonly statement?: string | undefined;
  /**
   * The fence of a grant whose attempt applies nothing without its completion, because both are one transaction. While it is the record's own fence,
   * an attempt that was abandoned left nothing in doubt (`appliesWithCompletion`). A restored table shows a higher fence, which counts as doubt.
   * Absent elsewhere.
   */
  readonly atomic?: number | undefined;
  /**
   * Where the index of open claims keeps it: a shard, `00` to `31`; or the place of the claims that no statement has confirmed, or of those that were only
   * observed. Absent while neither an operator nor a statement has to look at the claim. Every write sets it anew, and nothing is decided upon it.
   */
  readonly open?: string | undefined;
  /**
   * Of a claim that was written while its table was marked as restored: when the table was opened again, in epoch milliseconds. It names the mark
   * (`restored.ts`). Absent elsewhere.
   */
  readonly restoredAt?: number | undefined;
  /**
   * Until when a part of the claim may have been applied without a record of it, a step or a commit: its table was restored. In epoch milliseconds.
   * Absent elsewhere, and once the whole claim is decided.
   */
  readonly forgottenUntil?: number | undefined;
  /**
   * What pawl has seen of runs that it only watched, under `mode: 'observe'`, as JSON text (`observed.ts`). Absent where it has watched none, and after a
   * worker of enforcement has taken the claim.
   */
  readonly observed?: string | undefined;
  /** When DynamoDB's TTL may collect the record, in epoch SECONDS. Absent when it is kept for ever, parked, or released in doubt. */
  readonly expiresAt?: number | undefined;
  /**
   * The revision: counts the writes of this record, and never goes back. With the claim id it tells one state of the record
   * from every other one.
   */
  readonly rev: number;
  /** Schema version. A record of another schema is left alone. */
  readonly v: typeof claimSchema;
}

export const claimSchema = 1;

/**
 * The message that holds the claim, while its first grant lasts: other messages may be discarded for it. A later grant says nothing. Its message may
 * be a duplicate that another worker is discarding at the moment, and to discard the first message for it would leave none.
 */
export function sourceOf({ source, fence }: Pick<ClaimRecord, 'source' | 'fence'>): string | undefined {
  return fence === 1 ? source : undefined;
}

/** Whether the attempt that holds the claim applies nothing without its completion. */
export function appliesWithCompletion({ atomic, fence }: Pick<ClaimRecord, 'atomic' | 'fence'>): boolean {
  return atomic === fence;
}

/** A record as the rules make it, before `successor` gives it its revision, and says whether it is open. */
export type Draft = Omit<ClaimRecord, 'rev' | 'v'>;

const statuses: readonly string[] = [
  'in-flight',
  'released',
  'completed',
  'rejected',
  'parked',
] satisfies ClaimStatus[];

/** What every claim has, and every entry in a list. */
const needed = {
  counts: ['fence', 'attempts', 'abandoned'],
  times: ['leaseUntil', 'firstSeenAt'],
} as const satisfies StoredNumbers<keyof ClaimRecord>;
/** What some have. */
const optional = {
  counts: ['rev', 'unstarted', 'atomic'],
  times: ['unknownAt', 'restoredAt', 'forgottenUntil', 'expiresAt'],
} as const satisfies StoredNumbers<keyof ClaimRecord>;

/**
 * Lets through what this version understands. To decide upon a record that is only half understood could run an effect twice, and a number that is
 * none makes every comparison false.
 *
 * @throws Error for a record of another schema, with a status that this version does not know, or with a number that is none. Neither the key nor a
 *   value is in the text
 */
export function understood(found: ClaimRecord | undefined): ClaimRecord | undefined {
  if (found === undefined) return found;
  const { v, status, claimId, rev } = found;
  if (v !== claimSchema || !statuses.includes(status)) {
    const schema: unknown = v;
    const known = schema === claimSchema ? ', with a status of its own' : '';
    throw leftAlone(`expected a claim of schema ${claimSchema}, found schema ${String(schema ?? 'none')}${known}`);
  }
  const wrong = wrongNumber(found) ?? (rev === undefined ? 'rev' : undefined);
  if (wrong !== undefined) throw leftAlone(`its ${wrong} is no number that pawl writes there`);
  if (typeof claimId !== 'string') throw leftAlone('its claimId is no text');
  if (found.observed !== undefined && !isObservedText(found.observed))
    throw leftAlone('what was observed of it cannot be read');
  return found;
}

/** The first number of a record, or of an entry in a list, that is none; or the checkpoints that are none. */
export function wrongNumber(found: Partial<ClaimRecord>): string | undefined {
  const wrong = wrongNumberIn<keyof ClaimRecord>(found, needed, optional);
  return wrong ?? (found.checkpoints === undefined || areCheckpoints(found.checkpoints) ? undefined : 'checkpoints');
}

/** Whether a text holds steps whose times and fences are numbers: a doubt is as old as its step. */
function areCheckpoints(text: unknown): boolean {
  try {
    const steps: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return Array.isArray(steps) && steps.every((one) => one === null || isCheckpoint(one));
  } catch {
    return false;
  }
}

function isCheckpoint(step: unknown): boolean {
  const fence = propertyOf(step, 'fence');
  const isNamed = typeof propertyOf(step, 'name') === 'string' && typeof propertyOf(step, 'state') === 'string';
  return isNamed && isTime(propertyOf(step, 'at')) && (fence === undefined || isCount(fence));
}

const foreign = 'foreign-item' satisfies ErrorCode;

function leftAlone(why: string): Error {
  return explainedError(Error, `the record under this key is left alone: ${why}`, foreign);
}

/** Whether an error says that a record is left alone: another program, or a later version of pawl, wrote it. */
export function isLeftAlone(error: unknown): boolean {
  return propertyOf(error, 'code') === foreign;
}

/** For a list: one record that is left alone must not fail it. An act on it says what it is. */
export async function unlessLeftAlone(
  reading: Promise<ClaimRecord | undefined>,
): Promise<ClaimRecord | 'left-alone' | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isLeftAlone(error)) return 'left-alone';
    throw error;
  }
}
