import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The client that every contender uses: the SDK's defaults, for DynamoDB Local. */
export function benchClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestHandler: {
      // A batch of 1,000 single requests waits for the 50 sockets there are. That is known, and needs no line on the console.
      socketAcquisitionWarningTimeout: 120_000,
    },
  });
}
