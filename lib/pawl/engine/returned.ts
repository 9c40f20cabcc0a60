import { isFunction, isPromise } from '../kernel/callable.ts';
import { effectKind, errorKind } from '../kernel/error-kind.ts';
import { explainedError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { isPlainObject } from '../kernel/unknown.ts';
import { warnOnce } from '../kernel/warn-once.ts';
import { errorOfOutcome, isDone } from './not-done.ts';

/**
 * What the author's code returned: whether that is a result.
 *
 * Owns: every rule about a returned value, for every door, for `claim.effect` and for steps. Does not own: what a batch handler returns about single
 * messages (`middy/responses.ts`), nor whether a result can be kept (`result.ts`, `changed-result.ts`).
 *
 * 1. What says that something failed is no result. It counts as if it had been thrown. Beside anything else, it does not say that nothing was applied.
 * 2. A promise in it is waited for, and counts. No code of the author's waits for it, so that is said.
 * 3. What is still at work, or has not begun, is no result where it comes at once: nothing was awaited before it, so nothing confirms an effect. What comes later
 *    is only said: it must not undo the effect before it.
 */

/** What a returned value holds. */
interface Found {
  /** What it says has failed. */
  readonly failures: unknown[];
  readonly promises: PromiseLike<unknown>[];
  /** Whether there is more than failures, and calls of `once` that are done and are not run again: it may be of an effect, which a release would repeat. */
  hasMore: boolean;
  /** The method by which something in it is known to be at work. */
  atWork?: string | undefined;
}

/** A value is looked through up to this many objects, and this deep: it may be a cycle. */
const mostObjects = 10_000;
const mostDepth = 20;

/**
 * @param operation for the messages
 * @param called what the call of the author's code returned, before it was awaited
 * @param hasEffect whether an effect of pawl has begun: then `called` need not be one
 * @returns the promises in the value, which the caller waits for
 * @throws what the value says has failed; TypeError for what came at once and is no result
 */
export function expectFinished(
  operation: string,
  called: unknown,
  value: unknown,
  hasEffect = false,
): readonly PromiseLike<unknown>[] {
  const isLater = called !== value;
  if (typeof value === 'function')
    refuse(operation, 'a function, which nothing calls', 'wrong-handler', intoHandler, isLater);
  const found: Found = { failures: [], promises: [], hasMore: false };
  try {
    look(value, found, 'whole', mostDepth, { left: mostObjects });
  } catch {
    // A getter of the author's that throws: what was found before it counts.
  }
  const { failures, promises, atWork, hasMore } = found;
  if (failures.length > 0) {
    const worst = failures.reduce((first, one) => (careOf(one) < careOf(first) ? one : first));
    if (hasMore && effectKind(worst) === 'retryable') throw besideMore(operation, worst);
    throw worst;
  }
  if (atWork !== undefined) {
    const said = `an object with the method '${atWork}': it is still at work, or has not begun, and nothing waits for it`;
    refuse(operation, said, 'not-awaited', intoPromise, isLater);
  } else if (promises.length > 0) {
    const said = `a handler of '${operation}' returned promises in a list or an object, which nothing awaits`;
    warnOnce('not-awaited', `${operation} promises`, `${said}. Return await Promise.all([…]) in its place`);
  } else if (!isLater && !hasEffect) warnOfCallbacks(operation, value);
  return promises;
}

const intoHandler = 'Put the effect into the handler itself, or return nothing';
const intoPromise = 'Return a promise that ends with it, such as lastValueFrom of an observable';

/** @throws TypeError where it came at once: whether an effect has begun, nothing here can tell */
function refuse(
  operation: string,
  what: string,
  code: 'wrong-handler' | 'not-awaited',
  advice: string,
  isLater: boolean,
): void {
  const said = `a handler of '${operation}' returned ${what}. ${advice}`;
  if (!isLater) throw explainedError(TypeError, said, code);
  warnOnce(code, `${operation} returned`, said);
}

/** How work that calls back ends, nothing can tell: the claim completes as it begins. */
function warnOfCallbacks(operation: string, value: unknown): void {
  const isData = typeof value !== 'object' || value === null || Array.isArray(value) || isPlainObject(value);
  if (value !== undefined && isData) return;
  const said = `a handler of '${operation}' returned ${value === undefined ? 'nothing' : 'an object of a class'}, and no promise`;
  const advice =
    'Nothing waits for work that calls back: return a promise, as util.promisify makes one. Without such work, write async before it';
  warnOnce('not-awaited', `${operation} callbacks`, `${said}. ${advice}`);
}

/**
 * The most careful word counts, as for errors that are thrown side by side: what may have been applied must not be repeated because something else failed as
 * well. What can be tried again goes before what is final: the rest is tried again with it, and is still final then.
 */
function careOf(failure: unknown): number {
  const kind = effectKind(failure);
  return kind === undefined ? 1 : ['in-doubt', undefined, 'retryable', 'rejected'].indexOf(kind);
}

function besideMore(operation: string, cause: unknown): Error {
  const said = `a handler of '${operation}' returned a call that is not done beside other values, which may be of an effect`;
  const advice = 'Make a step of each effect, or return your own answer';
  return explainedError(Error, `${said}: ${recordedError(cause).message}. ${advice}`, 'call-not-done', { cause });
}

/** @param place an error in a field may be an answer that the author has made of it: `{ ok: false, error }` */
function look(
  value: unknown,
  found: Found,
  place: 'whole' | 'listed' | 'field',
  depth: number,
  budget: { left: number },
): void {
  if (place !== 'whole' && isPromise(value)) {
    found.promises.push(value);
    found.hasMore = true;
    // It may fail where nothing waits for it, beside what is refused. To ask another thenable would begin it.
    if (value instanceof Promise) value.catch(() => undefined);
    return;
  }
  if (typeof value !== 'object' || value === null || depth === 0 || --budget.left < 0) {
    found.hasMore = true;
    return;
  }
  if (place !== 'field' && errorKind(value) !== undefined) {
    found.failures.push(value);
    return;
  }
  const isList = Array.isArray(value);
  const isCollection = isList || value instanceof Map || value instanceof Set;
  if (!isCollection) {
    found.atWork ??= signOfWork(value);
    if (!isPlainObject(value)) {
      found.hasMore = true;
      return;
    }
    if (isDone(value)) return;
    const failure = failureOf(value);
    if (failure !== undefined) {
      found.failures.push(failure);
      return;
    }
  }
  const inside = isCollection ? value.values() : Object.values(value);
  for (const one of inside) look(one, found, isCollection ? 'listed' : 'field', depth - 1, budget);
}

/** What an object says has failed. */
function failureOf(value: object): unknown {
  const { status, reason, batchItemFailures } = value as Readonly<Record<string, unknown>>;
  // As `Promise.allSettled` makes one. Another reason than an error may be an answer: `{ status: 'rejected', reason: 'the card was declined' }`.
  const isSettled = status === 'rejected' && Object.keys(value).length === 2;
  if (isSettled && (reason instanceof Error || errorKind(reason) !== undefined)) return reason;
  if (Array.isArray(batchItemFailures) && batchItemFailures.length > 0) {
    const said = `the handler returned ${batchItemFailures.length} batchItemFailures: it stands for a batch, of which these are not done`;
    return explainedError(Error, `${said}. Wrap what handles one record, and call it for each`, 'failed-in-batch');
  }
  return errorOfOutcome(value);
}

/** Methods of what is at work, or begins later: observables, requests of the AWS SDK v2, timers of Node. */
const methodsAtWork = ['subscribe', 'promise', 'hasRef'];

/** The method by which an object is known to be at work: a stream, a request and a process are emitters. */
function signOfWork(value: object): string | undefined {
  const has = (name: string) => isFunction(value, name);
  return methodsAtWork.find(has) ?? (has('on') && has('emit') ? 'on' : undefined);
}
