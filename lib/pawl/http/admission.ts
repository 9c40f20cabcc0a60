import type { RequestRefusal } from '../engine/events.ts';
import { synchronous } from '../kernel/callable.ts';
import { expect, expectFunction } from '../kernel/check.ts';
import { errorKind } from '../kernel/error-kind.ts';
import { InvalidMessageError, OptionError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { type Compared, type FingerprintRule, type Prints, printsOf } from '../payload/fingerprint-rule.ts';
import { missingIn } from '../payload/missing-key.ts';
import { checkedAttributes } from '../rules/attributes.ts';
import { type Identity, identify } from '../rules/identity.ts';
import type { Attributes } from '../rules/record.ts';
import type { HttpEvent, HttpRequest } from './event.ts';
import { intentOf } from './intent.ts';
import type { HttpOptions } from './options.ts';

/** What a request says of itself, before anything was claimed or run. */
export type Admission =
  /** It can never run: the client's fault. */
  | {
      readonly kind: 'refused';
      readonly reason: RequestRefusal;
      readonly toDo: string | undefined;
      readonly error: unknown;
    }
  /** It has no key, and needs none. */
  | { readonly kind: 'without-key' }
  | {
      readonly kind: 'keyed';
      readonly identity: Identity;
      readonly prints: Prints;
      readonly attributes: Attributes | undefined;
    };

/** What of the options reads a request; all of it is the author's code, except for the defaults. */
type Readers<Event extends HttpEvent> = Pick<HttpOptions<Event>, 'operation' | 'caller' | 'attributes'> &
  Required<Pick<HttpOptions<Event>, 'key' | 'required'>>;

/** @throws OptionError when an option is missing or wrong */
export function checkReaders<Event extends HttpEvent>(readers: Readers<Event>): void {
  const { key, caller, required } = readers;
  const given: unknown = key;
  const named = typeof given === 'string' ? given : 'Idempotency-Key';
  const example = `a function of the request: headerKey({ name: '${named}' }) or bodyField('…')`;
  expectFunction('key', example, key, 'wrong-key-option');
  const scoped = caller === 'anyone' || typeof caller === 'function';
  expect(scoped, 'caller', "'anyone', or a function from the event to who sent it", caller);
  if (typeof caller === 'function') expectFunction('caller', 'a function from the event to who sent it', caller);
  const decided = typeof required === 'boolean' || typeof required === 'function';
  expect(decided, 'required', 'true, false, or a function of the request', required);
  if (typeof required === 'function') expectFunction('required', 'a function of the request', required);
}

/**
 * Reads a request by the author's functions.
 *
 * @param onIntent hears the text of its intent
 * @throws whatever they throw that does not say that it is the request's fault: nothing has run then, and nothing is claimed. A 4xx
 *   would blame every client for a bug of the author's, and leave no trace of it
 */
export function admissionOf<Event extends HttpEvent>(
  request: HttpRequest<Event>,
  readers: Readers<Event>,
  rule: FingerprintRule<HttpRequest<Event>> | undefined,
  host: Pick<Host, 'now' | 'sha256'>,
  onIntent?: (text: string) => void,
): Admission {
  const { operation, key, caller, required, attributes } = readers;
  const textOf = (by: Compared<HttpRequest<Event>>) => {
    const text = meaningOf(request, by);
    if (by === rule) onIntent?.(text);
    return text;
  };
  /** What an error of the request's means at this point. */
  let reason: RequestRefusal = 'invalid-key';
  try {
    const given = synchronous('key', key(request));
    if (given === undefined || given === null || given === '') {
      reason = 'invalid-request';
      const isRequired = typeof required === 'function' ? synchronous('required', required(request)) : required;
      if (!isRequired) return { kind: 'without-key' };
      const toDo = missingIn(key, request);
      const error = new InvalidMessageError(
        'missing-key',
        `the request has no key${toDo === undefined ? '' : `: ${toDo}`}`,
      );
      return { kind: 'refused', reason: 'missing-key', toDo, error };
    }
    // They become part of one key, which may be hidden.
    const asIs = { sha256: host.sha256 };
    const own = identify(operation, given, asIs).key;
    reason = 'no-caller';
    const who = caller === 'anyone' ? caller : synchronous('caller', caller(request.event));
    const scope = caller === 'anyone' ? ('anyone' as const) : { caller: identify(operation, who, asIs).key };
    reason = 'invalid-request';
    return {
      kind: 'keyed',
      identity: identify(operation, scopedKey(scope, own), host),
      prints: printsOf(rule, textOf, host),
      attributes: attributes && checkedAttributes(attributes(request)),
    };
  } catch (error) {
    if (!isOfRequest(error)) throw error;
    if (propertyOf(error, 'problem') === 'invalid-message') reason = 'invalid-request';
    const toDo = reason === 'invalid-key' ? missingIn(key, request) : undefined;
    return { kind: 'refused', reason, toDo, error };
  }
}

function meaningOf<Event>(request: HttpRequest<Event>, by: Compared<HttpRequest<Event>>): string {
  if ('ignore' in by) return intentOf(request, by.ignore);
  const meaning = synchronous('fingerprint', by.of(request));
  if (typeof meaning !== 'string')
    throw new OptionError(
      `fingerprint: expected a function that returns a text; it returned a value of type ${typeof meaning}`,
    );
  return meaning;
}

/** Whether an error says that the request is bad, and not the code that reads it. */
function isOfRequest(error: unknown): boolean {
  const kind = errorKind(error);
  return kind === 'invalid-message' || kind === 'fingerprint';
}

/**
 * A key as the claims table has it: the caller's own, apart from those of other callers. For `operator(…).resolve`.
 *
 * @example
 * import { operator } from 'pawl/operate';
 *
 * const key = scopedKey({ caller: 'customer-17' }, '8e03978e');
 * const by = { by: 'maria', note: 'the bank shows the charge' };
 * await operator({ store }).resolve({ operation: 'charge-order', key }, 'applied', by);
 */
export function scopedKey(caller: 'anyone' | { readonly caller: string }, key: string): string {
  const isCaller = caller === 'anyone' || typeof propertyOf(caller, 'caller') === 'string';
  expect(isCaller, 'scopedKey', "'anyone' or { caller: a text }, and the key", caller);
  const own = encodeURIComponent(key);
  return caller === 'anyone' ? own : `${encodeURIComponent(caller.caller)}/${own}`;
}
