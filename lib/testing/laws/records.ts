import { randomUUID } from 'node:crypto';
import { type ClaimRecord, claimSchema } from 'pawl/internal';

/** A Saturday in 2026: times near zero hide errors of units, and fit into columns that are too small. */
export const someDay = Date.UTC(2026, 10, 21, 9, 30);

/** The namespace of the claims that the laws make. */
export const operation = 'laws';

/** An id that no law and no earlier run has used: the records of a real table stay. */
export function freshId(): string {
  return `${operation}#${freshKey()}`;
}

export const freshKey = (): string => randomUUID();

/** A claim that its first worker holds. */
export function claimRecord(overrides: Partial<ClaimRecord> = {}): ClaimRecord {
  return {
    id: freshId(),
    status: 'in-flight',
    claimId: 'first',
    fence: 1,
    leaseUntil: someDay + 30_000,
    firstSeenAt: someDay,
    attempts: 1,
    abandoned: 0,
    expiresAt: someDay / 1000 + 30 * 24 * 3600,
    rev: 1,
    v: claimSchema,
    ...overrides,
  };
}

/** The record that replaces `seen`. */
export function successorOf(seen: ClaimRecord, changes: Partial<ClaimRecord>): ClaimRecord {
  return { ...seen, ...changes, rev: seen.rev + 1 };
}

export type Random = ReturnType<typeof createRandom>;

/** A random source that repeats itself: a law that fails once fails again. */
export function createRandom(seed: number) {
  let state = seed;

  /** A number from 0 to 1: mulberry32. */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number): number => Math.floor(next() * limit);

  function pick<T>(values: readonly [T, ...T[]]): T {
    return values[below(values.length)] ?? values[0];
  }

  return { next, below, pick };
}
