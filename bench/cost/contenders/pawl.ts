import { eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import type { World } from '../contract.ts';
import type { Delivery } from '../scenarios.ts';
import { optionsWith } from './pawl-options.ts';

export function optionsOf({ client, tableName, concurrency }: Pick<World, 'client' | 'tableName' | 'concurrency'>) {
  return optionsWith(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }), concurrency);
}

export function pawl(world: Omit<World, 'lean'>) {
  const handler = eachMessage(optionsOf(world), ({ messageId }) => world.effect(messageId));
  return ({ event, context }: Delivery) =>
    () =>
      handler(event, context);
}
