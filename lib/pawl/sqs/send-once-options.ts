import type { Aws } from '../aws/aws.ts';
import type { ClaimOptions } from '../engine/options.ts';
import { claimOptions, type ExactRows, queueOptions } from '../kernel/door-options.ts';
import type { KeyValue } from '../kernel/key.ts';
import type { RecordedError } from '../kernel/recorded-error.ts';
import { ofObserve } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';

/**
 * The options of `sendOnce`.
 *
 * @example
 * const options: SendOnceOptions = {
 *   operation: 'refund',
 *   store,
 *   queueUrl: process.env.REFUNDS_QUEUE_URL,
 *   ignore: ['sentAt'],
 *   giveUpAfterMs: 5000,
 * };
 */
export interface SendOnceOptions
  extends Pick<ClaimOptions<unknown>, 'store' | 'retentionSeconds' | 'watched' | 'onEvent' | 'host'> {
  /** What the message is for, e.g. the operation of its consumer. The producer's keys are kept apart from the consumer's. */
  readonly operation: string;
  /** The queue's URL. A missing URL, `undefined` or an empty text, is reported at the first call: then nothing is sent. */
  readonly queueUrl: string | undefined;
  /**
   * The way to AWS, for what the door asks of SQS, where that of the store is none or another one is meant: `sdk({ … })` or `lean({ … })`.
   * @default that of the store
   */
  readonly aws?: Aws;
  /**
   * Paths of the body that may change between two tries, such as `sentAt`. Give them to the consumer's `fingerprint` as well.
   * @default none
   */
  readonly ignore?: readonly string[];
  /**
   * How long a call tries, in milliseconds, before it returns `'in-flight'`, or rejects. More than 11 seconds outlast the lease of
   * a producer that has died.
   * @default 30000
   */
  readonly giveUpAfterMs?: number;
}

/**
 * What is to be sent.
 *
 * @example
 * const message: Outgoing = {
 *   key: entityKey('payment', payment.id, 'refund'),
 *   body: { payment: payment.id, amountCents: payment.amountCents },
 *   messageGroupId: payment.customer,
 * };
 */
export interface Outgoing {
  /**
   * The idempotency key: `entityKey('payment', 1234, 'refund')`; or, with an `intent`, `requestKey()`, which is random. pawl stores the first
   * key of an intent, and sends that key at every call.
   */
  readonly key: KeyValue;
  /**
   * What is to be done, where the key does not say it: the name under which the key is kept, the same in each run of the producer.
   * @default the key itself
   */
  readonly intent?: KeyValue;
  /** Sent as JSON. */
  readonly body: unknown;
  /** Attributes of your own, all of them texts. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** The message group. A FIFO queue needs it. On a standard queue, it means fairness. */
  readonly messageGroupId?: string;
  /**
   * For how long SQS holds the message back, in seconds: 0 to 900. Not for a FIFO queue.
   * @default what the queue sets
   */
  readonly delaySeconds?: number;
}

export const docs = 'docs/guides/producers.md';
const { store, retentionSeconds, watched, onEvent, host } = claimOptions;
const { aws } = queueOptions;
const rows = {
  operation: {},
  store,
  queueUrl: {},
  aws,
  ignore: {},
  giveUpAfterMs: { kind: 'whole', default: 30_000 },
  retentionSeconds,
  watched,
  onEvent,
  host,
} as const;
export const known = rows satisfies ExactRows<SendOnceOptions, typeof rows>;
/** Why a producer has no use for some options of consumers. */
export const refused = {
  hideKeys: 'its key travels in the message, where its consumer reads it. Let the consumer hide it',
  envelope: 'it sends the body as it is. It is an option of consumers of SQS',
  statements: 'its claims are about the sending, and a statement is about effects. It is an option of consumers',
  ...ofObserve,
};
export const knownOfMessage = {
  key: true,
  intent: true,
  body: true,
  attributes: true,
  messageGroupId: true,
  delaySeconds: true,
} as const satisfies NamesOf<Outgoing>;

/** What became of a call of a function that `sendOnce` made. Only `sent` means that the message is in the queue. */
export type SendOutcome =
  /** It is in the queue: since now, or since earlier. `messageId` is the last one known. */
  | {
      readonly outcome: 'sent';
      readonly key: string;
      readonly messageId: string | undefined;
      readonly replayed: boolean;
    }
  /** Another producer is at it. Ask again after `retryAfterMs`. */
  | { readonly outcome: 'in-flight'; readonly retryAfterMs: number }
  /** The intent was sent before with another body. Nothing was sent. */
  | { readonly outcome: 'key-reused' }
  /** It could not be sent for so long that an operator has to decide whether it still should be. Nothing was sent. */
  | { readonly outcome: 'parked'; readonly error: RecordedError };
