import type { Listener } from './all-of.ts';

type Attributes = Record<string, string | number | boolean>;

/** Of a span of `@opentelemetry/api`, what is needed here; so that nobody has to install it for its types. */
export interface EventSpan {
  addEvent(name: string, attributes: Attributes): unknown;
}

/**
 * A listener that adds what happens to the span that is active: an event `pawl.granted`, `pawl.taken-over`, …, with its
 * facts as attributes (`pawl.operation`, `pawl.id`, `pawl.attempts`, `pawl.error.name`, …). Without an active span it
 * does nothing.
 *
 * @example
 * import { trace } from '@opentelemetry/api';
 * onEvent: spanEvents(() => trace.getActiveSpan())
 */
export function spanEvents(activeSpan: () => EventSpan | undefined): Listener {
  return function addToSpan({ type, at: _now, ...facts }) {
    activeSpan()?.addEvent(`pawl.${type}`, attributesOf('pawl', facts));
  };
}

/** An attribute is a scalar, so that what is inside an object gets a name of its own. */
function attributesOf(prefix: string, facts: object): Attributes {
  const attributes: Attributes = {};
  for (const [name, fact] of Object.entries(facts) as Iterable<[string, unknown]>) {
    const path = `${prefix}.${name}`;
    if (typeof fact === 'object' && fact !== null) Object.assign(attributes, attributesOf(path, fact));
    else if (typeof fact === 'string' || typeof fact === 'number' || typeof fact === 'boolean') attributes[path] = fact;
  }
  return attributes;
}
