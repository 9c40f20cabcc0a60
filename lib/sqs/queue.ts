import { ChangeMessageVisibilityBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Identity } from '../core/identity.ts';
import type { SqsRecord } from './event.ts';

/** A message that is to be invisible for so many seconds from now. */
export interface Delayed {
  readonly record: SqsRecord;
  readonly identity?: Identity | undefined;
  readonly seconds: number;
  /** It waits for something that is known to end then: another worker's lease, or a provider's settling. */
  readonly deferred?: boolean;
}

const longestInvisibleSeconds = 43_200;

/**
 * What a consumer asks of SQS beyond its batch response.
 * @param client the author's; one is made on first need, so that a consumer that never defers pays nothing for it
 */
export function sqsQueue(client: SQSClient | undefined) {
  // The queue's URL is made from its ARN, so the endpoint comes from the client: a VPC endpoint or a local server counts.
  const sqs = () => (client ??= new SQSClient({ useQueueUrlAsEndpoint: false }));

  /** Sets how long up to ten messages of one queue stay invisible. Answers what SQS said against some, by index. */
  async function setVisibility(messages: readonly Delayed[]): Promise<readonly unknown[]> {
    const { Failed = [] } = await sqs().send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl: queueUrlOf(messages[0]?.record.eventSourceARN ?? ''),
        Entries: messages.map(({ record, seconds }, index) => ({
          Id: String(index),
          ReceiptHandle: record.receiptHandle,
          VisibilityTimeout: Math.min(longestInvisibleSeconds, seconds),
        })),
      }),
    );
    const errors: unknown[] = [];
    for (const { Id, Code } of Failed) errors[Number(Id)] = Code;
    return errors;
  }

  return { sqs, setVisibility };
}

/** `arn:aws:sqs:eu-west-1:123456789012:orders` → its URL, without asking SQS for it. */
function queueUrlOf(arn: string): string {
  const [, partition, , region, account, name] = arn.split(':');
  return `https://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}/${account}/${name}`;
}
