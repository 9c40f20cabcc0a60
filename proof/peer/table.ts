import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DeleteItemCommandInput,
  type DynamoDBClient,
  type GetItemCommandInput,
  type PutItemCommandInput,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { World } from '../../lib/testing/index.ts';

type Item = Record<string, AttributeValue>;
type Input = PutItemCommandInput & UpdateItemCommandInput & GetItemCommandInput & DeleteItemCommandInput;

/** What outlives the workers: the items of the peer's table, by their key. */
export type Table = Map<string, Item>;

/** The only condition that its 2.35 writes under. Another one would not be evaluated right, so it is refused. */
const condition =
  'attribute_not_exists(#id) OR #expiry < :now OR (#status = :inprogress AND attribute_exists(#in_progress_expiry) AND #in_progress_expiry < :now_in_millis)';

/**
 * A DynamoDB client, as far as the peer's persistence layer asks for one: the four commands that it sends, on a table in memory.
 * Every call is an await boundary of the kit, as those of pawl's store are.
 */
export function clientOf(world: World, table: Table): DynamoDBClient {
  function send(command: { input: Input }): Promise<object> {
    const name = command.constructor.name.replace('Command', '');
    return world.io(`store.${name}`, () => apply(name, command.input, table), { resends: true });
  }
  const middlewareStack = { identify: () => [], addRelativeTo: () => undefined };
  return { send, config: {}, middlewareStack } as unknown as DynamoDBClient;
}

function apply(name: string, input: Input, table: Table): object {
  const id = (input.Item ?? input.Key)?.['id']?.S ?? '';
  const found = table.get(id);
  switch (name) {
    case 'GetItem':
      return { Item: found };
    case 'DeleteItem':
      table.delete(id);
      return {};
    case 'PutItem':
      if (input.ConditionExpression !== condition) throw new Error(`unknown condition: ${input.ConditionExpression}`);
      if (found !== undefined && !isOver(found, input.ExpressionAttributeValues ?? {})) {
        throw new ConditionalCheckFailedException({
          message: 'The conditional request failed',
          $metadata: {},
          Item: found,
        });
      }
      table.set(id, input.Item ?? {});
      return {};
    case 'UpdateItem':
      table.set(id, { ...found, ...input.Key, ...assigned(input) });
      return {};
    default:
      throw new Error(`unknown command: ${name}`);
  }
}

/** The condition, but for its first part. */
function isOver({ status, expiration, in_progress_expiration: inProgress }: Item, values: Item): boolean {
  const number = (value: AttributeValue | undefined) => Number(value?.N ?? Number.NaN);
  if (number(expiration) < number(values[':now'])) return true;
  return status?.S === values[':inprogress']?.S && number(inProgress) < number(values[':now_in_millis']);
}

/** `SET #a = :a, #b = :b`. */
function assigned({
  UpdateExpression = '',
  ExpressionAttributeNames = {},
  ExpressionAttributeValues = {},
}: Input): Item {
  const item: Item = {};
  for (const [, name = '', value = ''] of UpdateExpression.matchAll(/(#\w+) = (:\w+)/g)) {
    const attribute = ExpressionAttributeValues[value];
    if (attribute) item[ExpressionAttributeNames[name] ?? ''] = attribute;
  }
  return item;
}
