import { SQSClient } from '@aws-sdk/client-sqs';
import type { InvocationContext, SqsEvent, SqsRecord } from '../../lib/pawl/sqs/event.ts';
import { sdk } from '../../lib/pawl/stores/dynamodb/index.ts';

/** A Lambda context with this much time left, counted from now by the given clock. */
export function context(remainingMs = 30_000, now: () => number = Date.now): InvocationContext {
  const deadline = now() + remainingMs;
  return { getRemainingTimeInMillis: () => deadline - now() };
}

let messages = 0;

/** A record as Lambda hands it over; the body is sent as JSON unless it is text. */
export function sqsRecord(
  body: unknown,
  overrides: Partial<SqsRecord> & { group?: string; receiveCount?: number; firstReceivedAt?: number } = {},
): SqsRecord {
  const { group, receiveCount = 1, firstReceivedAt, ...rest } = overrides;
  const messageId = `message-${++messages}`;
  return {
    messageId,
    receiptHandle: `receipt-${messageId}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      ...(firstReceivedAt !== undefined && { ApproximateFirstReceiveTimestamp: String(firstReceivedAt) }),
      ...(group !== undefined && { MessageGroupId: group }),
    },
    messageAttributes: {},
    eventSourceARN:
      group === undefined
        ? 'arn:aws:sqs:us-east-1:000000000000:orders'
        : 'arn:aws:sqs:us-east-1:000000000000:orders.fifo',
    ...rest,
  };
}

export function sqsEvent(...records: readonly SqsRecord[]): SqsEvent {
  return { Records: records };
}

/** For consumers whose queue is only a text: calls to SQS fail here, and reach nobody's account. */
export const noQueue = sdk({
  sqs: new SQSClient({
    endpoint: 'http://127.0.0.1:1',
    region: 'us-east-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    maxAttempts: 1,
    useQueueUrlAsEndpoint: false,
  }),
});

/** The ids of a batch response, sorted. */
export function failuresOf(response: unknown): readonly string[] {
  const { batchItemFailures } = response as { batchItemFailures: { itemIdentifier: string }[] };
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort();
}
