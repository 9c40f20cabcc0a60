import { explained } from '../kernel/error-code.ts';
import { RejectedError, RetryableError } from '../kernel/errors.ts';
import { processWide } from '../kernel/process-wide.ts';
import { propertyOf } from '../kernel/unknown.ts';

/**
 * An outcome of a call that is not done (of `once`, of `sendOnce`, of a lock), where a handler returns it to the door around it: taken for an ordinary result,
 * the message would be acknowledged with nothing done, or the outcome be kept and replayed.
 */
const known = processWide('claims.not-done/1', () => ({
  outcomes: new WeakMap<object, () => unknown>(),
  /** Of outcomes, by their errors: a copy of an outcome has the same one. */
  errors: new WeakMap<object, () => unknown>(),
}));

/** @param fail throws what a call that was only awaited would throw */
export function markNotDone(outcome: object, fail: () => unknown): void {
  known.outcomes.set(outcome, fail);
  if ('error' in outcome) known.errors.set(outcome.error as object, fail);
}

/** @returns what the call would have thrown, if this is an outcome that is not done, or a copy of one */
export function errorOfOutcome(value: object): unknown {
  const { outcome, error, retryAfterMs, by } = value as Readonly<Record<string, unknown>>;
  if (typeof outcome !== 'string') return undefined;
  const fail = known.outcomes.get(value) ?? known.errors.get(error as object);
  if (fail !== undefined) return errorOf(fail);
  // A copy of one that has no object in it is known by its form.
  const said = explained(`a call is not done: ${outcome}`, 'call-not-done');
  if (outcome === 'key-reused' && Object.keys(value).length === 1) return new RejectedError(said);
  // `busy`: as `tryLockAll` and `tryWithLock` return it. The work was not begun.
  const waits = outcome === 'in-flight' || outcome === 'in-doubt' || (outcome === 'busy' && Array.isArray(by));
  return waits && typeof retryAfterMs === 'number' ? new RetryableError(said, { retryAfterMs }) : undefined;
}

/** Whether this is the outcome of a call that is done. */
export function isDone({ outcome, replayed }: { readonly outcome?: unknown; readonly replayed?: unknown }): boolean {
  return outcome === 'completed' && typeof replayed === 'boolean';
}

/** @throws what the call would have thrown, where this is an outcome that is not done */
export function expectDone(value: unknown): void {
  if (typeof propertyOf(value, 'outcome') === 'string') known.outcomes.get(value as object)?.();
}

function errorOf(fail: () => unknown): unknown {
  try {
    return fail();
  } catch (error) {
    return error;
  }
}
