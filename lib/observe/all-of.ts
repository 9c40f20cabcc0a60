import type { ClaimEvent } from '../claims/events.ts';

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
 * single listener, and the next ones are still called.
 *
 * @example
 * const onEvent = allOf(logEvents, metricEvents());
 */
export function allOf(...listeners: readonly Listener[]): Listener {
  return function callAll(event) {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch {
        // An effect may just have happened: thrown from here, the listener's error would look like a failure of the effect.
      }
    }
  };
}
