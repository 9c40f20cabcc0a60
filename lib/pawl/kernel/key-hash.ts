import { expect } from './check.ts';
import type { Host } from './host.ts';
import { joined } from './name.ts';

/**
 * How the keys of an operation are hidden.
 *
 * @example
 * const keys: KeyHash = hashed(process.env['KEY_SECRET']);
 */
export interface KeyHash {
  /** A hash that only who has the secret can make: lower-case hex. */
  readonly hash: (text: string) => string;
}

/** How the text of a key begins that is the hash of one. */
const mark = 'hmac:';

/** A host under which keys and fingerprints are hashed. */
export interface HidingHost extends Host {
  /** What stands for a key. */
  readonly hide?: (operation: string, key: string) => string;
}

/**
 * A host that hides keys. Each operation has hashes of its own: the same customer is not seen in two of them.
 *
 * @param onKey hears of each key before it is hidden
 * @throws OptionError
 */
export function hiding(
  host: Host,
  keys: KeyHash | undefined,
  onKey?: (operation: string, key: string) => void,
): HidingHost {
  if (keys === undefined) return host;
  const { hash } = keys;
  expect(typeof hash === 'function', 'hideKeys', "hashed(secret), which 'pawl' exports", keys);
  return Object.assign(Object.create(host), {
    sha256: hash,
    hide(operation: string, key: string) {
      onKey?.(operation, key);
      return mark + hash(joined([operation, key]));
    },
  });
}

/** The host without the secret: what is made of a key that is hidden already is hashed alike by who has no secret, such as the sweep. */
export function withoutSecret<Some extends Pick<HidingHost, 'sha256' | 'hide'>>(host: Some): Pick<Host, 'sha256'> {
  return host.hide === undefined ? host : Object.getPrototypeOf(host);
}

/** Whether this is what stands for a hidden key. */
export function isHidden(key: string): boolean {
  return key.startsWith(mark);
}
