import type { Context, SQSEvent } from 'aws-lambda';
import { once } from '../../../lib/pawl/index.ts';
import { isObserved, type Order, ship, watching } from './order.ts';

/** A handler that knows nothing of partial batches: one message at a time, and an error fails it. */

const shipObserved = once({ ...watching('plain'), key: ({ orderId }: Order) => orderId }, ship);

export async function handler({ Records }: SQSEvent, context: Context): Promise<void> {
  const call = { remainingMs: () => context.getRemainingTimeInMillis() };
  for (const { body } of Records) {
    const order: Order = JSON.parse(body);
    await (isObserved ? shipObserved(order, call) : ship(order));
  }
}
