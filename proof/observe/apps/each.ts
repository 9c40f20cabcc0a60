import { bodyField, eachMessage, type SqsEvent } from '../../../lib/pawl/sqs/index.ts';
import { isObserved, type Order, ship, watching } from './order.ts';

/** A consumer of a FIFO queue: nothing of a message group runs behind its first failure. */

async function plain({ Records }: SqsEvent) {
  const failed = new Set<string>();
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const { messageId, body, attributes } of Records) {
    const group = attributes?.MessageGroupId ?? '';
    try {
      if (failed.has(group)) throw new Error('an earlier message of its group has failed');
      await ship(JSON.parse(body));
    } catch {
      failed.add(group);
      batchItemFailures.push({ itemIdentifier: messageId });
    }
  }
  return { batchItemFailures };
}

const observed = eachMessage<Order>({ ...watching('each'), key: bodyField('orderId') }, ({ body }) => ship(body));

export const handler = isObserved ? observed : plain;
