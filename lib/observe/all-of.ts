import type { ClaimEvent } from '../claims/events.ts';

/** Hears of what happens to claims: what `onEvent` takes. */
export type Listener = (event: ClaimEvent) => void;

/**
 * Tells several listeners. One that throws does not keep the others from hearing; what it throws is ignored, as it is
 * for a single listener.
 *
 * @example
 * onEvent: allOf(logEvents, metricEvents())
 */
export function allOf(...listeners: readonly Listener[]): Listener {
  return function tellAll(event) {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch {
        // An effect may just have happened: nothing that watches it may look like a failure of it.
      }
    }
  };
}
