import type { TestProject } from 'vitest/node';
import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { postgresPrograms, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where DynamoDB Local listens, for `inject('dynamoEndpoint')`. Tests share it: each makes a table of its own name. */
    dynamoEndpoint: string;
    /** Of a PostgreSQL server, which tests share in the same way. Empty where npm installs none. */
    postgresUrl: string;
  }
}

/** One DynamoDB Local and one PostgreSQL for all tests of a project, stopped after the last of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using servers = new AsyncDisposableStack();
  const programs = postgresPrograms();
  // Where the tests prove something, a server that is missing is no reason to prove less.
  if (programs === undefined && process.env['CI']) throw new Error('npm has installed no PostgreSQL');
  const [dynamo, postgres] = await Promise.all([startDynamoDbLocal(), programs && startPostgres(programs)]);
  servers.defer(() => dynamo.stop());
  if (postgres) servers.use(postgres);
  project.provide('dynamoEndpoint', dynamo.endpoint);
  project.provide('postgresUrl', postgres ? postgres.url : '');
  const running = servers.move();
  return () => running.disposeAsync();
}
