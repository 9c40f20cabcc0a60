import type { Aws } from '../aws/aws.ts';
import { type ClaimOptions, claimRows } from '../engine/options.ts';
import { type ExactRows, keyOptions, queueOptions } from '../kernel/door-options.ts';
import type { EnvelopeOption } from '../payload/envelopes/envelope.ts';
import type { FingerprintOption } from '../payload/fingerprint-rule.ts';
import type { BodySchema } from '../payload/schema.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { MessageKey } from './keys.ts';
import type { Message } from './message.ts';

/**
 * The options of every SQS consumer.
 *
 * @example
 * const options: SqsOptions<Order> = {
 *   operation: 'send-email',
 *   store,
 *   schema: Order,
 *   key: bodyField('id'),
 *   onAbandoned: 'park',
 *   fingerprint: { ignore: ['sentAt'] },
 *   deadLetters: deadLetterQueue(process.env.DEAD_LETTER_QUEUE_URL),
 * };
 */
export interface SqsOptions<Body> extends ClaimOptions<Message<Body>> {
  /** The stable identity of the intended effect: `bodyField('orderId')`, or any function of the message. */
  readonly key: MessageKey<Body>;
  /**
   * What another service has put around the body, from the outermost to the innermost: `snsEnvelope()`, or
   * `[snsEnvelope(), largePayload({ s3Client })]`. Key, schema and fingerprint see the body inside. Dead letters stay as SQS delivered them. An empty
   * list says that a body which looks like such an envelope is meant as it is.
   * @default none
   */
  readonly envelope?: EnvelopeOption | undefined;
  /**
   * Checks and types the body: any schema of a library that follows Standard Schema. A message whose body does not match never runs.
   * @default none: the body is not checked
   */
  readonly schema?: BodySchema<Body>;
  /**
   * What of a message is its intent: a second message with the same key and another fingerprint never runs.
   *
   * - `{ ignore }`: paths of the body that may change between two sends of the same intent, such as `sentAt` or `items.*.traceId`.
   * - A function, or `{ of }`: returns the text that is compared instead of the body, e.g. `canonicalValue(…)` of a part of it.
   * - `false`: nothing is compared.
   * - With `previous`: for a time, also accepts what was recorded by the rule before a change.
   *
   * @default { ignore: [] }, the whole body
   */
  readonly fingerprint?: FingerprintOption<Message<Body>>;
  /**
   * How long a message that failed stays invisible, in seconds, by how often it was received (from 1). A quarter of it is added or taken away
   * at random. `undefined` leaves the queue's visibility timeout.
   * @default 10, 30, 90, 270, 810, then 900
   */
  readonly backoffSeconds?: (receiveCount: number) => number | undefined;
  /**
   * How many handlers of a batch run at once. 25 claims share one request. If it is more than 1, the next messages ask for their claims while outcomes are
   * recorded.
   * @default 25
   */
  readonly concurrency?: number;
  /**
   * What becomes of a duplicate whose first copy is still running.
   *
   * - `'defer'`: it goes back to the queue until the lease can have ended.
   * - `'discard'`: it is acknowledged. If the worker of the first copy dies, only that copy is left.
   *
   * Under `'discard'`, the record keeps SQS's id of the message of the first attempt. Other messages are discarded only while that attempt lasts. The
   * message itself, delivered again, is deferred; so is every duplicate of a later attempt, or of a claim that was taken without this option.
   * A copy that pawl has redriven counts as the message itself. If SQS has moved a message to a dead-letter queue and redrives it, it has another id and looks
   * like a duplicate of itself: wait for the lease before that.
   * @default 'defer'
   */
  readonly onInFlight?: 'defer' | 'discard';
  /**
   * Where messages go that can never run, with the reason: `deadLetterQueue(url)`.
   * @default nowhere: they fail until the queue's own redrive policy moves them
   */
  readonly deadLetters?: DeadLetters | undefined;
  /**
   * The way to AWS, for what the door asks of SQS, where that of the store is none or another one is meant: `sdk({ … })` or `lean({ … })`.
   * @default that of the store
   */
  readonly aws?: Aws;
}

const rows = { ...claimRows, ...keyOptions, ...queueOptions };
export const sqsRows = rows satisfies ExactRows<SqsOptions<unknown>, typeof rows>;
