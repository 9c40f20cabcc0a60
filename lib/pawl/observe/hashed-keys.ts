import { createHmac } from 'node:crypto';
import { expectFunction } from '../kernel/check.ts';
import { callListener } from '../kernel/listener.ts';
import { joined } from '../kernel/name.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { Listener } from './all-of.ts';

/**
 * The options of `hashedKeys`.
 *
 * @example
 * const options: HashOptions = { salt: process.env.LOG_SALT };
 */
export interface HashOptions {
  /**
   * A secret that goes into the hash. Without one, a reader of the logs who guesses a key (an e-mail address, a customer's number) can check
   * whether it is in them.
   * @default none
   */
  readonly salt?: string;
}

const known = { salt: true } as const satisfies NamesOf<HashOptions>;

/**
 * Hides the keys of claims from a listener. Use it where keys are personal data. An event's id becomes `operation#hash:…`. The same key and
 * salt give the same hash, so the events of one claim can still be found together.
 *
 * It changes ids only. The errors in events are the author's, and may quote anything. To hide keys from several listeners, wrap `allOf` of them.
 *
 * @throws OptionError when an option is unknown
 * @example
 * const onEvent = hashedKeys(allOf(logEvents, metricEvents()), { salt: process.env.LOG_SALT });
 */
export function hashedKeys(listener: Listener, options: HashOptions = {}): Listener {
  expectOptions(options, { door: 'hashedKeys', known, docs: 'docs/guides/operate.md' });
  expectFunction('hashedKeys', 'a listener, which is a function', listener, 'wrong-handler');
  const { salt = '' } = options;
  return function callHashed(event) {
    const { operation, id } = event;
    const prefix = joined([operation, '']);
    // A message without a usable key has an empty id: there is nothing to hide.
    if (id === '') return callListener(listener, event);
    const key = id.startsWith(prefix) ? id.slice(prefix.length) : id;
    const hash = createHmac('sha256', salt).update(key).digest('hex').slice(0, 32);
    callListener(listener, { ...event, id: `${prefix}hash:${hash}` });
  };
}
