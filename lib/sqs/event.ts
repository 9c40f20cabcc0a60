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
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: {
    readonly ApproximateReceiveCount?: string;
    /** Epoch milliseconds. */
    readonly ApproximateFirstReceiveTimestamp?: string;
    readonly MessageGroupId?: string | undefined;
  };
  readonly messageAttributes: Readonly<Record<string, SqsMessageAttribute>>;
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
  getRemainingTimeInMillis(): number;
}

/** What a consumer with `ReportBatchItemFailures` returns: the messages that are to come again. */
export interface SqsBatchResponse {
  batchItemFailures: { itemIdentifier: string }[];
}
