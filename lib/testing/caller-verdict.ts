import { effectKind, propertyOf } from 'pawl/kernel';

/**
 * What a caller makes of a response. `done`: the effect has happened. `again`: it asks again. `refused`: it gives up, for good. `parked`: it
 * gives up, because an operator has to find out.
 */
export type CallerVerdict = 'done' | 'again' | 'refused' | 'parked';

/** The outcomes of `f.outcome` of `once`, as its caller has to take them. */
const outcomes: ReadonlyMap<unknown, CallerVerdict> = new Map([
  ['completed', 'done'],
  ['in-flight', 'again'],
  ['in-doubt', 'again'],
  ['rejected', 'refused'],
  ['key-reused', 'refused'],
  ['parked', 'parked'],
]);

/** Statuses of 4xx that ask to be asked again. */
const later: readonly number[] = [408, 409, 425, 429];

/** What a well-behaved client makes of a response of HTTP, or of an outcome of `once`. Anything else means that it is done. */
export function verdictOf(response: unknown): CallerVerdict {
  const outcome = outcomes.get(propertyOf(response, 'outcome'));
  if (outcome !== undefined) return outcome;
  const statusCode = propertyOf(response, 'statusCode');
  if (statusCode === undefined) return 'done';
  const status = Number(statusCode);
  if (status >= 200 && status < 400) return 'done';
  if (reasonOf(propertyOf(response, 'body')) === 'parked') return 'parked';
  const isFinal = status >= 400 && status < 500 && !later.includes(status);
  return isFinal ? 'refused' : 'again';
}

/** What a caller makes of an error: of those that a function of `once` throws, what they say. Any other is a 502. */
export function verdictOfError(error: unknown): CallerVerdict {
  const kind = effectKind(error);
  if (kind === 'in-doubt') return 'parked';
  if (kind !== 'rejected') return 'again';
  return propertyOf(error, 'code') === 'result-not-kept' ? 'done' : 'refused';
}

/** The `reason` of problem details, which tells a parked claim from one in flight. */
function reasonOf(body: unknown): unknown {
  try {
    return propertyOf(JSON.parse(String(body)), 'reason');
  } catch {
    // A body that is not JSON gives no reason.
    return undefined;
  }
}
