import { GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** The URL of a queue that is named by its URL, its name or its ARN. @throws SQS's error */
export async function queueUrlOf(sqs: SQSClient, named: string | undefined): Promise<string | undefined> {
  if (named === undefined || named.startsWith('http://') || named.startsWith('https://')) return named;
  const [, , , , account, name] = named.startsWith('arn:') ? named.split(':') : [];
  const { QueueUrl } = await sqs.send(
    new GetQueueUrlCommand({
      QueueName: name ?? named,
      ...(account !== undefined && { QueueOwnerAWSAccountId: account }),
    }),
  );
  return QueueUrl;
}
