import { eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/lean.ts';
import type { World } from '../contract.ts';
import type { Delivery } from '../scenarios.ts';
import { optionsWith } from './pawl-options.ts';

/** The same as `pawl`, without the AWS SDK. */
export function pawlLean({ lean: aws, tableName, effect, concurrency }: Omit<World, 'client'>) {
  const store = dynamoStore({ tableName, aws });
  const handler = eachMessage(optionsWith(store, concurrency), ({ messageId }) => effect(messageId));
  return ({ event, context }: Delivery) =>
    () =>
      handler(event, context);
}
