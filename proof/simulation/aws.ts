import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Aws, DynamoTransport } from '../../lib/pawl/aws/aws.ts';
import { sdk } from '../../lib/pawl/aws/sdk.ts';
import type { Sandbox } from './lambda/sandbox.ts';
import { type QueueSurroundings, sqsTransport } from './sqs/client.ts';

/** The way to AWS of a sandbox, over the simulated network: to the table through the library's own transport, to the queues beside it. */
export function awsOf(
  simulation: QueueSurroundings,
  sandbox: Sandbox,
  dynamodb: DynamoDBClient | DynamoTransport,
): Aws {
  return {
    dynamodb: 'call' in dynamodb ? dynamodb : sdk({ dynamodb }).dynamodb,
    sqs: sqsTransport(simulation, sandbox),
  };
}
