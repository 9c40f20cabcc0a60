import { BatchGetItemCommand, type DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { BatchGetCommandInput, DynamoDBDocumentClient, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { fieldsOf, toItem } from '../../../lib/pawl/stores/dynamodb/item.ts';

type TransactAction = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A document client over a simulated one, for the two commands that are sent through it. */
export function documentsOver(client: DynamoDBClient): DynamoDBDocumentClient {
  async function send(command: { readonly input: object }): Promise<unknown> {
    switch (command.constructor.name) {
      case 'BatchGetCommand':
        return batchGet(command.input as BatchGetCommandInput);
      case 'TransactWriteCommand': {
        const { TransactItems = [] } = command.input as TransactWriteCommandInput;
        return client.send(new TransactWriteItemsCommand({ TransactItems: TransactItems.map(toAction) }));
      }
      default:
        throw new Error(`no simulated document client understands ${command.constructor.name}`);
    }
  }

  async function batchGet({ RequestItems = {} }: BatchGetCommandInput) {
    const [[name, asked] = ['', { Keys: [] }]] = Object.entries(RequestItems);
    const { Keys = [], ...rest } = asked;
    const input = { RequestItems: { [name]: { ...rest, Keys: Keys.map(toItem) } } };
    const { Responses = {}, UnprocessedKeys = {} } = await client.send(new BatchGetItemCommand(input as never));
    const unread = UnprocessedKeys[name]?.Keys?.map(fieldsOf);
    return {
      Responses: { [name]: (Responses[name] ?? []).map(fieldsOf) },
      UnprocessedKeys: unread ? { [name]: { ...rest, Keys: unread } } : {},
    };
  }

  return { send } as unknown as DynamoDBDocumentClient;
}

/** What of an action is in a form of its own. */
interface Fields {
  readonly Key?: object;
  readonly Item?: object;
  readonly ExpressionAttributeValues?: object;
}

function toAction(action: TransactAction) {
  const converted = Object.entries(action).map(([kind, input]) => {
    const { Key, Item, ExpressionAttributeValues: values, ...rest } = input as Fields;
    const fields = {
      ...(Key && { Key: toItem(Key) }),
      ...(Item && { Item: toItem(Item) }),
      ...(values && { ExpressionAttributeValues: toItem(values) }),
    };
    return [kind, { ...rest, ...fields }];
  });
  return Object.fromEntries(converted);
}
