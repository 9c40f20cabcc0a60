import { search } from '@aws-lambda-powertools/jmespath';
import { nodeHost } from '../host.ts';
import { InvalidMessageError } from '../kernel/errors.ts';
import type { KeyValue } from '../kernel/key.ts';
import { canonicalValue } from '../payload/fingerprint.ts';
import type { IdempotencyConfig } from './config.ts';

/** What of a payload is its key. @throws InvalidMessageError if that is nothing: two payloads without a key are not one effect */
export function selectedKey({ eventKeyJmesPath, jmesPathOptions }: IdempotencyConfig, payload: unknown): unknown {
  let selected: unknown;
  try {
    selected = eventKeyJmesPath === '' ? payload : select(eventKeyJmesPath, payload, jmesPathOptions);
  } catch {
    // Such as powertools_json of a body that is not there.
    const why = `the key is missing: '${eventKeyJmesPath}' cannot be applied to the payload`;
    throw new InvalidMessageError('missing-key', why);
  }
  if (!isEmpty(selected)) return selected;
  const what =
    eventKeyJmesPath === '' ? 'the payload is empty' : `'${eventKeyJmesPath}' selects nothing in the payload`;
  throw new InvalidMessageError('missing-key', `the key is missing or empty: ${what}`);
}

/** Whether a payload has no key, and its author lets it run all the same. */
export function needsNoKey(config: IdempotencyConfig, payload: unknown): boolean {
  const { throwOnNoIdempotencyKey, eventKeyJmesPath, jmesPathOptions } = config;
  if (throwOnNoIdempotencyKey || eventKeyJmesPath === '') return false;
  try {
    return isEmpty(select(eventKeyJmesPath, payload, jmesPathOptions));
  } catch {
    // Then it is refused: an expression that fails says nothing of a key.
    return false;
  }
}

/** What of a payload has to be the same in each call with one key. */
export function selectedPayload(path: string, { jmesPathOptions }: IdempotencyConfig, payload: unknown): unknown {
  return select(path, payload, jmesPathOptions);
}

function select(path: string, payload: unknown, options: IdempotencyConfig['jmesPathOptions']): unknown {
  return search(path, payload as object, options);
}

/** Whether it tells nothing apart: of a list or an object, whether none of its values does. 0 and `false` are values. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === undefined || value === null || value === '';
}

/**
 * The key of a claim. A text or a number is its own key, as it is with `bodyField` at pawl's other doors: a function that moves on to one of them finds the claims again. A list of them is its
 * JSON. Anything else is the hash of its canonical form, which knows no order of keys.
 */
export function keyOf(selected: unknown): KeyValue {
  if (isPlain(selected)) return selected;
  if (Array.isArray(selected) && selected.every(isPlain)) return JSON.stringify(selected);
  return nodeHost.sha256(canonicalValue(selected));
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
