import { DeleteTableCommand, DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { allOrNothing } from '../all-or-nothing.ts';
import { rehearsedRegion } from '../app/template.ts';
import type { Machine } from '../machine.ts';
import type { Doors } from './doors.ts';
import { type DynamoDbLocal, startDynamoDbLocal } from './dynamodb-local.ts';
import { MissingJavaError } from './java.ts';
import { type SqsLocal, startSqsLocal } from './sqs-local.ts';
import { type OnCarriedOut, startTap, type TapHooks, type TapOptions } from './tap.ts';
import { startUnknownServices, type UnknownServices } from './unknown-services.ts';

/** The servers that are there for every app. What is asked of them meets no fault. */
export interface LocalServers {
  readonly dynamo: DynamoDBClient;
  /** Where DynamoDB is. */
  readonly database: string;
  /** SQS, and with it SNS and S3. */
  readonly sqs: SqsLocal;
}

/** The local servers, and the tap in front of each service that functions talk to. */
export interface Servers<Name extends string = string> extends LocalServers {
  /** Where functions find the services. */
  readonly tapped: Readonly<Record<Name, string>>;
  /** The same without faults. */
  readonly quiet: Readonly<Record<Name, string>>;
  readonly unknown: UnknownServices;
}

/** A service that has a server here. */
export interface Endpoint<Name extends string> {
  readonly name: Name;
  /** The address of the server behind its tap: a local one, or a door that the service opens when it starts. */
  readonly server: (local: LocalServers, addressOf: Doors['addressOf']) => string | Promise<string>;
  /** Called for each request that was carried out, before the caller has its response. */
  readonly onCarriedOut?: OnCarriedOut;
}

export interface ServersOptions<Name extends string> {
  readonly machine: Machine;
  readonly endpoints: readonly Endpoint<Name>[];
  /** What happens to the requests of functions. Requests to the URL of a queue itself do not pass the tap. */
  readonly hooks: { readonly [Service in Name]?: TapHooks };
  readonly kill: (sandbox: string) => void;
  readonly addressOf: Doors['addressOf'];
  /** One that runs already, and goes on afterwards. Its tables are deleted. @default one that is started, and ends with the others */
  readonly dynamoDb?: Pick<DynamoDbLocal, 'endpoint'> | undefined;
  /** Whether the app has tables. Without a Java, an app that has none is rehearsed all the same. */
  readonly hasTables: () => Promise<boolean>;
}

/** Starts the local servers, and their taps. `stopping` gets all that has to be stopped, also if one of them fails. */
export async function startServers<Name extends string>(
  { machine, endpoints, hooks, kill, addressOf, dynamoDb, hasTables }: ServersOptions<Name>,
  stopping: AsyncDisposableStack,
): Promise<Servers<Name>> {
  const stopped = <Part extends { stop(): Promise<void> }>(part: Part): Part =>
    stopping.adopt(part, ({ stop }) => stop());
  const [local, sqs, unknown] = await allOrNothing([
    dynamoDb ?? startDatabase(hasTables).then((running) => running && stopped(running)),
    startSqsLocal({ beforeExpiry: machine.sample }).then(stopped),
    startUnknownServices().then((running) => {
      stopped(running.server);
      return running;
    }),
  ]);
  const database = (local ?? unknown.server).endpoint;
  const dynamo = new DynamoDBClient({
    endpoint: database,
    region: rehearsedRegion,
    credentials: { accessKeyId: 'LOCALSTACK', secretAccessKey: 'local' },
  });
  stopping.defer(() => dynamo.destroy());
  if (dynamoDb !== undefined) await deleteTables(dynamo);
  const servers: LocalServers = { dynamo, database, sqs };
  const tap = async (options: Omit<TapOptions, 'serving'>) =>
    stopped(await startTap({ ...options, serving: machine.serving })).endpoint;
  const taps = endpoints.map(async ({ name, server, onCarriedOut }) => {
    const target = await server(servers, addressOf);
    const watched = onCarriedOut ? { target, onCarriedOut } : { target };
    const tapped = await tap({ ...watched, kill, hooks: hooks[name] ?? {} });
    return { name, tapped, quiet: onCarriedOut ? await tap(watched) : target };
  });
  const all = await allOrNothing(taps);
  const byName = (which: 'tapped' | 'quiet') =>
    Object.fromEntries(all.map((one) => [one.name, one[which]])) as Readonly<Record<Name, string>>;
  return { ...servers, tapped: byName('tapped'), quiet: byName('quiet'), unknown };
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
