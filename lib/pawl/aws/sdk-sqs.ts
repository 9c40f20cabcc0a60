import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ListDeadLetterSourceQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SqsOperation, SqsTransport } from './aws.ts';

/** The class of each operation's command. */
const commands: Readonly<Record<SqsOperation, new (input: never) => object>> = {
  ChangeMessageVisibilityBatch: ChangeMessageVisibilityBatchCommand,
  DeleteMessage: DeleteMessageCommand,
  GetQueueAttributes: GetQueueAttributesCommand,
  ListDeadLetterSourceQueues: ListDeadLetterSourceQueuesCommand,
  ReceiveMessage: ReceiveMessageCommand,
  SendMessage: SendMessageCommand,
};

/** Sends what pawl asks of SQS through a client of the AWS SDK: the author's, or a new one. */
export function sdkSqs(client: SQSClient = defaultSqs()): SqsTransport {
  return {
    call: (operation, input, options) => client.send(new commands[operation](input as never) as never, options),
  };
}

/** A queue's URL may be made from its ARN, or have a host that only AWS resolves, so the endpoint comes from the client: a VPC endpoint or a local server counts. */
function defaultSqs(): SQSClient {
  return new SQSClient({
    useQueueUrlAsEndpoint: false,
    requestHandler: { connectionTimeout: 2000, requestTimeout: 20_000, throwOnRequestTimeout: true },
  });
}
