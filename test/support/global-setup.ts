import type { TestProject } from 'vitest/node';
import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { postgresPrograms, startPostgres } from '../../shop/postgres/server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where DynamoDB Local listens, for `inject('dynamoEndpoint')`. Tests share it: each makes a table of its own name. */
    dynamoEndpoint: string;
    /** Of a PostgreSQL server, which tests share in the same way. Empty where npm installs none. */
    postgresUrl: string;
  }
}

interface Servers extends AsyncDisposable {
  readonly dynamoEndpoint: string;
  readonly postgresUrl: string;
}

/** Each project loads this file for itself: what they share is known to the process. */
interface Shared {
  /** How many projects use the servers. */
  projects: number;
  servers?: Promise<Servers>;
}

const known = globalThis as { pawlServers?: Shared };
known.pawlServers ??= { projects: 0 };
const shared = known.pawlServers;

/**
 * One DynamoDB Local and one PostgreSQL for the tests of all projects, stopped after the last of them. A second Java would compile
 * the same code again, and each costs processor time when it is idle.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.projects++;
  shared.servers ??= start();
  const servers = await shared.servers;
  project.provide('dynamoEndpoint', servers.dynamoEndpoint);
  project.provide('postgresUrl', servers.postgresUrl);
  return async () => {
    if (--shared.projects > 0) return;
    delete shared.servers;
    await servers[Symbol.asyncDispose]();
  };
}

async function start(): Promise<Servers> {
  await using starting = new AsyncDisposableStack();
  const programs = postgresPrograms();
  // Where the tests prove something, a server that is missing is no reason to prove less.
  if (programs === undefined && process.env['CI']) throw new Error('npm has installed no PostgreSQL');
  const [dynamo, postgres] = await Promise.all([startDynamoDbLocal(), programs && startPostgres(programs)]);
  starting.use(dynamo);
  if (postgres) starting.use(postgres);
  const running = starting.move();
  return {
    dynamoEndpoint: dynamo.endpoint,
    postgresUrl: postgres ? postgres.url : '',
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
