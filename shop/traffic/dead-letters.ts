import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import { record } from '../../lib/rehearsal/engine/app/template.ts';
import { receiveDeadLetters } from '../../lib/rehearsal/services/sqs/dead-letters.ts';

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
