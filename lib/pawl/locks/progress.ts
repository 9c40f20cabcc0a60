import type { RecordState, Transition } from '../kernel/record.ts';

/**
 * The progress of a work that is larger than a transaction: a policy over versioned records, as claims and locks are. Pure.
 *
 * Owns: how a list is divided, what an attempt writes into a segment that it begins or goes on with, when a segment may move on.
 * Does not own: requests and DynamoDB's expressions (`dynamodb/progress.ts`), what the application writes (`dynamodb/for-each-item.ts`).
 *
 * 1. Only the attempt that began last moves a segment: its token is in the condition of every move.
 * 2. A segment moves on from where it was seen, and never back: each item is done once.
 * 3. An attempt goes on with a segment only if the segment is about the same items of the same work.
 */

/**
 * The name of a work: `id` tells the works of two requests apart, `work` the works of one request.
 *
 * @example
 * const name: WorkName = { id: claim.effectKey, work: 'repay' };
 */
export interface WorkName {
  /** The identity of the request, the same on every attempt. */
  readonly id: string;
  /** What is done, such as `'repay'`. */
  readonly work: string;
}

/** A run of items that is done in order, so that how far it has come is one number. */
export interface Segment {
  readonly index: number;
  /** The first of its items, counted from 0. */
  readonly from: number;
  /** The first item after it. */
  readonly to: number;
}

/** How far a segment has come, and under whom. */
export interface Position {
  /** The token of the last attempt that began the work: no other one may move it on. */
  readonly attempt: string;
  /** The first item that is not done. */
  readonly next: number;
}

/** A segment as the table has it: of bounded size, however many items it is about. */
export interface SegmentRecord extends Segment, Position {
  /** How many items the whole work has. */
  readonly total: number;
  /** Of the segment's items: another list under the same id and name is not this work. */
  readonly fingerprint: string;
  /** The name of the work. */
  readonly work: string;
  /** When DynamoDB's TTL may collect the record, in epoch seconds. */
  readonly expiresAt: number;
  readonly v: string;
}

/** With a guard or two they fit one transaction, in which an attempt makes all of them its own. */
const mostSegments = 64;
const fewestItems = 50;

/**
 * How a work of so many items is divided. It depends on nothing else, so that an attempt with another `chunk` or `concurrency`
 * goes on where the last one stopped.
 */
export function segmentsOf(total: number): readonly Segment[] {
  const size = Math.max(fewestItems, Math.ceil(total / mostSegments));
  // A work without items has a segment as well: a list that was empty once is not any other list later, nor the other way round.
  return Array.from({ length: Math.max(1, Math.ceil(total / size)) }, (_, index) => {
    const from = index * size;
    return { index, from, to: Math.min(from + size, total) };
  });
}

/** How far a work has come. */
export interface Progress {
  readonly total: number;
  readonly done: number;
}

export function progressOf(total: number, segments: readonly (SegmentRecord | undefined)[]): Progress {
  const done = segments.reduce((sum, segment) => sum + (segment ? segment.next - segment.from : 0), 0);
  return { total, done };
}

/** An attempt at a work, as it begins. */
export interface WorkAttempt {
  readonly work: string;
  readonly attempt: string;
  readonly total: number;
  /** Of the items of each segment. */
  readonly fingerprints: readonly string[];
  readonly expiresAt: number;
}

/** How an attempt makes a segment its own. What is done of it stays done. */
export interface Adoption {
  readonly fields: Omit<SegmentRecord, 'next'>;
  /** Where a segment stands that is begun now. */
  readonly firstNext: number;
  /** The states in which it may be adopted; `undefined`: there is no record. */
  readonly allowed: readonly (RecordState | undefined)[];
}

/** The schema of a segment. */
const v = 'work-1';

/** What an attempt writes into each segment as it begins. */
export function adoptionsOf({ work, attempt, total, fingerprints, expiresAt }: WorkAttempt): readonly Adoption[] {
  return segmentsOf(total).map(({ index, from, to }) => {
    const fingerprint = fingerprints[index] ?? '';
    return {
      fields: { index, from, to, total, attempt, fingerprint, work, expiresAt, v },
      firstNext: from,
      allowed: [undefined, { total, fingerprint, work }],
    };
  });
}

/** One chunk that an attempt has done. */
export interface Move {
  readonly attempt: string;
  /** The first item of the chunk. */
  readonly from: number;
  /** The first item after it. */
  readonly to: number;
}

/** What tells one state of a segment from every other one, as far as moves are concerned. */
export function positionState({ attempt, next }: Position): RecordState {
  return { attempt, next };
}

/**
 * What a move makes of a segment, given what stands there. `applied`: it was moved before, and the response lost. `stale`: another
 * attempt has begun.
 */
export function moveSegment({ attempt, from, to }: Move, found: Position | undefined): Transition<Position> {
  if (found?.attempt !== attempt) return 'stale';
  if (found.next === to) return 'applied';
  return found.next === from ? { attempt, next: to } : 'stale';
}
