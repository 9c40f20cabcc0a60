import type { MessageAttribute } from '../payload/envelopes/envelope.ts';

/**
 * What Lambda hands to an SQS consumer, as far as pawl reads it. Structurally the same as in `@types/aws-lambda`, without
 * making every user install that.
 *
 * @example
 * import type { SQSEvent } from 'aws-lambda';
 *
 * declare const event: SQSEvent;
 * const { batchItemFailures } = await handler(event, { getRemainingTimeInMillis: () => 30_000 });
 */
export interface SqsEvent {
  /** The messages, in the order in which SQS delivered them. */
  readonly Records: readonly SqsRecord[];
}

/**
 * One record of an event: a message as SQS delivers it.
 *
 * @example
 * const record: SqsRecord = {
 *   messageId: '7e3c6a5e-5a51-4a0e-9d3c-4c6a1b0c6f5d',
 *   receiptHandle: 'handle',
 *   body: JSON.stringify(order),
 *   attributes: { ApproximateReceiveCount: '1' },
 *   messageAttributes: {},
 *   eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:orders',
 * };
 */
export interface SqsRecord {
  /** SQS's id of this copy of the message. */
  readonly messageId: string;
  /** The handle of this delivery, for calls to SQS. */
  readonly receiptHandle: string;
  /** The body, as it was sent. */
  readonly body: string;
  /** SQS's own attributes, all of them texts. */
  readonly attributes: {
    readonly ApproximateReceiveCount?: string;
    /** Epoch milliseconds. */
    readonly ApproximateFirstReceiveTimestamp?: string;
    /** When this copy was sent, in epoch milliseconds. */
    readonly SentTimestamp?: string;
    /** What the sender's trace says of itself. */
    readonly AWSTraceHeader?: string | undefined;
    readonly MessageGroupId?: string | undefined;
  };
  /** The attributes that the sender gave the message. */
  readonly messageAttributes: Readonly<Record<string, SqsMessageAttribute>>;
  /** The ARN of the queue. */
  readonly eventSourceARN: string;
}

/** An attribute of a message, as Lambda passes it on. */
export type SqsMessageAttribute = MessageAttribute;

/**
 * Of Lambda's context, the only thing a consumer needs: when it will be stopped.
 *
 * @example
 * const context: InvocationContext = { getRemainingTimeInMillis: () => 30_000 };
 */
export interface InvocationContext {
  /** Milliseconds until Lambda stops the invocation. */
  getRemainingTimeInMillis(): number;
}

/** What a consumer with `ReportBatchItemFailures` returns: the messages that are to come again. */
export interface SqsBatchResponse {
  batchItemFailures: { itemIdentifier: string }[];
}
