import type { ClaimEvent } from '../engine/events.ts';
import type { Host } from '../kernel/host.ts';
import type { Destination } from './destination.ts';
import type { OutboxStore } from './store.ts';

/** An outbox, as its relay, its sweep and its operators use it. */
export interface Outbox {
  readonly store: OutboxStore;
  readonly destinations: readonly Destination[];
  readonly host: Host;
  readonly onEvent: ((event: ClaimEvent) => void) | undefined;
}

/** The operation that the events of every outbox carry: a message is of no claim. */
export const outboxOperation = 'outbox';

/** The destination of an address; nothing where the outbox has none for it. */
export function destinationOf({ destinations }: Pick<Outbox, 'destinations'>, to: string): Destination | undefined {
  return destinations.find((one) => one.takes(to));
}
