import { type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Reads a dead-letter queue to its end. What was received is invisible for a while. */
export async function receiveDeadLetters(client: SQSClient, url: string): Promise<readonly Message[]> {
  const received: Message[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] }),
    );
    if (Messages.length === 0) return received;
    received.push(...Messages);
  }
}
