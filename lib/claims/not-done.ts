import { processWide } from '../kernel/process-wide.ts';

/**
 * An outcome of a call of `once` that is not done, where a handler returns it to the door around it: taken for an ordinary result, the message would be
 * acknowledged with nothing done, or the outcome be kept and replayed.
 */
const thrown = processWide('claims.not-done/1', () => new WeakMap<object, () => unknown>());

/** @param fail throws what a call that was only awaited would throw */
export function markNotDone(outcome: object, fail: () => unknown): void {
  thrown.set(outcome, fail);
}

/** What a handler returned, also in a list. @throws what the call would have thrown, where it is an outcome that is not done */
export function expectDone<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  thrown.get(value)?.();
  if (Array.isArray(value)) for (const one of value) if (typeof one === 'object' && one !== null) thrown.get(one)?.();
  return value;
}
