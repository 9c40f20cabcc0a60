import { fieldsOf } from '../engine/observe/fields.ts';
import { isObservedNow, type Run, type Watched } from '../engine/observe/observer.ts';
import type { Opened } from '../payload/envelopes/envelope.ts';
import type { Compared } from '../payload/fingerprint-rule.ts';
import type { Consumer } from './consumer.ts';
import type { Delivery, Runnable } from './delivery.ts';
import { acknowledged, returnedAsItIs } from './disposition.ts';
import type { Message, MessageHandler } from './message.ts';
import { type ReadBody, type Reading, readBody, readIdentity } from './prepare.ts';
import { deliveredAs, dispositionOfUnread, sayUnreadable, type WatchedBatch } from './watched-batch.ts';

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
  consumer: Consumer<Body>,
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
  if (known !== undefined && !isObservedNow(consumer.engine, () => known.identity.id)) {
    return Object.assign(one, { message, ...known });
  }
  if (known !== undefined) one.identity = known.identity;
  const { watch, invocation } = watched;
  const run = watch.begin(known, { delivered: deliveredAs(one.record), deadline: invocation.deadline });
  one.disposition = await watched.run(one, message, run);
  return undefined;
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
  consumer: Consumer<Body>,
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
