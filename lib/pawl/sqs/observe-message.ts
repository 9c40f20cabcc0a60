import { fieldsOf } from '../engine/observe/fields.ts';
import { isObservedNow, type Run, sayUnwatchable, type Watch, type Watched } from '../engine/observe/observer.ts';
import type { Opened } from '../payload/envelopes/envelope.ts';
import type { Compared } from '../payload/fingerprint-rule.ts';
import type { Delivered } from '../rules/observe.ts';
import type { QueueDoor } from './consumer.ts';
import type { Delivery, Invocation, Runnable } from './delivery.ts';
import { acknowledged, type Disposition, returnedAsItIs } from './disposition.ts';
import type { SqsRecord } from './event.ts';
import type { MessageHandler } from './message.ts';
import { firstIdOf, type Message, receiveCountOf } from './message.ts';
import { type ReadBody, type Reading, readBody, readIdentity } from './prepare.ts';

/** A batch of which some messages, or all, are only watched. */
export interface WatchedBatch<Body> {
  readonly watch: Watch;
  readonly invocation: Invocation;
  /** Runs a message, or hands it on to be run. @returns what becomes of it; nothing, if it was handed on */
  readonly run: (one: Delivery, message: Message<Body>, run: Run) => Promise<Disposition | undefined>;
  /** What becomes of a message whose body cannot be read: nothing, if it is handed on all the same. @default it comes again: its handler takes a body, and there is none */
  readonly unread?: (one: Delivery) => undefined;
}

/** How a handler of single messages is run. */
export function ranBy<Body>(handle: MessageHandler<Body>): WatchedBatch<Body>['run'] {
  return (_, message, run) => disposedBy(run, handle, message);
}

/**
 * Reads a message, and runs it if its key is only observed: whatever the table holds. As without pawl, it is done if its handler returns, and it comes again, when its queue
 * lets it, if the handler throws.
 *
 * @returns the message, if its key is enforced; nothing if it has had its run or was handed on
 */
export async function runObserved<Body, One extends Delivery>(
  consumer: QueueDoor<Body>,
  watched: WatchedBatch<Body>,
  one: One,
  opened: Opened,
): Promise<(One & Runnable<Body>) | undefined> {
  const reading: Reading = { stage: 'envelope' };
  let read: ReadBody<Body>;
  try {
    read = await readBody(consumer, one, opened, reading);
  } catch (error) {
    sayUnreadable(consumer, error);
    one.disposition = dispositionOfUnread(watched, one);
    return undefined;
  }
  const { message } = read;
  const known = identityIn(consumer, read, reading);
  if (!isObservedNow(consumer.engine, () => known?.identity.id)) {
    // Without a key, its gate cannot be told, which is reported.
    if (known === undefined) one.disposition = returnedAsItIs;
    return known && Object.assign(one, { message, ...known });
  }
  one.identity = known?.identity;
  const { watch, invocation } = watched;
  const run = watch.begin(known, { delivered: deliveredAs(one.record), deadline: invocation.deadline });
  one.disposition = await watched.run(one, message, run);
  return undefined;
}

export function dispositionOfUnread<Body>({ unread }: WatchedBatch<Body>, one: Delivery): Disposition | undefined {
  return unread === undefined ? returnedAsItIs : unread(one);
}

async function disposedBy<Body>(run: Run, handle: MessageHandler<Body>, message: Message<Body>) {
  try {
    run.returned(await handle(message, run.claim));
    return acknowledged;
  } catch (error) {
    run.threw(error);
    return returnedAsItIs;
  }
}

/** What a message is known by, and what its fields are. Without a usable key, nothing. Never throws. */
export function identityIn<Body>(
  consumer: QueueDoor<Body>,
  read: ReadBody<Body>,
  reading: Reading,
): Watched | undefined {
  const { rule, settings } = consumer;
  try {
    let intent: string | undefined;
    const intentOf = (by: Compared<Message<Body>>) => {
      const text = read.intentOf(by);
      if (by === rule) intent = text;
      return text;
    };
    const known = readIdentity(consumer, { message: read.message, intentOf }, reading);
    return { ...known, fields: intent === undefined ? undefined : fieldsOf(intent, known.identity.id, settings.host) };
  } catch (error) {
    sayUnreadable(consumer, error);
    return undefined;
  }
}

/** Reports a message that enforcement would not have run. */
export function sayUnreadable<Body>({ engine }: QueueDoor<Body>, error: unknown): void {
  sayUnwatchable(engine, error, 'would-dead-letter');
}

/** How a message came. */
export function deliveredAs(record: SqsRecord): Delivered {
  const message = firstIdOf(record);
  return { message, receives: receiveCountOf(record), isRedriven: message !== record.messageId };
}
