import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import { receiveDeadLetters } from '../../lib/rehearsal/dead-letters.ts';
import { record } from '../../lib/rehearsal/template.ts';

/** The order that a message is about, or `undefined` if the message cannot be read. */
export function orderOf({ Body = '' }: Pick<Message, 'Body'>): string | undefined {
  try {
    const { orderId } = record(JSON.parse(Body));
    return typeof orderId === 'string' ? orderId : undefined;
  } catch {
    return undefined;
  }
}

/** The orders with a message in a dead-letter queue. pawl has moved it there, or SQS after too many receives. */
export async function deadLetteredOrders(client: SQSClient, url: string): Promise<ReadonlySet<string>> {
  const messages = await receiveDeadLetters(client, url);
  return new Set(messages.flatMap((message) => orderOf(message) ?? []));
}
