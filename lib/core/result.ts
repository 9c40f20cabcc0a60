import type { Outcome } from './settle.ts';

/**
 * A completion with its result as JSON text, because that is exact, bounded, and a fresh copy each time it is read. Never
 * throws: what cannot be recorded must not undo an effect that has happened.
 */
export function completion(value: unknown, maxBytes: number, wanted: boolean): Outcome & { status: 'completed' } {
  const status = 'completed';
  if (value === undefined) return { status };
  if (!wanted) return { status, resultOmitted: 'by-choice' };
  try {
    const result: unknown = JSON.stringify(value);
    if (typeof result === 'string') {
      const fits = new TextEncoder().encode(result).length <= maxBytes;
      return fits ? { status, result } : { status, resultOmitted: 'too-large' };
    }
  } catch {
    // A cycle, a BigInt, a toJSON that throws.
  }
  return { status, resultOmitted: 'not-serialisable' };
}
