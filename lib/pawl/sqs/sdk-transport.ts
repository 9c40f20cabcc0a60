import {
  ChangeMessageVisibilityBatchCommand,
  type ChangeMessageVisibilityBatchCommandInput,
  GetQueueAttributesCommand,
  type GetQueueAttributesCommandInput,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { expect } from '../kernel/check.ts';
import { isSqsTransport, type SqsOperation, type SqsTransport } from './transport.ts';

type Send = (
  client: SQSClient,
  input: object,
  options: { readonly abortSignal?: AbortSignal } | undefined,
) => Promise<object>;

const sends: Readonly<Record<SqsOperation, Send>> = {
  ChangeMessageVisibilityBatch: (client, input, options) =>
    client.send(new ChangeMessageVisibilityBatchCommand(input as ChangeMessageVisibilityBatchCommandInput), options),
  GetQueueAttributes: (client, input, options) =>
    client.send(new GetQueueAttributesCommand(input as GetQueueAttributesCommandInput), options),
  SendMessage: (client, input, options) =>
    client.send(new SendMessageCommand(input as SendMessageCommandInput), options),
};

/** The way to SQS of a consumer: its author's client, or one of the AWS SDK. */
export function consumersQueues(client: SQSClient | SqsTransport | undefined): SqsTransport {
  // A queue's URL is made from its ARN, so the endpoint comes from the client: a VPC endpoint or a local server counts.
  return sdkQueues(client, () => new SQSClient({ useQueueUrlAsEndpoint: false }));
}

/** The way to SQS of a producer, which is given the URL of its queue. */
export function producersQueues(client: SQSClient | SqsTransport | undefined): SqsTransport {
  return sdkQueues(client, () => new SQSClient({}));
}

/** @param make is called when the client is first needed: a consumer that never defers pays nothing for it */
function sdkQueues(given: SQSClient | SqsTransport | undefined, make: () => SQSClient): SqsTransport {
  if (isSqsTransport(given)) return given;
  expect(given === undefined || typeof given?.send === 'function', 'sqsClient', 'an SQSClient, or leanSqs()', given);
  let client = given;
  return {
    kind: 'sqs-transport',
    call(operation, input, options) {
      client ??= make();
      return sends[operation](client, input, options);
    },
  };
}
