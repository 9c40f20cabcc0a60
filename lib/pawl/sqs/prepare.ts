import { warnOfGap } from '../engine/gap-in-key.ts';
import { type Opened, payloadIn } from '../payload/envelopes/envelope.ts';
import { type Compared, printsOf } from '../payload/fingerprint-rule.ts';
import { missingIn } from '../payload/missing-key.ts';
import { bodyIn, type Payload, wholeIntent } from '../payload/payload.ts';
import { validated } from '../payload/schema.ts';
import { identify } from '../rules/identity.ts';
import { isInvalidMessage, returnedAttributes, returnedIntent, returnedKey, type Stage } from './author-error.ts';
import type { QueueDoor } from './consumer.ts';
import type { Delivery, Runnable } from './delivery.ts';
import { dispositionOfInvalid } from './disposition.ts';
import { type Message, messageOf } from './message.ts';
import { reportAuthorError } from './report.ts';
import { returnedUnlessSetUp } from './set-up.ts';
import { warnOfEnvelope } from './warn-of-envelope.ts';

/**
 * Reads what is in the envelopes of a message: its body, its key, its intent, and what is kept beside the key. What is known of the message itself says
 * that it can never run. What the author's code throws is a bug: the message comes again.
 *
 * @param one the message, or one of its parts
 * @returns it, with what was read; nothing if it cannot ask for its claim, and then it has its disposition
 */
export async function prepare<Body, One extends Delivery>(
  consumer: QueueDoor<Body>,
  one: One,
  opened: Opened,
): Promise<(One & Runnable<Body>) | undefined> {
  one.disposition = returnedUnlessSetUp(consumer, one);
  if (one.disposition !== undefined) return undefined;
  const reading: Reading = { stage: 'envelope' };
  try {
    const read = await readBody(consumer, one, opened, reading);
    return Object.assign(one, { message: read.message, ...readIdentity(consumer, read, reading) });
  } catch (error) {
    one.disposition = isInvalidMessage(error)
      ? dispositionOfInvalid(error)
      : reportAuthorError(consumer.engine, one, reading.stage, error);
    return undefined;
  }
}

/** How far the reading of a message has come. */
export interface Reading {
  stage: Stage;
}

/** A message whose body was read. */
export interface ReadBody<Body> {
  readonly message: Message<Body>;
  /** The intent by one way of comparing. @throws InvalidMessageError; what the author's function throws */
  readonly intentOf: (by: Compared<Message<Body>>) => string;
}

/** Reads the body of a message. @throws InvalidMessageError; what the author's schema throws */
export async function readBody<Body>(
  consumer: QueueDoor<Body>,
  { record }: Delivery,
  opened: Opened,
  reading: Reading,
): Promise<ReadBody<Body>> {
  const { rule } = consumer;
  const { schema } = consumer.options;
  const payload = payloadIn(opened);
  if (consumer.envelopes === undefined) warnOfEnvelope(consumer, payload);
  // Before the author's code, which may change what was parsed.
  const whole = rule && wholeIntentBy(rule, payload);
  const wholeBefore = rule?.previous && wholeIntentBy(rule.previous, payload);
  reading.stage = 'schema';
  const body = schema ? await validated(bodyIn(payload), schema) : (bodyIn(payload) as Body);
  const message = messageOf(record, body, opened);
  return {
    message,
    intentOf: (by) =>
      'of' in by
        ? returnedIntent(by.of(message))
        : ((by === rule ? whole : wholeBefore) ?? wholeIntent(payload, by.ignore)),
  };
}

/** What a message is known by. @throws InvalidMessageError; what the author's functions throw */
export function readIdentity<Body>(
  { options: { key }, settings, rule }: QueueDoor<Body>,
  { message, intentOf }: ReadBody<Body>,
  reading: Reading,
): Pick<Runnable<Body>, 'identity' | 'fingerprint' | 'previousFingerprint' | 'attributes'> {
  const { operation, host, attributes: attributesOf } = settings;
  reading.stage = 'key';
  const identity = identify(operation, returnedKey(key(message)), host, () => missingIn(key, message));
  warnOfGap(operation, identity.key);
  reading.stage = 'fingerprint';
  const prints = printsOf(rule, intentOf, host);
  reading.stage = 'attributes';
  const attributes = attributesOf && returnedAttributes(attributesOf(message));
  return { identity, attributes, ...prints };
}

/** The whole intent, where the rule leaves out paths. @throws InvalidMessageError when the payload has no canonical text */
function wholeIntentBy<Body>(by: Compared<Message<Body>>, payload: Payload): string | undefined {
  return 'ignore' in by ? wholeIntent(payload, by.ignore) : undefined;
}
