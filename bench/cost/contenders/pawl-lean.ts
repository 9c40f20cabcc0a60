import { eachMessage } from '../../../lib/pawl/sqs/lean/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/lean/index.ts';
import type { World } from '../contract.ts';
import type { Delivery } from '../scenarios.ts';
import { optionsWith } from './pawl-options.ts';

/** The same as `pawl`, over the lean transport. */
export function pawlLean({ transport, tableName, effect }: Pick<World, 'transport' | 'tableName' | 'effect'>) {
  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: transport }) });
  const handler = eachMessage(optionsWith(store), ({ messageId }) => effect(messageId));
  return ({ event, context }: Delivery) =>
    () =>
      handler(event, context);
}
