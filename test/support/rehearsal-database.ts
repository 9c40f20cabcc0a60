import { type DynamoDbLocal, startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';

let started: Promise<DynamoDbLocal> | undefined;

/**
 * The DynamoDB Local of all rehearsals of this process, which run one after the other: each deletes the tables of the one before it. To start
 * one costs as much as all else of a small rehearsal. It ends with this process.
 */
export function rehearsalDatabase(): Promise<DynamoDbLocal> {
  started ??= startDynamoDbLocal();
  return started;
}
