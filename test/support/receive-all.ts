import { DeleteMessageCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Receives until a queue has nothing more to give, and deletes what the batch handler does not name: the part of Lambda's event source. */
export async function receiveAll(
  client: SQSClient,
  QueueUrl: string,
  handle: (messages: readonly Message[]) => Promise<unknown>,
): Promise<readonly Message[]> {
  const all: Message[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return all;
    all.push(...Messages);
    const response = (await handle(Messages)) as
      | { readonly batchItemFailures?: readonly { readonly itemIdentifier: string }[] }
      | undefined;
    const failed = (response?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
    const done = Messages.filter(({ MessageId = '' }) => !failed.includes(MessageId));
    await Promise.all(
      done.map(({ ReceiptHandle }) => client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))),
    );
  }
}
