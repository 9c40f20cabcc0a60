import { errorKind } from '../kernel/error-kind.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { answeredBy } from '../kernel/request.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { type Opened, openAll } from '../payload/envelopes/envelope.ts';
import { isInvalidMessage } from './author-error.ts';
import type { QueueDoor } from './consumer.ts';
import type { Delivery } from './delivery.ts';
import { type Disposition, dispositionOfInvalid, dispositionOfUnavailable } from './disposition.ts';
import { sealedIn } from './message.ts';
import { dispositionOfUnread, sayUnreadable, type WatchedBatch } from './observe-message.ts';
import { isRefusal } from './refusal.ts';
import { reportAuthorError, reportDelivery } from './report.ts';
import { returnedUnlessSetUp } from './set-up.ts';

/**
 * Opens the envelopes of a message.
 *
 * @param until when nothing is waited for any more, in epoch milliseconds
 * @param watched where the messages are only observed, or some of them
 * @returns what is in them, one for each body; nothing if they cannot be opened, and then the message has its disposition
 */
export async function openMessage<Body>(
  consumer: QueueDoor<Body>,
  one: Delivery,
  until: number,
  watched?: WatchedBatch<Body>,
): Promise<readonly Opened[] | undefined> {
  const { envelopes, settings } = consumer;
  const sealed = sealedIn(one.record);
  if (envelopes === undefined) return [sealed];
  one.disposition = watched ? undefined : returnedUnlessSetUp(consumer, one);
  if (one.disposition !== undefined) return undefined;
  const { host } = settings;
  try {
    // A decoder may hang, and the batch has its response all the same.
    return await answeredBy(host, until, openAll(envelopes, sealed, { host, until }));
  } catch (error) {
    one.disposition = watched ? dispositionOfUnread(watched, one) : dispositionOf(consumer, one, error);
    if (watched) sayUnreadable(consumer, error);
    return undefined;
  }
}

function dispositionOf<Body>({ engine }: QueueDoor<Body>, one: Delivery, error: unknown): Disposition {
  if (isInvalidMessage(error)) return dispositionOfInvalid(error);
  const kind = errorKind(error);
  if (kind !== 'payload-unavailable' && kind !== 'no-answer') return reportAuthorError(engine, one, 'envelope', error);
  const cause = kind === 'payload-unavailable' ? propertyOf(error, 'cause') : error;
  const why = recordedError(cause);
  reportDelivery(engine, one, { type: 'payload-unavailable', error: why });
  return dispositionOfUnavailable(isRefusal(cause) ? why : undefined);
}
