import { isInStep } from '../engine/inside-step.ts';
import type { Work } from '../engine/work.ts';
import { effectKind, errorKind } from '../kernel/error-kind.ts';
import { explainedError } from '../kernel/errors.ts';

/**
 * The executions without a name that a handler has started, or may have: each repetition of the handler would start another one. What a step has started is
 * not repeated, or is the step's own to decide.
 */
const startedBy = new WeakMap<Work, Set<Promise<unknown>>>();

/** Starts an execution without a name, and keeps that it may run. */
export async function keepUnnamed<T>(work: Work, start: () => Promise<T>): Promise<T> {
  if (isInStep(work)) return start();
  const all = startedBy.get(work) ?? new Set();
  startedBy.set(work, all);
  const started = start();
  all.add(started);
  // Also where its author says that every effect is marked: to release the claim would start another one.
  work.unmarked += 1;
  try {
    return await started;
  } catch (error) {
    // It says that nothing was started.
    if (effectKind(error) !== undefined) {
      all.delete(started);
      work.unmarked -= 1;
    }
    throw error;
  }
}

/**
 * What the failure of one start says of its handler. That nothing was started by it would release the claim: what was started beside it would be started again.
 *
 * @param signal aborted when there is no time to wait for the other starts
 */
export async function besideUnnamed(work: Work, signal: () => AbortSignal, error: unknown): Promise<unknown> {
  const all = startedBy.get(work);
  if (all === undefined || all.size === 0 || errorKind(error) !== 'retryable') return error;
  await settledOrAborted(all, signal());
  if (all.size === 0) return error;
  const said =
    'a start was refused, and the handler has started an execution without a name, or may have: a repetition would start it again';
  return explainedError(Error, said, 'start-in-doubt', { cause: error });
}

async function settledOrAborted(all: Iterable<Promise<unknown>>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) return;
  signal.addEventListener('abort', () => resolve(), { once: true });
  await Promise.race([Promise.allSettled(all), aborted]);
}
