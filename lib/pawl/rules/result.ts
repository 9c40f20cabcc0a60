import { bytesOf } from '../kernel/text.ts';
import type { Outcome } from './outcome.ts';
import type { ResultOmitted } from './record.ts';

/**
 * A completion with its result as JSON text, because that is exact, bounded, and a fresh copy each time it is read. Never
 * throws: what cannot be recorded must not undo an effect that has happened.
 */
export function completion(value: unknown, maxBytes: number, wanted: boolean): Outcome & { status: 'completed' } {
  const status = 'completed';
  if (value === undefined) return { status };
  let resultOmitted: ResultOmitted = 'by-choice';
  if (wanted) {
    resultOmitted = 'not-serialisable';
    try {
      const result: string | undefined = JSON.stringify(value);
      if (result !== undefined) {
        if (bytesOf(result) <= maxBytes) return { status, result };
        resultOmitted = 'too-large';
      }
    } catch {
      // A cycle, a BigInt, a toJSON that throws.
    }
  }
  return { status, resultOmitted };
}
