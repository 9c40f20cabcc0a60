import middyfy from '@middy/core';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import type { World } from '../contract.ts';
import type { Delivery } from '../scenarios.ts';
import { batchHandler } from './middy.ts';
import { optionsOf } from './pawl.ts';

/** The batch handler that exists, wrapped by one line. */
export function sqsOnceUnderMiddy(world: World) {
  const handler = middyfy(batchHandler(world), { timeoutEarlyInMillis: 0 }).use(sqsOnce(optionsOf(world)) as object);
  return ({ event, context }: Delivery) =>
    () =>
      handler(event, context as Parameters<typeof handler>[1]);
}
