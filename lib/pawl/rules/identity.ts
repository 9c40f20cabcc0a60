import { expect } from '../kernel/check.ts';
import type { Host } from '../kernel/host.ts';
import { identifyingText, type KeyValue } from '../kernel/key.ts';
import { type HidingHost, withoutSecret } from '../kernel/key-hash.ts';
import { boundedName, extended, hashedTail, joined, operationPattern, partsOf } from '../kernel/name.ts';

export type { KeyValue };

/** The identity of a claim: its record's id, and the effect key that is handed to a provider. */
export interface Identity {
  readonly key: string;
  /** Partition key of the claims table: `operation#key`, at most 2,048 bytes. */
  readonly id: string;
  /** The same on every attempt; safe in an HTTP header, at most 255 characters. */
  readonly effectKey: string;
}

/** What providers commonly allow for an idempotency key, Stripe among them: 255 characters that a header may hold. */
export const longestEffectKey = 255;
const safeInHeaders = /^[!-~]+$/;

/** Whether a text can be an effect key: every one fits a header. */
export function isEffectKey(name: string): boolean {
  return name.length <= longestEffectKey && safeInHeaders.test(name);
}

/**
 * The effect key of a step, `operation#key#step`: the same at every attempt, another one for each step of the claim, and no claim's own: that has two parts.
 */
export function stepEffectKey(ofClaim: string, step: string, host: Pick<HidingHost, 'sha256' | 'hide'>): string {
  const plain = extended(ofClaim, step);
  if (isEffectKey(plain)) return plain;
  const [operation, rest] = splitId(plain);
  return hashedTail(operation, rest, withoutSecret(host));
}

/** How the ids of an operation's claims begin whose keys begin with this text. */
export function idPrefix(operation: string, keyPrefix: string): string {
  return joined([operation, keyPrefix]);
}

/** The name of the operation as it stands in an id, and the rest of the id. */
function splitId(id: string): readonly [string, string] {
  const end = id.indexOf('#');
  return [id.slice(0, end), id.slice(end + 1)];
}

/** The operation in the id of a claim. */
export function operationOf(id: string): string {
  return partsOf(id)[0] ?? '';
}

/** The operation and the key in the id of a claim. @returns no key where the id has its hash */
export function namesIn(id: string): { readonly operation: string; readonly key: string | undefined } {
  const [operation = '', key] = partsOf(id);
  return { operation, key };
}

/** The identity of the claim with this id. Where the id has only the hash of a key, that hash stands for the key. */
export function identityOf(id: string, host: Pick<Host, 'sha256'>): Identity {
  const { operation, key } = namesIn(id);
  // The id of a hashed key is its effect key.
  return key === undefined ? { key: splitId(id)[1], id, effectKey: id } : identified(operation, key, host);
}

/**
 * Makes a claim's identity from an operation and what the author's key function returned.
 *
 * @param missing says what of the input is missing, if that is known
 * @throws InvalidMessageError when the key is missing, empty, or nothing that identifies anything
 */
export function identify(
  operation: string,
  value: unknown,
  host: Pick<HidingHost, 'sha256' | 'hide'>,
  missing?: () => string | undefined,
): Identity {
  const key = identifyingText(value, 'the key', missing);
  return identified(operation, host.hide?.(operation, key) ?? key, host);
}

function identified(operation: string, key: string, host: Pick<Host, 'sha256'>): Identity {
  const plain = joined([operation, key]);
  if (isEffectKey(plain)) return { key, id: plain, effectKey: plain };
  return {
    key,
    id: boundedName([operation], [key], host),
    effectKey: boundedName([operation], [key], host, isEffectKey),
  };
}

/** @throws OptionError */
export function expectOperation(operation: unknown): void {
  const fits = typeof operation === 'string' && operationPattern.test(operation);
  const expected = "up to 128 ASCII characters, no spaces, no '#', such as 'send-email'";
  expect(fits, 'operation', expected, operation);
}
