import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateTopicCommand, PublishCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { startQueues, type TestQueue } from './queues.ts';

const bucket = 'payloads';

/** Queues as `startQueues` makes them, with topics of SNS and a bucket of S3 on the same server. */
export async function startClouds() {
  const queues = await startQueues();
  const { endpoint } = queues;
  const credentials = { accessKeyId: 'LOCALSTACK', secretAccessKey: 'local' };
  const sns = new SNSClient({ endpoint, region: 'us-east-1', credentials });
  const s3 = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));

  return {
    queues,
    sns,
    s3,
    bucket,
    /** A topic with the queue as its subscriber. @returns what publishes to it */
    async topic(
      name: string,
      { queue = queues.orders, raw = false }: { readonly queue?: TestQueue; readonly raw?: boolean } = {},
    ) {
      const { TopicArn = '' } = await sns.send(new CreateTopicCommand({ Name: name }));
      const Attributes = raw ? { RawMessageDelivery: 'true' } : {};
      await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint: queue.arn, Attributes }));
      return async (body: unknown, attributes: Readonly<Record<string, string>> = {}, Subject?: string) => {
        const MessageAttributes = Object.fromEntries(
          Object.entries(attributes).map(([key, StringValue]) => [key, { DataType: 'String', StringValue }]),
        );
        const Message = typeof body === 'string' ? body : JSON.stringify(body);
        await sns.send(new PublishCommand({ TopicArn, Message, MessageAttributes, Subject }));
      };
    },
    /** Puts an object into the bucket. */
    async put(Key: string, Body: string | Uint8Array): Promise<void> {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
    },
    async stop(): Promise<void> {
      sns.destroy();
      s3.destroy();
      await queues.stop();
    },
  };
}
