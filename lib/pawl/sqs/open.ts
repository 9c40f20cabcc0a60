import { pageAt } from '../kernel/error-code.ts';
import { errorKind } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { answeredBy } from '../kernel/request.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { type Opened, openAll } from '../payload/envelopes/envelope.ts';
import { envelopeLike } from '../payload/envelopes/shapes.ts';
import { bodyIn, type Payload } from '../payload/payload.ts';
import { isInvalidMessage } from './author-error.ts';
import type { Consumer } from './consumer.ts';
import type { Delivery } from './delivery.ts';
import { type Disposition, dispositionOfInvalid, dispositionOfUnavailable } from './disposition.ts';
import { sealedIn } from './message.ts';
import { isRefusal } from './refusal.ts';
import { report, reportAuthorError } from './report.ts';
import { returnedUnlessSetUp } from './set-up.ts';
import { dispositionOfUnread, sayUnreadable, type WatchedBatch } from './watched-batch.ts';

/**
 * Opens the envelopes of a message.
 *
 * @param until when nothing is waited for any more, in epoch milliseconds
 * @param watched where the messages are only observed, or some of them
 * @returns what is in them, one for each body; nothing if they cannot be opened, and then the message has its disposition
 */
export async function openMessage<Body>(
  consumer: Consumer<Body>,
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

function dispositionOf<Body>({ engine }: Consumer<Body>, one: Delivery, error: unknown): Disposition {
  if (isInvalidMessage(error)) return dispositionOfInvalid(error);
  const kind = errorKind(error);
  if (kind !== 'payload-unavailable' && kind !== 'no-answer') return reportAuthorError(engine, one, 'envelope', error);
  const cause = kind === 'payload-unavailable' ? propertyOf(error, 'cause') : error;
  const why = recordedError(cause);
  report(engine, one, { type: 'payload-unavailable', error: why });
  return dispositionOfUnavailable(isRefusal(cause) ? why : undefined);
}

/** The operations whose bodies were seen to look like an envelope. Of the process: a crash sweep makes a consumer for each of its workers. */
const warned = new Set<string>();

/**
 * Says once for each operation that bodies look like an envelope, and that no option opens it: key and fingerprint see what another service makes anew at
 * each send.
 */
export function warnOfEnvelope<Body>({ settings }: Consumer<Body>, payload: Payload): void {
  if (warned.has(settings.operation)) return;
  const seen = envelopeLike(bodyIn(payload));
  if (seen === undefined) return;
  warned.add(settings.operation);
  console.warn(
    `pawl: a message for ${settings.operation} looks like ${seen.what}, and the consumer has no envelope. Its key, schema and fingerprint see ` +
      `what that service makes anew each time. Set envelope: ${seen.option}; or envelope: [] if it is meant so. See ${pageAt('docs/guides/envelopes.md')}.`,
  );
}
