import {
  ChangeMessageVisibilityBatchCommand,
  type ChangeMessageVisibilityBatchCommandInput,
  DeleteMessageCommand,
  type DeleteMessageCommandInput,
  GetQueueAttributesCommand,
  type GetQueueAttributesCommandInput,
  ListDeadLetterSourceQueuesCommand,
  type ListDeadLetterSourceQueuesCommandInput,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SqsOperation, SqsTransport } from './aws.ts';

type Send = (
  client: SQSClient,
  input: object,
  options: { readonly abortSignal?: AbortSignal } | undefined,
) => Promise<object>;

const sends: Readonly<Record<SqsOperation, Send>> = {
  ChangeMessageVisibilityBatch: (client, input, options) =>
    client.send(new ChangeMessageVisibilityBatchCommand(input as ChangeMessageVisibilityBatchCommandInput), options),
  DeleteMessage: (client, input, options) =>
    client.send(new DeleteMessageCommand(input as DeleteMessageCommandInput), options),
  GetQueueAttributes: (client, input, options) =>
    client.send(new GetQueueAttributesCommand(input as GetQueueAttributesCommandInput), options),
  ListDeadLetterSourceQueues: (client, input, options) =>
    client.send(new ListDeadLetterSourceQueuesCommand(input as ListDeadLetterSourceQueuesCommandInput), options),
  ReceiveMessage: (client, input, options) =>
    client.send(new ReceiveMessageCommand(input as ReceiveMessageCommandInput), options),
  SendMessage: (client, input, options) =>
    client.send(new SendMessageCommand(input as SendMessageCommandInput), options),
};

/** Sends what pawl asks of SQS through a client of the AWS SDK: the author's, or a new one. */
export function sdkSqs(client: SQSClient = defaultSqs()): SqsTransport {
  return { call: (operation, input, options) => sends[operation](client, input, options) };
}

/** A queue's URL may be made from its ARN, or have a host that only AWS resolves, so the endpoint comes from the client: a VPC endpoint or a local server counts. */
function defaultSqs(): SQSClient {
  return new SQSClient({
    useQueueUrlAsEndpoint: false,
    requestHandler: { connectionTimeout: 2000, requestTimeout: 20_000, throwOnRequestTimeout: true },
  });
}
