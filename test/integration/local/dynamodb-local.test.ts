import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, inject, test } from 'vitest';

test('the tests have a DynamoDB Local that answers', async () => {
  const client = new DynamoDBClient({
    endpoint: inject('dynamoEndpoint'),
    region: 'us-east-1',
    credentials: { accessKeyId: 'TEST', secretAccessKey: 'test' },
  });
  const { TableNames } = await client.send(new ListTablesCommand({}));
  expect(TableNames).toBeInstanceOf(Array);
  client.destroy();
});
