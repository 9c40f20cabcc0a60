import type { ClaimEvent } from '../engine/events.ts';
import { expectFunction } from '../kernel/check.ts';
import { callListener } from '../kernel/listener.ts';

/**
 * A function that `onEvent` takes: it is called with each event of a claim.
 *
 * @example
 * const countParked: Listener = (event) => {
 *   if (event.type === 'parked') console.log(`${event.operation}: one more waits for an operator`);
 * };
 */
export type Listener = (event: ClaimEvent) => void;

/**
 * Combines several listeners into one. Each is called with every event, in the order given. What a listener throws is ignored, as it is for a
 * single listener, and so is a promise that it returns, also one that rejects. The next ones are still called.
 *
 * @example
 * const onEvent = allOf(logEvents, metricEvents());
 */
export function allOf(...listeners: readonly Listener[]): Listener {
  for (const listener of listeners)
    expectFunction('allOf', 'listeners, which are functions', listener, 'wrong-handler');
  return function callAll(event) {
    for (const listener of listeners) callListener(listener, event);
  };
}
