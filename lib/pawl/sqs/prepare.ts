import { warnOfGap } from '../engine/gap-in-key.ts';
import { type Opened, payloadIn } from '../payload/envelopes/envelope.ts';
import { type Compared, printsOf } from '../payload/fingerprint-rule.ts';
import { missingIn } from '../payload/missing-key.ts';
import { bodyIn, type Payload, wholeIntent } from '../payload/payload.ts';
import { validated } from '../payload/schema.ts';
import { identify } from '../rules/identity.ts';
import { isInvalidMessage, returnedAttributes, returnedIntent, returnedKey, type Stage } from './author-error.ts';
import type { Consumer } from './consumer.ts';
import type { Delivery, Runnable } from './delivery.ts';
import { dispositionOfInvalid } from './disposition.ts';
import { type Message, messageOf } from './message.ts';
import { warnOfEnvelope } from './open.ts';
import { reportAuthorError } from './report.ts';
import { returnedUnlessSetUp } from './set-up.ts';

/**
 * Reads what is in the envelopes of a message: its body, its key, its intent, and what is kept beside the key. What is known of the message itself says
 * that it can never run. What the author's code throws is a bug: the message comes again.
 *
 * @param one the message, or one of its parts
 * @returns it, with what was read; nothing if it cannot ask for its claim, and then it has its disposition
 */
export async function prepare<Body, One extends Delivery>(
  consumer: Consumer<Body>,
  one: One,
  opened: Opened,
): Promise<(One & Runnable<Body>) | undefined> {
  one.disposition = returnedUnlessSetUp(consumer, one);
  if (one.disposition !== undefined) return undefined;
  const { rule } = consumer;
  const { key, schema } = consumer.options;
  const { operation, host, attributes: attributesOf } = consumer.settings;
  const { record } = one;
  let stage: Stage = 'envelope';
  try {
    const payload = payloadIn(opened);
    if (consumer.envelopes === undefined) warnOfEnvelope(consumer, payload);
    // Before the author's code, which may change what was parsed.
    const whole = rule && wholeIntentBy(rule, payload);
    const wholeBefore = rule?.previous && wholeIntentBy(rule.previous, payload);
    stage = 'schema';
    const body = schema ? await validated(bodyIn(payload), schema) : (bodyIn(payload) as Body);
    const message = messageOf(record, body, opened);
    stage = 'key';
    const identity = identify(operation, returnedKey(key(message)), host, () => missingIn(key, message));
    warnOfGap(operation, identity.key);
    stage = 'fingerprint';
    const intentOf = (by: Compared<Message<Body>>) =>
      'of' in by
        ? returnedIntent(by.of(message))
        : ((by === rule ? whole : wholeBefore) ?? wholeIntent(payload, by.ignore));
    const prints = printsOf(rule, intentOf, host);
    stage = 'attributes';
    const attributes = attributesOf && returnedAttributes(attributesOf(message));
    return Object.assign(one, { message, identity, attributes, ...prints });
  } catch (error) {
    one.disposition = isInvalidMessage(error)
      ? dispositionOfInvalid(error)
      : reportAuthorError(consumer.engine, one, stage, error);
    return undefined;
  }
}

/** The whole intent, where the rule leaves out paths. @throws InvalidMessageError when the payload has no canonical text */
function wholeIntentBy<Body>(by: Compared<Message<Body>>, payload: Payload): string | undefined {
  return 'ignore' in by ? wholeIntent(payload, by.ignore) : undefined;
}
