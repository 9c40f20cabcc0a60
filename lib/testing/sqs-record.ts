import { createHash } from 'node:crypto';
import type { SqsRecord } from 'pawl/internal';
import type { SweptMessage } from './traffic.ts';

const region = 'us-east-1';

/** What of a message stays the same, however often it is received. */
export interface Posted {
  readonly messageId: string;
  readonly body: string;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  readonly fifo: boolean;
  readonly message: SweptMessage;
  /** From 1. */
  readonly number: number;
}

/** How it is received this time. */
export interface Receipt {
  readonly handle: string;
  readonly count: number;
  /** Epoch milliseconds; the same at every receive. */
  readonly firstAt: number;
}

/** A record as Lambda hands it over: with every attribute, and what SQS means by it. */
export function recordOf({ messageId, body, sentAt, fifo, message, number }: Posted, receipt: Receipt): SqsRecord {
  const { messageAttributes = {}, messageGroupId, messageDeduplicationId, awsTraceHeader } = message;
  const attributes = {
    ApproximateReceiveCount: String(receipt.count),
    SentTimestamp: String(sentAt),
    SenderId: 'AROAEXAMPLEEXAMPLEEXA:producer',
    ApproximateFirstReceiveTimestamp: String(receipt.firstAt),
    ...(awsTraceHeader !== undefined && { AWSTraceHeader: awsTraceHeader }),
    ...(messageGroupId !== undefined && { MessageGroupId: messageGroupId }),
    ...(fifo && {
      SequenceNumber: `188${String(number).padStart(17, '0')}`,
      MessageDeduplicationId: messageDeduplicationId ?? md5(`${messageId} ${body}`),
    }),
  };
  const named = Object.entries(messageAttributes).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.assign({
    messageId,
    receiptHandle: receipt.handle,
    body,
    attributes,
    messageAttributes: Object.fromEntries(
      named.map(([name, stringValue]) => [
        name,
        { stringValue, stringListValues: [], binaryListValues: [], dataType: 'String' },
      ]),
    ),
    md5OfBody: md5(body),
    ...(named.length > 0 && { md5OfMessageAttributes: md5(...named.flatMap(attributeBytes)) }),
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:${region}:000000000000:swept${fifo ? '.fifo' : ''}`,
    awsRegion: region,
  });
}

/** A string attribute as SQS digests it: name, type and value, each behind its length; 1 for "a text". */
function attributeBytes([name, value]: [string, string]): (string | Buffer)[] {
  const behindLength = (text: string) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(text));
    return [length, text];
  };
  return [...behindLength(name), ...behindLength('String'), Buffer.from([1]), ...behindLength(value)];
}

function md5(...parts: readonly (string | Buffer)[]): string {
  const digest = createHash('md5');
  for (const part of parts) digest.update(part);
  return digest.digest('hex');
}
