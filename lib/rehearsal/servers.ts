import { DeleteTableCommand, DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { allOrNothing } from './all-or-nothing.ts';
import { type DynamoDbLocal, startDynamoDbLocal } from './dynamodb-local.ts';
import { type SqsLocal, startSqsLocal } from './sqs-local.ts';
import { startTap, type TapHooks } from './tap.ts';
import { REGION } from './template.ts';

/** The local servers, and the tap in front of each that functions talk to. */
export interface Servers {
  /** Talks to DynamoDB itself, past the tap. */
  readonly dynamo: DynamoDBClient;
  /** SQS itself, past the tap. */
  readonly sqs: SqsLocal;
  /** Where functions find DynamoDB and SQS. */
  readonly tapped: { readonly dynamodb: string; readonly sqs: string };
}

export interface ServersOptions {
  /** What happens to the requests of functions. Requests to the URL of a queue itself do not pass the tap. */
  readonly hooks: { readonly dynamodb?: TapHooks; readonly sqs?: TapHooks };
  readonly kill: (sandbox: string) => void;
  /** One that runs already, and goes on afterwards. Its tables are deleted. @default one that is started, and ends with the others */
  readonly dynamoDb?: Pick<DynamoDbLocal, 'endpoint'> | undefined;
}

/** Starts DynamoDB Local and SQS, and their taps. `stopping` gets all that has to be stopped, also if one of them fails. */
export async function startServers(
  { hooks, kill, dynamoDb }: ServersOptions,
  stopping: AsyncDisposableStack,
): Promise<Servers> {
  const stopped = <Part extends { stop(): Promise<void> }>(part: Part): Part =>
    stopping.adopt(part, ({ stop }) => stop());
  const [local, sqs] = await allOrNothing([
    dynamoDb ?? startDynamoDbLocal().then(stopped),
    startSqsLocal().then(stopped),
  ]);
  const dynamo = new DynamoDBClient({
    endpoint: local.endpoint,
    region: REGION,
    credentials: { accessKeyId: 'LOCALSTACK', secretAccessKey: 'local' },
  });
  stopping.defer(() => dynamo.destroy());
  if (dynamoDb !== undefined) await deleteTables(dynamo);
  const tap = async (target: string, ofServer: TapHooks = {}) =>
    stopped(await startTap({ target, kill, hooks: ofServer })).endpoint;
  const [dynamodb, queues] = await allOrNothing([tap(local.endpoint, hooks.dynamodb), tap(sqs.endpoint, hooks.sqs)]);
  return { dynamo, sqs, tapped: { dynamodb, sqs: queues } };
}

async function deleteTables(client: DynamoDBClient): Promise<void> {
  const names: string[] = [];
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) names.push(...TableNames);
  await Promise.all(names.map((TableName) => client.send(new DeleteTableCommand({ TableName }))));
}
