import { createHmac } from 'node:crypto';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { Listener } from './all-of.ts';

export interface HashOptions {
  /**
   * A secret that goes into the hash. Without one, whoever can guess a key (an e-mail address, a customer's number) can
   * find out whether it is in the logs.
   * @default none
   */
  readonly salt?: string;
}

const known = { salt: true } as const satisfies NamesOf<HashOptions>;

/**
 * Keeps the keys of claims from a listener, for those whose keys are personal data: an event's id becomes
 * `operation#hash:…`, the same for the same key and salt, so that a claim's events can still be found together.
 *
 * It changes ids only. The errors in events are the author's: what they quote, they quote. Events go to the listener; to
 * hide keys from several, wrap `allOf` of them.
 *
 * @example
 * onEvent: hashedKeys(allOf(logEvents, metricEvents()), { salt: process.env.LOG_SALT })
 */
export function hashedKeys(listener: Listener, options: HashOptions = {}): Listener {
  expectOptions(options, { door: 'hashedKeys', known, docs: 'docs/operate.md' });
  const { salt = '' } = options;
  return function tellHashed(event) {
    const { operation, id } = event;
    const prefix = `${operation}#`;
    // A message without a usable key has an empty id, and nothing to hide.
    if (id === '') return listener(event);
    const key = id.startsWith(prefix) ? id.slice(prefix.length) : id;
    const hash = createHmac('sha256', salt).update(key).digest('hex').slice(0, 32);
    listener({ ...event, id: `${prefix}hash:${hash}` });
  };
}
