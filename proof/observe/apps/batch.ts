import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { once } from '../../../lib/pawl/index.ts';
import { isObserved, type Order, ship, watching } from './order.ts';

/** A function inside of Powertools' batch processor. */

const processor = new BatchProcessor(EventType.SQS);
const shipObserved = once({ ...watching('batch'), key: ({ orderId }: Order) => orderId }, ship);

export const handler = async (event: SQSEvent, context: Context) => {
  const call = { remainingMs: () => context.getRemainingTimeInMillis() };
  const handle = ({ body }: SQSRecord) => {
    const order: Order = JSON.parse(body);
    return isObserved ? shipObserved(order, call) : ship(order);
  };
  return processPartialResponse(event, handle, processor, { context });
};
