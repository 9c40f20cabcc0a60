import type { TestProject } from 'vitest/node';
import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where DynamoDB Local listens, for `inject('dynamoEndpoint')`. Tests share it: each makes a table of its own name. */
    dynamoEndpoint: string;
  }
}

/** One DynamoDB Local for all tests of a project, stopped after the last of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dynamo = await startDynamoDbLocal();
  project.provide('dynamoEndpoint', dynamo.endpoint);
  return dynamo.stop;
}
