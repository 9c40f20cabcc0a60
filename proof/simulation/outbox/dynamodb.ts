import { type DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { Aws } from '../../../lib/pawl/aws/aws.ts';
import { sdk } from '../../../lib/pawl/aws/sdk.ts';
import { dynamoOutbox } from '../../../lib/pawl/outbox/index.ts';
import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { toItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import {
  type AppWrite,
  commit,
  commitStep,
  eachTransaction,
  transactionalStore,
} from '../../../lib/pawl/transactions/index.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { Commits, OpenCommits, Plan } from './commits.ts';

const tableName = 'claims';

/** An outbox in DynamoDB. One table has claims, data and messages: the ids of the three never meet. */
export function inDynamo(clientOf: (sandbox: Sandbox) => DynamoDBClient): OpenCommits {
  return (sandbox, options): Commits => {
    const client = clientOf(sandbox);
    // No batch response goes to a queue here: a message that is not done comes again by itself.
    const aws: Aws = { dynamodb: sdk({ dynamodb: client }).dynamodb, sqs: { call: async () => ({}) } };
    const outbox = dynamoOutbox({ tableName, aws, ...options });
    const store = transactionalStore(dynamoStore({ tableName, aws, host: sandbox.host }));
    const writes = ({ key, messages }: Plan) => [
      {
        Update: {
          TableName: tableName,
          Key: { id: `app#${key}` },
          UpdateExpression: 'ADD #times :one',
          ExpressionAttributeNames: { '#times': 'times' },
          ExpressionAttributeValues: { ':one': 1 },
        },
      },
      ...messages.map(outbox.message),
    ];
    return {
      outbox,
      store,
      handler: (of, plan) => eachTransaction({ ...of, store }, () => writes(plan)),
      commit: (claim, plan) => commit(claim, writes(plan)),
      commitStep: (claim, plan) => commitStep(claim, 'post', () => writes(plan)),
      async commitBeside({ messages }, remainingMs) {
        const prepared = await outbox.prepare(messages.map(outbox.message));
        await client.send(new TransactWriteItemsCommand({ TransactItems: prepared.writes.map(marshalled) }));
        await prepared.sendNow(remainingMs);
      },
    };
  };
}

/** The one write of a message that the planted mistake makes. */
function marshalled({ Put, Update }: AppWrite) {
  if (Put) return { Put: { TableName: Put.TableName, Item: toItem(Put.Item ?? {}) } };
  const { Key = {}, ExpressionAttributeValues = {}, ...rest } = Update ?? { TableName: '', UpdateExpression: '' };
  return { Update: { ...rest, Key: toItem(Key), ExpressionAttributeValues: toItem(ExpressionAttributeValues) } };
}
