import { InvalidKeyError } from './errors.ts';
import type { Host } from './host.ts';

/** What an author's key function may return. Missing is allowed to be said, and never runs. */
export type KeyValue = string | number | undefined | null;

/** Who a claim is: its record's id, and the effect key that is handed to a provider. */
export interface Identity {
  readonly key: string;
  /** Partition key of the claims table: `operation#key`, at most 2,048 bytes. */
  readonly id: string;
  /** The same on every attempt; safe in an HTTP header, at most 255 characters. */
  readonly effectKey: string;
}

const longestPartitionKeyBytes = 2048;
/** Stripe, Adyen and the IETF draft's implementations all take 255 characters or fewer than that is rare. */
const longestEffectKey = 255;
const hashedPrefix = 'sha256:';

/**
 * Makes a claim's identity from an operation and what the author's key function returned.
 *
 * @throws InvalidKeyError when the key is missing, empty, or a number that does not identify anything
 */
export function identify(operation: string, value: unknown, host: Pick<Host, 'sha256'>): Identity {
  const key = keyText(value);
  // A key that looks like a hash is hashed as well, or somebody could name another message's hashed key on purpose.
  const hashed = () => `${operation}#${hashedPrefix}${host.sha256(key)}`;
  const plain = `${operation}#${key}`;
  const mustHash = key.startsWith(hashedPrefix);
  return {
    key,
    id: mustHash || utf8Bytes(plain) > longestPartitionKeyBytes ? hashed() : plain,
    effectKey: mustHash || plain.length > longestEffectKey || !/^[\x21-\x7e]+$/.test(plain) ? hashed() : plain,
  };
}

function keyText(value: unknown): string {
  if (value === undefined || value === null) {
    throw new InvalidKeyError('missing', 'the idempotency key is missing; without one a message cannot be told from another');
  }
  if (typeof value === 'number') {
    // Beyond 2^53 JSON.parse has already rounded: two keys may have become one.
    if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
    throw new InvalidKeyError('invalid', `the idempotency key is the number ${value}; use a string, or an integer below 2^53`);
  }
  if (typeof value !== 'string') {
    throw new InvalidKeyError('invalid', `the idempotency key is of type ${typeof value}; expected a string or an integer`);
  }
  if (value === '') throw new InvalidKeyError('missing', 'the idempotency key is an empty string');
  if (!value.isWellFormed()) {
    // DynamoDB and SHA-256 see UTF-8, where every lone surrogate becomes the same character: two keys would become one.
    throw new InvalidKeyError('invalid', 'the idempotency key is not well-formed Unicode (it has a lone surrogate)');
  }
  return value;
}

function utf8Bytes(text: string): number {
  if (text.length * 3 <= longestPartitionKeyBytes) return text.length;
  return new TextEncoder().encode(text).length;
}
