import { bodyField, eachMessage } from '../../../lib/sqs/index.ts';
import { dynamoStore } from '../../../lib/stores/dynamodb/index.ts';
import type { World } from '../contract.ts';
import type { Delivery } from '../scenarios.ts';

/** What both of pawl's ways in are given: its defaults, and no call or line that the others do not make either. */
export function optionsOf({ client, tableName }: Pick<World, 'client' | 'tableName'>) {
  return {
    operation: 'issue-gift-card',
    store: dynamoStore({ tableName, client }),
    key: bodyField('orderId'),
    onAbandoned: 'retry',
    // Nobody else sets the visibility of what failed, nor prints a line about it.
    backoffSeconds: () => undefined,
    onEvent: () => undefined,
  } as const;
}

export function pawl(world: World) {
  const handler = eachMessage(optionsOf(world), ({ messageId }) => world.effect(messageId));
  return ({ event, context }: Delivery) =>
    () =>
      handler(event, context);
}
