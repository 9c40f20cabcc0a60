import { createHmac } from 'node:crypto';
import { environmentName } from './kernel/check.ts';
import { OptionError } from './kernel/errors.ts';
import type { KeyHash } from './kernel/key-hash.ts';

/** A secret that is shorter can be guessed, and with it every key. */
const fewestCharacters = 16;

/**
 * Keeps keys as hashes: `hideKeys: hashed(secret)`. Neither the table nor an event nor an effect key has a key as the author's function returns it, and
 * fingerprints are keyed too, so that nobody who reads the table can try keys or payloads out. `claim.key` is the hash.
 *
 * Under another secret, or without one, no claim is recognised, and every effect may happen again. `docs/guides/keys.md` says how to change the secret, by way of
 * a version that claims under both. A missing secret is reported at the first call: nothing runs, and no message is lost.
 *
 * @param secret at least 16 characters, the same in every function with the operation
 * @throws OptionError when it is no text, or too short
 * @example
 * const hideKeys = hashed(process.env['KEY_SECRET']);
 * const welcome = once(
 *   { operation: 'welcome', store, hideKeys, key: (order: Order) => order.customer, onAbandoned: 'park' },
 *   (order) => mailer.send(order),
 * );
 */
export function hashed(secret: string | undefined): KeyHash {
  const expected = `a secret of at least ${fewestCharacters} characters`;
  const given = environmentName('hashed', {
    value: secret,
    expected,
    variable: 'Set the environment variable that it is read from.',
  });
  // The message must not have the secret.
  if (secret && secret.length < fewestCharacters) {
    throw new OptionError(`hashed: expected ${expected}; got a text of ${secret.length}`);
  }
  return { hash: (text) => createHmac('sha256', given.read()).update(text).digest('hex') };
}
