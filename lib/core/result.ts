import type { ResultOmitted } from './record.ts';

export type EncodedResult = { readonly result?: string } | { readonly resultOmitted: ResultOmitted };

/**
 * A result as it is recorded: JSON text, because it is exact, bounded, and a fresh copy each time it is read. Never
 * throws: what cannot be recorded must not undo an effect that has happened.
 */
export function encodeResult(value: unknown, limits: { record: boolean; maxBytes: number }): EncodedResult {
  if (value === undefined) return {};
  if (!limits.record) return { resultOmitted: 'by-choice' };
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch {
    return { resultOmitted: 'not-serialisable' };
  }
  if (json === undefined) return { resultOmitted: 'not-serialisable' };
  // Two bytes of UTF-8 at the least per non-ASCII character; the exact count only where it can matter.
  const tooLarge =
    json.length > limits.maxBytes ||
    (json.length * 3 > limits.maxBytes && new TextEncoder().encode(json).length > limits.maxBytes);
  return tooLarge ? { resultOmitted: 'too-large' } : { result: json };
}

/** A fresh copy of a recorded result. */
export function decodeResult(record: { readonly result?: string }): unknown {
  return record.result === undefined ? undefined : JSON.parse(record.result);
}
