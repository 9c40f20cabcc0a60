import { expect } from '../kernel/check.ts';
import { InvalidMessageError } from '../kernel/errors.ts';
import type { KeyValue } from '../kernel/key.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { sayingMissing } from '../payload/missing-key.ts';
import type { HttpRequest } from './event.ts';

/** Takes the idempotency key from a request. If it returns nothing, the request has no key. */
export type RequestKey<Event> = (request: HttpRequest<Event>) => KeyValue;

/**
 * The options of `headerKey`.
 *
 * @example
 * const options: HeaderKeyOptions = { name: 'X-Idempotency-Key', bareTokens: true };
 */
export interface HeaderKeyOptions {
  /**
   * The name of the header.
   * @default 'Idempotency-Key'
   */
  readonly name?: string;
  /**
   * Whether a key without the quotes of a structured field is taken as well: many clients send `Idempotency-Key: 8e03978e-…`.
   * The same key with and without quotes is one key.
   * @default false
   */
  readonly bareTokens?: boolean;
}

const known = { name: true, bareTokens: true } as const satisfies NamesOf<HeaderKeyOptions>;

/** A string of RFC 9651: printable ASCII in quotes, with the quote and the backslash escaped. */
const string = String.raw`"(?:[ !#-[\]-~]|\\["\\])*"`;
const bareItem = String.raw`(?:${string}|[?][01]|@?-?\d[\d.]*|:[\w+/=]*:|[A-Za-z*][!#$%&'*+.^\`|~\w:/-]*)`;
/** An item of RFC 9651 that is a string. Parameters without a definition are ignored. */
const stringItem = new RegExp(`^ *(${string})(?:; *[a-z*][a-z0-9_.*-]*(?:=${bareItem})?)* *$`);
/** Without quotes, nothing that would mean something else in a structured field. */
const bare = /^ *([!#-+\--:<-[\]-~]+) *$/;

/**
 * The key is a header, as draft-ietf-httpapi-idempotency-key-header has it: a string of a structured field, in quotes.
 *
 * @throws InvalidMessageError, when it is called, for anything else, two keys among it
 * @example
 * import type { APIGatewayProxyEventV2 } from 'aws-lambda';
 *
 * const options: HttpOptions<APIGatewayProxyEventV2> = {
 *   operation: 'charge-order',
 *   store,
 *   caller: 'anyone',
 *   key: headerKey({ bareTokens: true }),
 *   onAbandoned: 'park',
 * };
 */
export function headerKey(options: HeaderKeyOptions = {}): RequestKey<unknown> {
  const given: unknown = options;
  const written = typeof given === 'string' ? `headerKey({ name: '${given}' })` : 'headerKey({ name })';
  expect(typeof given === 'object' && given !== null, 'headerKey', `options: ${written}`, given, 'wrong-key-option');
  expectOptions(options, { door: 'headerKey', known, docs: 'docs/guides/http.md' });
  const { name = 'Idempotency-Key', bareTokens = false } = options;
  const toDo = `send the header ${name}: "…", with the quotes, and a key of your own between them`;
  const key: RequestKey<unknown> = ({ header }) => {
    const value = header(name);
    if (value === undefined) return undefined;
    const quoted = stringItem.exec(value)?.[1];
    const sent = quoted?.slice(1, -1).replace(/\\(.)/g, '$1') ?? (bareTokens ? bare.exec(value)?.[1] : undefined);
    // An empty key as well: it was sent, so it is not missing, and it identifies nothing.
    if (sent === undefined || sent === '')
      throw new InvalidMessageError(
        'invalid-key',
        `${name} is not a string of a structured field, or is empty: ${toDo}`,
      );
    return sent;
  };
  return sayingMissing(key, () => toDo);
}
