/** A run of items that is done in order, so that how far it has come is one number. */
export interface Segment {
  readonly index: number;
  /** The first of its items, counted from 0. */
  readonly from: number;
  /** The first item after it. */
  readonly to: number;
}

/** A segment as the table has it: of bounded size, however many items it is about. */
export interface SegmentRecord extends Segment {
  /** The first item that is not done. */
  readonly next: number;
  /** How many items the whole work has. */
  readonly total: number;
  /** The token of the last attempt that began the work: nobody else may move it on. */
  readonly attempt: string;
  /** Of the segment's items: another list under the same id and name is not this work. */
  readonly fingerprint: string;
  /** The name of the work. Older versions knew none. */
  readonly work?: string;
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

/**
 * What a refused move of a segment to `next` was, given what stands there.
 *
 * `applied`: it was applied before, and the answer lost. `stale`: another attempt has begun.
 */
export function refusedMove(attempt: string, next: number, found: Pick<SegmentRecord, 'attempt' | 'next'> | undefined) {
  return found?.attempt === attempt && found.next === next ? 'applied' : 'stale';
}
