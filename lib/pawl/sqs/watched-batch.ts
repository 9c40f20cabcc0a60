import { type Run, sayUnwatchable, type Watch } from '../engine/observe/observer.ts';
import type { Delivered } from '../rules/observe.ts';
import type { Consumer } from './consumer.ts';
import type { Delivery, Invocation } from './delivery.ts';
import { type Disposition, returnedAsItIs } from './disposition.ts';
import type { SqsRecord } from './event.ts';
import { firstIdOf, type Message, receiveCountOf } from './message.ts';

/** A batch of which some messages, or all, are only watched. */
export interface WatchedBatch<Body> {
  readonly watch: Watch;
  readonly invocation: Invocation;
  /** Runs a message, or hands it on to be run. @returns what becomes of it; nothing, if it was handed on */
  readonly run: (one: Delivery, message: Message<Body>, run: Run) => Promise<Disposition | undefined>;
  /** What becomes of a message whose body cannot be read: nothing, if it is handed on all the same. @default it comes again: its handler takes a body, and there is none */
  readonly unread?: (one: Delivery) => undefined;
}

export function dispositionOfUnread<Body>({ unread }: WatchedBatch<Body>, one: Delivery): Disposition | undefined {
  return unread === undefined ? returnedAsItIs : unread(one);
}

/** Reports a message that enforcement would not have run. */
export function sayUnreadable<Body>({ engine }: Consumer<Body>, error: unknown): void {
  sayUnwatchable(engine, error, 'would-dead-letter');
}

/** How a message came. */
export function deliveredAs(record: SqsRecord): Delivered {
  const message = firstIdOf(record);
  return { message, receives: receiveCountOf(record), isRedriven: message !== record.messageId };
}
