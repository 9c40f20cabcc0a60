import {
  ChangeMessageVisibilityBatchCommand,
  type MessageAttributeValue,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SqsRecord } from './event.ts';

/** A message that is to be invisible for so many seconds from now. */
export interface Delayed {
  readonly record: SqsRecord;
  readonly seconds: number;
}

/** The limits of SQS that a copy must respect. */
const mostAttributes = 10;
const mostBytes = 1_048_576;
const longestInvisibleSeconds = 43_200;

/**
 * What a consumer asks of SQS beyond its batch response.
 * @param client the author's; one is made on first need, so that a consumer that never defers pays nothing for it
 */
export function sqsQueue(client: SQSClient | undefined) {
  // The queue's URL is made from its ARN, so the endpoint comes from the client: a VPC endpoint or a local server counts.
  const sqs = () => (client ??= new SQSClient({ useQueueUrlAsEndpoint: false }));

  /** Sets how long up to ten messages of one queue stay invisible. Answers the error of each that failed. */
  async function setVisibility(messages: readonly Delayed[]): Promise<ReadonlyMap<Delayed, unknown>> {
    const [first] = messages;
    if (first === undefined) return new Map();
    try {
      const { Failed = [] } = await sqs().send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl: queueUrlOf(first.record.eventSourceARN),
          Entries: messages.map(({ record, seconds }, index) => ({
            Id: String(index),
            ReceiptHandle: record.receiptHandle,
            VisibilityTimeout: Math.min(longestInvisibleSeconds, seconds),
          })),
        }),
      );
      return new Map(
        Failed.flatMap(({ Id, Code }) =>
          messages
            .slice(Number(Id))
            .slice(0, 1)
            .map((one) => [one, Code]),
        ),
      );
    } catch (error) {
      return new Map(messages.map((one) => [one, error]));
    }
  }

  /** Sends a copy to a dead-letter queue. @throws the error of the SDK: then the message must stay where it is */
  async function deadLetter(QueueUrl: string, record: SqsRecord, reason: string, error: string): Promise<void> {
    const { body, messageId, attributes } = record;
    const fifo = QueueUrl.endsWith('.fifo');
    await sqs().send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: body,
        MessageAttributes: attributesOf(record, {
          'pawl-reason': reason,
          'pawl-error': error,
          'pawl-source-message-id': messageId,
        }),
        MessageGroupId: attributes.MessageGroupId,
        // The id of this copy: a second try to dead-letter it makes one message, while a redriven copy is another.
        MessageDeduplicationId: fifo ? messageId : undefined,
      }),
    );
  }

  return { setVisibility, deadLetter };
}

/** The original's attributes and, as far as SQS's limits allow, ours. A message without its reason beats a lost one. */
function attributesOf(record: SqsRecord, ours: Record<string, string>): Record<string, MessageAttributeValue> {
  const kept = Object.entries(record.messageAttributes).map(([name, { dataType, stringValue, binaryValue }]) => [
    name,
    {
      DataType: dataType,
      StringValue: stringValue,
      BinaryValue: binaryValue === undefined ? undefined : Buffer.from(binaryValue, 'base64'),
    },
  ]);
  const added = Object.entries(ours).map(([name, text]) => [name, { DataType: 'String', StringValue: sendable(text) }]);
  const bytes = Buffer.byteLength(record.body) + Buffer.byteLength(JSON.stringify([record.messageAttributes, added]));
  const room = bytes <= mostBytes && kept.length + added.length <= mostAttributes;
  return Object.fromEntries(room ? [...kept, ...added] : kept);
}

/** Characters that SQS refuses are replaced: an error's text must not keep its message from being dead-lettered. */
function sendable(text: string): string {
  return text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '\ufffd') || '-';
}

/** `arn:aws:sqs:eu-west-1:123456789012:orders` → its URL, without asking SQS for it. */
function queueUrlOf(arn: string): string {
  const [, partition, , region, account, name] = arn.split(':');
  return `https://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}/${account}/${name}`;
}
