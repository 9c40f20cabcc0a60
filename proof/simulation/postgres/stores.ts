import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { individualDynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import type { PostgresClient } from '../../../lib/pawl/stores/postgres/sql.ts';
import { type PostgresStore, postgresStore } from '../../../lib/pawl/stores/postgres/store.ts';
import { awsOf } from '../aws.ts';
import { dynamoClient } from '../dynamodb/client.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { Simulation } from '../simulation.ts';
import { postgresPool, type Spared } from './client.ts';

/** The store of a sandbox whose claims are in PostgreSQL, with its way to SQS. */
export function simulatedPostgres(
  simulation: Simulation & Spared,
  sandbox: Sandbox,
): PostgresStore<PostgresClient> & ClaimStore {
  const aws = awsOf(simulation, sandbox, dynamoClient(simulation, sandbox, simulation.table));
  const pool = postgresPool(simulation, sandbox, simulation.database);
  return { ...postgresStore({ pool, host: sandbox.host }), aws };
}

/** The store of a person or of a job beside the workers. */
export function storeBeside(simulation: Simulation & Spared, sandbox: Sandbox): ClaimStore {
  if (simulation.scenario.database === 'postgres') return simulatedPostgres(simulation, sandbox);
  const client = dynamoClient(simulation, sandbox, simulation.table);
  return individualDynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: client }), host: sandbox.host });
}
