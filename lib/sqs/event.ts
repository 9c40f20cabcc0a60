import type { MessageAttribute } from '../payload/envelopes/envelope.ts';

/**
 * What Lambda hands to an SQS consumer, as far as pawl reads it. Structurally the same as in `@types/aws-lambda`, without
 * making every user install that.
 */
export interface SqsEvent {
  readonly Records: readonly SqsRecord[];
}

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

export type SqsMessageAttribute = MessageAttribute;

/** Of Lambda's context, the only thing a consumer needs: when it will be stopped. */
export interface InvocationContext {
  getRemainingTimeInMillis(): number;
}

/** What a consumer with `ReportBatchItemFailures` returns: the messages that are to come again. */
export interface SqsBatchResponse {
  batchItemFailures: { itemIdentifier: string }[];
}
