import { DeleteTableCommand, DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { type SnsLocal, snsLocal } from '../../services/sns/sns-local.ts';
import { allOrNothing } from '../all-or-nothing.ts';
import { REGION } from '../app/template.ts';
import type { Machine } from '../machine.ts';
import { type DynamoDbLocal, startDynamoDbLocal } from './dynamodb-local.ts';
import { MissingJavaError } from './java.ts';
import { type SqsLocal, startSqsLocal } from './sqs-local.ts';
import { startTap, type TapHooks, type TapOptions } from './tap.ts';
import { startUnknownServices, type UnknownServices } from './unknown-services.ts';

/** Where the services are. SQS, SNS and S3 are one server. */
export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly sns: string;
  readonly s3: string;
}

/** The local servers, and the tap in front of each that functions talk to. */
export interface Servers {
  /** Talks to DynamoDB itself, past the tap. */
  readonly dynamo: DynamoDBClient;
  /** SQS itself, past the tap. */
  readonly sqs: SqsLocal;
  readonly sns: SnsLocal;
  /** Where functions find the services. */
  readonly tapped: Endpoints;
  /** The same without faults. S3 sends its notifications here as well. */
  readonly quiet: Endpoints;
  readonly unknown: UnknownServices;
}

export interface ServersOptions {
  readonly machine: Machine;
  /** What happens to the requests of functions. Requests to the URL of a queue itself do not pass the tap. */
  readonly hooks: { readonly [Service in keyof Endpoints]?: TapHooks };
  readonly kill: (sandbox: string) => void;
  /** One that runs already, and goes on afterwards. Its tables are deleted. @default one that is started, and ends with the others */
  readonly dynamoDb?: Pick<DynamoDbLocal, 'endpoint'> | undefined;
  /** Whether the app has tables. Without a Java, an app that has none is rehearsed all the same. */
  readonly hasTables: () => Promise<boolean>;
  /** Called for each request to S3 that was carried out. */
  readonly onS3: NonNullable<TapOptions['onCarriedOut']>;
}

/** Starts DynamoDB Local and SQS, and their taps. `stopping` gets all that has to be stopped, also if one of them fails. */
export async function startServers(
  { machine, hooks, kill, dynamoDb, hasTables, onS3: onCarriedOut }: ServersOptions,
  stopping: AsyncDisposableStack,
): Promise<Servers> {
  const stopped = <Part extends { stop(): Promise<void> }>(part: Part): Part =>
    stopping.adopt(part, ({ stop }) => stop());
  const [local, sqs, unknown] = await allOrNothing([
    dynamoDb ?? startDatabase(hasTables).then((started) => started && stopped(started)),
    startSqsLocal({ beforeExpiry: machine.sample }).then(stopped),
    startUnknownServices().then((started) => {
      stopped(started.server);
      return started;
    }),
  ]);
  const database = (local ?? unknown.server).endpoint;
  const dynamo = new DynamoDBClient({
    endpoint: database,
    region: REGION,
    credentials: { accessKeyId: 'LOCALSTACK', secretAccessKey: 'local' },
  });
  stopping.defer(() => dynamo.destroy());
  if (dynamoDb !== undefined) await deleteTables(dynamo);
  const tap = async (options: TapOptions) => stopped(await startTap(options)).endpoint;
  const target = sqs.endpoint;
  const [dynamodb, queues, topics, buckets, quietBuckets] = await allOrNothing([
    tap({ target: database, kill, hooks: hooks.dynamodb ?? {} }),
    tap({ target, kill, hooks: hooks.sqs ?? {} }),
    tap({ target, kill, hooks: hooks.sns ?? {} }),
    tap({ target, kill, hooks: hooks.s3 ?? {}, onCarriedOut }),
    tap({ target, onCarriedOut }),
  ]);
  return {
    dynamo,
    sqs,
    sns: snsLocal(target),
    tapped: { dynamodb, sqs: queues, sns: topics, s3: buckets },
    quiet: { dynamodb: database, sqs: target, sns: target, s3: quietBuckets },
    unknown,
  };
}

/**
 * Starts DynamoDB Local, also for an app without tables: its author may make those that it has from elsewhere. Without a Java, such an app
 * does without, and what it asks DynamoDB is refused.
 *
 * @throws MissingJavaError if the app has tables, and there is no Java for them
 */
async function startDatabase(hasTables: () => Promise<boolean>): Promise<DynamoDbLocal | undefined> {
  try {
    return await startDynamoDbLocal();
  } catch (error) {
    if (!(error instanceof MissingJavaError) || (await hasTables())) throw error;
    return undefined;
  }
}

async function deleteTables(client: DynamoDBClient): Promise<void> {
  const names: string[] = [];
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) names.push(...TableNames);
  await Promise.all(names.map((TableName) => client.send(new DeleteTableCommand({ TableName }))));
}
