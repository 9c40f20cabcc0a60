import { type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { record } from '../../lib/rehearsal/engine/app/template.ts';

/** The order that a message is about, or `undefined` if the message cannot be read. */
export function orderOf({ Body = '' }: Pick<Message, 'Body'>): string | undefined {
  try {
    const { orderId } = record(JSON.parse(Body));
    return typeof orderId === 'string' ? orderId : undefined;
  } catch {
    return undefined;
  }
}

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

/** The orders with a message in a dead-letter queue. pawl has moved it there, or SQS after too many receives. */
export async function deadLetteredOrders(client: SQSClient, url: string): Promise<ReadonlySet<string>> {
  const messages = await receiveDeadLetters(client, url);
  return new Set(messages.flatMap((message) => orderOf(message) ?? []));
}
