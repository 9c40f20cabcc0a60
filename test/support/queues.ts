import { DeleteMessageBatchCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SqsEvent } from '../../lib/pawl/sqs/event.ts';
import { startSqsLocal } from '../../lib/rehearsal/engine/servers/sqs-local.ts';
import { toSqsEvent } from '../../lib/rehearsal/services/sqs/sqs-event.ts';

export interface TestQueue {
  readonly url: string;
  readonly arn: string;
}

/** A real SQS server with a queue and its dead-letter queue, driven as Lambda's event source drives them. */
export async function startQueues(maxReceiveCount = 5) {
  const sqs = await startSqsLocal();
  const deadLetters = await sqs.createQueue('orders-dlq');
  const orders = await sqs.createQueue('orders', {
    VisibilityTimeout: '60',
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount }),
  });
  const { client } = sqs;
  /** What a function's own client is like: its endpoint is set, and the queue's URL is not one. */
  const functionClient = new SQSClient({
    endpoint: sqs.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'function', secretAccessKey: 'local' },
    useQueueUrlAsEndpoint: false,
  });

  async function receive(queue: TestQueue): Promise<SqsEvent> {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queue.url,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    return toSqsEvent(Messages, queue.arn);
  }

  return {
    /** Of SQS, and of SNS and S3 beside it. */
    endpoint: sqs.endpoint,
    orders,
    deadLetters,
    functionClient,
    receive,
    async send(body: unknown, attributes: Record<string, string> = {}): Promise<string> {
      const { MessageId = '' } = await client.send(
        new SendMessageCommand({
          QueueUrl: orders.url,
          MessageBody: typeof body === 'string' ? body : JSON.stringify(body),
          MessageAttributes: Object.fromEntries(
            Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
          ),
        }),
      );
      return MessageId;
    },
    /** Receives a batch, calls the handler, and deletes what it did not name: Lambda's part. */
    async deliver(
      handler: (event: SqsEvent) => Promise<unknown>,
    ): Promise<{ received: number; failed: readonly string[] }> {
      const event = await receive(orders);
      if (event.Records.length === 0) return { received: 0, failed: [] };
      const response = (await handler(event)) as { batchItemFailures: { itemIdentifier: string }[] };
      const failed = response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
      const done = event.Records.filter(({ messageId }) => !failed.includes(messageId));
      if (done.length > 0) {
        await client.send(
          new DeleteMessageBatchCommand({
            QueueUrl: orders.url,
            Entries: done.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle })),
          }),
        );
      }
      return { received: event.Records.length, failed };
    },
    /** What a queue holds, without receiving it. */
    messages: (queue: TestQueue) => sqs.messages(queue.arn.split(':').at(-1) ?? ''),
    depth: (queue: TestQueue) => sqs.depth(queue.arn.split(':').at(-1) ?? ''),
    async stop(): Promise<void> {
      functionClient.destroy();
      await sqs.stop();
    },
  };
}
