import type { TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import type { DynamoTransport } from '../../../lib/pawl/aws/aws.ts';
import type { HttpTry } from '../../../lib/pawl/aws/http.ts';
import { dynamodb, leanDynamo } from '../../../lib/pawl/aws/lean-dynamodb.ts';
import { signedRequests } from '../../../lib/pawl/aws/signed-requests.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { simulatedCredentials, simulatedHttp } from '../lean-http.ts';
import { named } from '../network.ts';
import type { HttpTroubles } from './http-troubles.ts';
import { conflictOf, type Surroundings, serviceFor } from './service.ts';
import type { SimulatedTable } from './table.ts';

/**
 * The lean transport of a sandbox as it is, over a simulated network.
 */
export function leanClient(
  surroundings: Surroundings,
  sandbox: Sandbox,
  table: SimulatedTable<Sandbox>,
  troubles: HttpTroubles,
): DynamoTransport {
  const { world, oracle } = surroundings;
  const credentials = simulatedCredentials(world, sandbox, troubles);
  const { serve, trouble } = serviceFor(surroundings, sandbox, table);
  const service = { trouble, serve: (command: string, input: object) => serve(command, input) as object };
  const region = 'eu-west-1';
  const send = signedRequests({
    service: dynamodb,
    host: sandbox.host,
    http: simulatedHttp(world, sandbox, { ...service, conflictWith, hasChecksum: true }, troubles),
    place: { endpoint: new URL(`https://dynamodb.${region}.amazonaws.com`), region },
    credentials,
  });
  const transport = leanDynamo(send, sandbox.host, () => region);
  return {
    ...transport,
    async call(operation, input) {
      oracle.sending?.(sandbox, input);
      try {
        const value = await transport.call(operation, input);
        oracle.heard(sandbox, input, { value });
        return value;
      } catch (error) {
        oracle.heard(sandbox, input, { error });
        throw error;
      }
    },
  };
}

/** What the service says when one of the items is in another transaction. */
function conflictWith(command: string, { body }: HttpTry): Error {
  const isTransaction = command === 'TransactWriteItemsCommand';
  return isTransaction
    ? conflictOf(JSON.parse(body) as TransactWriteItemsCommandInput)
    : named('TransactionConflictException');
}
