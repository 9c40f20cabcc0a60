import type { Host } from '../kernel/host.ts';
import { hashedId, identifyingText, type KeyValue, looksHashed, recordId } from '../kernel/key.ts';

export type { KeyValue };

/** The identity of a claim: its record's id, and the effect key that is handed to a provider. */
export interface Identity {
  readonly key: string;
  /** Partition key of the claims table: `operation#key`, at most 2,048 bytes. */
  readonly id: string;
  /** The same on every attempt; safe in an HTTP header, at most 255 characters. */
  readonly effectKey: string;
}

/** The effect key of a step: the same at every attempt, another one for each step of the claim. */
export function stepEffectKey(ofClaim: string, step: string, host: Pick<Host, 'sha256'>): string {
  const effectKey = `${ofClaim}/${step}`;
  return effectKey.length <= 255 ? effectKey : `sha256:${host.sha256(effectKey)}`;
}

/** The operation and the key in the id of a claim. An operation has no '#', so the first one ends it. @returns no key where the id has its hash */
export function namesIn(id: string): { readonly operation: string; readonly key: string | undefined } {
  const end = id.indexOf('#');
  const key = id.slice(end + 1);
  return { operation: id.slice(0, end), key: looksHashed(key) ? undefined : key };
}

/** The identity of the claim with this id. Where the id has only the hash of a key, that hash stands for the key. */
export function identityOf(id: string, host: Pick<Host, 'sha256'>): Identity {
  const { operation, key } = namesIn(id);
  // The id of a hashed key is its effect key.
  return key === undefined
    ? { key: id.slice(operation.length + 1), id, effectKey: id }
    : identify(operation, key, host);
}

/** What providers commonly allow for an idempotency key, Stripe among them: 255 characters that a header may hold. */
const safeInHeaders = /^[!-~]{1,255}$/;

/**
 * Makes a claim's identity from an operation and what the author's key function returned.
 *
 * @param missing says what of the input is missing, if that is known
 * @throws InvalidMessageError when the key is missing, empty, or nothing that identifies anything
 */
export function identify(
  operation: string,
  value: unknown,
  host: Pick<Host, 'sha256'>,
  missing?: () => string | undefined,
): Identity {
  const key = identifyingText(value, 'the key', missing);
  const namespace = `${operation}#`;
  const plain = namespace + key;
  if (safeInHeaders.test(plain) && !looksHashed(key)) return { key, id: plain, effectKey: plain };
  return { key, id: recordId(namespace, key, host), effectKey: hashedId(namespace, key, host) };
}
