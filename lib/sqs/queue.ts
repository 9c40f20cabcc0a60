import {
  ChangeMessageVisibilityBatchCommand,
  type MessageAttributeValue,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SqsMessageAttribute, SqsRecord } from './event.ts';

/** What a consumer asks of SQS beyond its batch response. */
export interface Queue {
  /** Sets how long each message stays invisible. Answers the error per message id, for those that failed. */
  setVisibility(messages: readonly { record: SqsRecord; seconds: number }[]): Promise<ReadonlyMap<string, unknown>>;
  /** Sends a copy to a dead-letter queue. @throws the error of the SDK: then the message must stay where it is */
  deadLetter(queueUrl: string, record: SqsRecord, why: { reason: string; error: string }): Promise<void>;
}

/** The limits of SQS that a copy must respect. */
const mostAttributes = 10;
const mostBytes = 1_048_576;
const longestInvisibleSeconds = 43_200;

/** @param given the author's client; one is made on first need, so that a consumer that never defers pays nothing for it */
export function sqsQueue(given: SQSClient | undefined): Queue {
  let made: SQSClient | undefined;
  const client = () => {
    made ??= given ?? new SQSClient({});
    return made;
  };

  return {
    async setVisibility(messages) {
      const failures = new Map<string, unknown>();
      for (let from = 0; from < messages.length; from += 10) {
        const part = messages.slice(from, from + 10);
        const first = part[0];
        if (first === undefined) break;
        try {
          const { Failed } = await client().send(
            new ChangeMessageVisibilityBatchCommand({
              QueueUrl: queueUrlOf(first.record.eventSourceARN),
              Entries: part.map(({ record, seconds }, index) => ({
                Id: String(index),
                ReceiptHandle: record.receiptHandle,
                VisibilityTimeout: Math.min(longestInvisibleSeconds, Math.max(0, Math.ceil(seconds))),
              })),
            }),
          );
          for (const failed of Failed ?? []) {
            const message = part[Number(failed.Id)];
            if (message) failures.set(message.record.messageId, new Error(`${failed.Code}: ${failed.Message ?? ''}`));
          }
        } catch (error) {
          for (const { record } of part) failures.set(record.messageId, error);
        }
      }
      return failures;
    },

    async deadLetter(queueUrl, record, why) {
      const kept = Object.entries(record.messageAttributes ?? {}).map(([name, value]) => [name, toSdk(value)] as const);
      const added = [
        ['pawl-reason', why.reason],
        ['pawl-error', why.error],
        ['pawl-source-message-id', record.messageId],
      ] as const;
      const group = record.attributes?.MessageGroupId;
      await client().send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: record.body,
          MessageAttributes: withinLimits(record, kept, added),
          ...(group !== undefined && { MessageGroupId: group }),
          // The id of this copy: a second try to dead-letter it makes one message, while a redriven copy is another.
          ...(queueUrl.endsWith('.fifo') && { MessageDeduplicationId: record.messageId }),
        }),
      );
    },
  };
}

/** The original's attributes and, as far as SQS's limits allow, ours. A message without its reason beats a lost one. */
function withinLimits(
  record: SqsRecord,
  kept: readonly (readonly [string, MessageAttributeValue])[],
  added: readonly (readonly [string, string])[],
): Record<string, MessageAttributeValue> {
  const attributes: Record<string, MessageAttributeValue> = Object.fromEntries(kept);
  let bytes = Buffer.byteLength(record.body);
  for (const [name, value] of kept) bytes += sizeOf(name, value);
  for (const [name, text] of added) {
    const value = { DataType: 'String', StringValue: sendable(text) };
    bytes += sizeOf(name, value);
    if (Object.keys(attributes).length >= mostAttributes || bytes > mostBytes) break;
    attributes[name] = value;
  }
  return attributes;
}

function sizeOf(name: string, value: MessageAttributeValue): number {
  return (
    Buffer.byteLength(name) +
    Buffer.byteLength(value.DataType ?? '') +
    Buffer.byteLength(value.StringValue ?? '') +
    (value.BinaryValue?.byteLength ?? 0)
  );
}

/** Characters that SQS refuses are replaced: an error's text must not keep its message from being dead-lettered. */
function sendable(text: string): string {
  const clean = text.toWellFormed().replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
  return clean === '' ? '-' : clean;
}

function toSdk(value: SqsMessageAttribute): MessageAttributeValue {
  return {
    DataType: value.dataType,
    ...(value.stringValue !== undefined && { StringValue: value.stringValue }),
    ...(value.binaryValue !== undefined && { BinaryValue: Buffer.from(value.binaryValue, 'base64') }),
  };
}

/** `arn:aws:sqs:eu-west-1:123456789012:orders` → its URL, without asking SQS for it. */
export function queueUrlOf(arn: string): string {
  const [, partition, , region, account, name] = arn.split(':');
  const domain = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://sqs.${region}.${domain}/${account}/${name}`;
}
