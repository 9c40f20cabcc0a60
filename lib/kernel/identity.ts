import { InvalidMessageError, letFail } from './errors.ts';
import type { Host } from './host.ts';
import { bytesOf } from './text.ts';

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
/** What providers commonly allow for an idempotency key, Stripe among them: 255 characters that a header may hold. */
const safeInHeaders = /^[!-~]{1,255}$/;

/**
 * Makes a claim's identity from an operation and what the author's key function returned.
 *
 * @throws InvalidMessageError when the key is missing, empty, or nothing that identifies anything
 */
export function identify(operation: string, value: unknown, host: Pick<Host, 'sha256'>): Identity {
  const key = keyText(value);
  const plain = `${operation}#${key}`;
  // A key that looks like a hash is hashed as well, or somebody could name another message's hashed key on purpose.
  const looksHashed = key.startsWith('sha256:');
  if (safeInHeaders.test(plain) && !looksHashed) return { key, id: plain, effectKey: plain };
  const hashed = `${operation}#sha256:${host.sha256(key)}`;
  return { key, id: looksHashed || bytesOf(plain) > longestPartitionKeyBytes ? hashed : plain, effectKey: hashed };
}

function keyText(value: unknown): string {
  if (value == null || value === '') throw new InvalidMessageError('missing-key', 'the key is missing or empty');
  // A number beyond 2^53 was rounded by JSON.parse: two keys may have become one. A lone surrogate becomes the same
  // character as any other one in UTF-8, which is what DynamoDB and SHA-256 see.
  if (Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'string' && value.isWellFormed()) return value;
  // What an async function answered is no key; nobody will wait for it.
  letFail(value);
  const came = typeof value === 'number' ? value : `of type ${typeof value}`;
  throw new InvalidMessageError('invalid-key', `the key is ${came}; expected well-formed text or a safe integer`);
}
