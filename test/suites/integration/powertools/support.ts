import { randomUUID } from 'node:crypto';
import {
  IdempotencyConfig as PeersConfig,
  makeIdempotent as peersIdempotent,
} from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer as PeersLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { CreateTableCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import {
  DynamoDBPersistenceLayer,
  type DynamoDBPersistenceOptions,
  IdempotencyConfig,
  type IdempotencyConfigOptions,
  makeIdempotent,
} from '../../../../lib/pawl/powertools/index.ts';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { claimsTable } from '../../../support/tables.ts';

/** Both libraries over one table of records, and one prefix. */
export interface Both {
  readonly client: DynamoDBClient;
  readonly records: string;
  readonly claims: string;
  readonly keyPrefix: string;
}

export async function bothTables(client: DynamoDBClient, sortKey?: string): Promise<Both> {
  const records = `records-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName: records,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['id', ...(sortKey === undefined ? [] : [sortKey])].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      KeySchema: [
        { AttributeName: 'id', KeyType: 'HASH' },
        ...(sortKey === undefined ? [] : [{ AttributeName: sortKey, KeyType: 'RANGE' } as const]),
      ],
    }),
  );
  return { client, records, claims: await claimsTable(client), keyPrefix: 'mails' };
}

export interface Order {
  readonly orderId: string;
  readonly amount?: number;
}

interface Options {
  readonly config?: IdempotencyConfigOptions;
  readonly layer?: Partial<DynamoDBPersistenceOptions>;
  /** How long the invocation lasts, in milliseconds. */
  readonly remainingMs?: number;
}

const until = (ms: number) => {
  const end = Date.now() + ms;
  return { getRemainingTimeInMillis: () => end - Date.now() };
};

/** A function as pawl protects it. */
export function byPawl<R>(
  { client, records, claims, keyPrefix }: Both,
  run: (order: Order) => Promise<R> | R,
  { config: given, layer, remainingMs = 30_000 }: Options = {},
): (order: Order) => Promise<R> {
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'orderId', ...given });
  const persistenceStore = new DynamoDBPersistenceLayer({
    tableName: records,
    awsSdkV3Client: client,
    store: dynamoStore({ tableName: claims, aws: sdk({ dynamodb: client }) }),
    onAbandoned: 'retry',
    onEvent: () => undefined,
    ...layer,
  });
  const send = makeIdempotent(async (order: Order) => run(order), { persistenceStore, config, keyPrefix });
  return (order) => {
    config.registerLambdaContext(until(remainingMs));
    return send(order);
  };
}

/** The same function, as Powertools protects it. */
export function byPeer<R>(
  { client, records, keyPrefix }: Both,
  run: (order: Order) => Promise<R> | R,
  { config: given, layer: { sortKeyAttr } = {}, remainingMs = 30_000 }: Options = {},
): (order: Order) => Promise<R> {
  const config = new PeersConfig({ eventKeyJmesPath: 'orderId', ...(given as object) });
  const persistenceStore = new PeersLayer({
    tableName: records,
    awsSdkV3Client: client,
    ...(sortKeyAttr && { sortKeyAttr }),
  });
  const send = peersIdempotent(async (order: Order) => run(order), { persistenceStore, config, keyPrefix });
  return (order) => {
    config.registerLambdaContext(until(remainingMs) as never);
    return send(order);
  };
}

/** A record of Powertools' table. */
export async function recordAt(
  { client, records }: Both,
  Key: Record<string, { S: string }>,
): Promise<Record<string, unknown> | undefined> {
  const { Item } = await client.send(new GetItemCommand({ TableName: records, Key, ConsistentRead: true }));
  return Item && unmarshall(Item);
}
