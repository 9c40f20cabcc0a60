import type {
  ChangeMessageVisibilityBatchCommandInput,
  ChangeMessageVisibilityBatchCommandOutput,
  DeleteMessageCommandInput,
  DeleteMessageCommandOutput,
  GetQueueAttributesCommandInput,
  GetQueueAttributesCommandOutput,
  ListDeadLetterSourceQueuesCommandInput,
  ListDeadLetterSourceQueuesCommandOutput,
  ReceiveMessageCommandInput,
  ReceiveMessageCommandOutput,
  SendMessageCommandInput,
  SendMessageCommandOutput,
} from '@aws-sdk/client-sqs';
import type { SqsOperation, SqsTransport } from '../aws/aws.ts';

/**
 * The requests to SQS, with the types of the AWS SDK. Only its types are imported, so that a lean consumer does not load the SDK.
 */

interface Call<Input, Output> {
  readonly input: Input;
  readonly output: Partial<Omit<Output, '$metadata'>>;
}

/** What goes in and comes out, by operation. */
interface Calls extends Record<SqsOperation, Call<object, object>> {
  ChangeMessageVisibilityBatch: Call<
    ChangeMessageVisibilityBatchCommandInput,
    ChangeMessageVisibilityBatchCommandOutput
  >;
  DeleteMessage: Call<DeleteMessageCommandInput, DeleteMessageCommandOutput>;
  GetQueueAttributes: Call<GetQueueAttributesCommandInput, GetQueueAttributesCommandOutput>;
  ListDeadLetterSourceQueues: Call<ListDeadLetterSourceQueuesCommandInput, ListDeadLetterSourceQueuesCommandOutput>;
  ReceiveMessage: Call<ReceiveMessageCommandInput, ReceiveMessageCommandOutput>;
  SendMessage: Call<SendMessageCommandInput, SendMessageCommandOutput>;
}

/** @throws as the transport does */
export function callSqs<Name extends SqsOperation>(
  transport: SqsTransport,
  operation: Name,
  input: Calls[Name]['input'],
  abortSignal?: AbortSignal,
): Promise<Calls[Name]['output']> {
  return transport.call(operation, input, abortSignal && { abortSignal }) as Promise<Calls[Name]['output']>;
}
