import { expectFunction } from '../kernel/check.ts';
import { callListener } from '../kernel/listener.ts';
import { letFail } from '../kernel/unknown.ts';
import type { Listener } from './all-of.ts';

type Attributes = Record<string, string | number | boolean>;

/** The part of a span of `@opentelemetry/api` that is used here. So no consumer has to install that package for its types. */
export interface EventSpan {
  addEvent(name: string, attributes: Attributes): unknown;
}

/**
 * A listener that adds each event to the active span, as `pawl.granted`, `pawl.taken-over`, …, with its facts as attributes (`pawl.operation`,
 * `pawl.id`, `pawl.attempts`, `pawl.error.name`, …). If no span is active, it does nothing.
 *
 * @example
 * declare const trace: { getActiveSpan(): EventSpan | undefined }; // of @opentelemetry/api
 *
 * const onEvent = spanEvents(() => trace.getActiveSpan());
 */
export function spanEvents(activeSpan: () => EventSpan | undefined): Listener {
  expectFunction('spanEvents', 'a function that returns the active span', activeSpan, 'wrong-handler');
  return function addToSpan({ type, at: _now, ...facts }) {
    callListener(() => {
      const span = activeSpan();
      // An async function returns no span, and its promise may reject.
      letFail(span);
      return span?.addEvent(`pawl.${type}`, attributesOf('pawl', facts));
    });
  };
}

/** An attribute is a scalar: each value inside an object gets a name of its own. */
function attributesOf(prefix: string, facts: object): Attributes {
  const attributes: Attributes = {};
  for (const [name, fact] of Object.entries(facts) as Iterable<[string, unknown]>) {
    const path = `${prefix}.${name}`;
    if (typeof fact === 'object' && fact !== null) Object.assign(attributes, attributesOf(path, fact));
    else if (typeof fact === 'string' || typeof fact === 'number' || typeof fact === 'boolean') attributes[path] = fact;
  }
  return attributes;
}
