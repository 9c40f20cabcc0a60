import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { createProgress, type Progress } from '../../lib/rehearsal/progress.ts';
import { claimsTable } from '../../test/support/tables.ts';
import { benchClient } from './client.ts';

/** Where everything is measured: one DynamoDB Local, and a table for each process, so that none reads what another wrote. */
export interface Setting extends AsyncDisposable {
  readonly endpoint: string;
  readonly progress: Progress;
  /** Creates a table, and answers its name. */
  createTable(name: string): Promise<string>;
}

export async function startSetting(): Promise<Setting> {
  const progress = createProgress(process.stderr);
  progress.update('DynamoDB Local is starting');
  const dynamo = await startDynamoDbLocal();
  const client = benchClient(dynamo.endpoint);
  return {
    endpoint: dynamo.endpoint,
    progress,
    createTable: (name) => claimsTable(client, name),
    async [Symbol.asyncDispose]() {
      progress.end();
      client.destroy();
      await dynamo.stop();
    },
  };
}
