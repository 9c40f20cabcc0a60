import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { hashed } from 'pawl';
import {
  type Aws,
  type DynamoStore,
  dynamoStore,
  readAllRecords,
  readRestored,
  restoredTable,
  sdk,
} from 'pawl/dynamodb';
import { granting } from 'pawl/kernel';
import { dynamoLockStore, type LockOperator, lockOperator } from 'pawl/locks';
import { type Operator, type OperatorOptions, operator } from 'pawl/operate';
import type { PostgresStore } from 'pawl/postgres';
import { type Findings, findings } from 'pawl/statements';
import { clientConfig } from './client-config.ts';
import { type Io, UsageError } from './command.ts';
import type { DeadLetterPlace, Unread } from './deployed/places.ts';
import { openDatabase } from './open-database.ts';
import type { Values } from './option.ts';
import type { account, dynamoAccount } from './options.ts';

export type { DeadLetterPlace };

export interface AccountOptions extends Pick<OperatorOptions, 'retentionSeconds'> {
  /** Hears of each act on claims, messages and locks. @default a line of JSON to the standard error */
  readonly onEvent?: () => void;
  readonly io: Io;
  /** What the role of this command needs. @default grantOperate */
  readonly grant?: 'grantOperate' | 'grantStatements' | 'grantRestore' | 'grantActs';
}

export interface OpenAccount {
  readonly tableName: string;
  readonly aws: Aws;
  readonly sqs: SQSClient;
  readonly store: DynamoStore | PostgresStore<unknown>;
  /** Where the claims are in DynamoDB: what only that store has. */
  readonly dynamoStore: DynamoStore | undefined;
  readonly operate: Operator;
  readonly locks: LockOperator;
  /** What statements have found. */
  readonly findings: Findings;
  /** Every record of the table. */
  records(): AsyncIterable<object>;
  /** Who calls, as AWS knows the caller. @throws STS's error */
  identity(): Promise<string>;
  /** Those of the stack, if a stack was named. */
  stackDeadLetters(): readonly DeadLetterPlace[];
  /** The dead-letter queues that the command is about. @param asked one of them, and where its messages go back to. @throws UsageError */
  deadLetters(asked: {
    readonly queue: string | undefined;
    readonly to?: string | undefined;
  }): Promise<readonly DeadLetterPlace[]>;
  close(): void;
}

/** Opens the table and the queues that a command line names. What it may not read, it says on `io`. @throws UsageError when it names none, or too many; AWS's error */
export async function openAccount(
  given: Values<typeof dynamoAccount> & Partial<Pick<Values<typeof account>, 'database' | 'key-secret'>>,
  { io, grant = 'grantOperate', ...options }: AccountOptions,
): Promise<OpenAccount> {
  const config = clientConfig(given);
  const stack = given.stack;
  const where = { inDatabase: given.database !== undefined };
  const places =
    stack === undefined ? undefined : await (await import('./deployed/places.ts')).readPlaces(stack, config, where);
  const leftOut = (what: Unread['what'], action: string) => {
    const unread = places?.unread.filter((one) => one.what === what) ?? [];
    for (const { functionName } of unread) io.error.line(`Left out: ${functionName}: you may not ${action}.`);
  };
  leftOut('function', 'lambda:GetFunctionConfiguration');
  const dynamo = new DynamoDBClient(config);
  const sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
  const aws = sdk({ dynamodb: dynamo, sqs });
  const inTable = async () => {
    const tableName = given.table ?? oneTable(stack, places?.tables ?? []);
    // Without it, a key that the table has forgotten could not be decided before its message comes.
    const mark = await granting(`claimsTable.${grant}(role)`, () => readRestored({ tableName, aws }));
    const restored = mark !== undefined && mark.liftedAt === undefined ? restoredTable : undefined;
    const store = dynamoStore({ tableName, aws, restored });
    const records = () => readAllRecords({ tableName, aws });
    return { tableName, store, lockStore: dynamoLockStore(store), records, dynamoStore: store, close: () => undefined };
  };
  const { tableName, store, lockStore, ...opened } =
    given.database === undefined ? await inTable() : await openDatabase(given.database, given.table);
  const identity = async () => (await import('./identity.ts')).identity(config);
  const stackDeadLetters = () => {
    leftOut('queues', 'lambda:ListEventSourceMappings, and it has no DEAD_LETTER_QUEUE_URL');
    return places?.deadLetters ?? [];
  };
  return {
    tableName,
    aws,
    store,
    dynamoStore: 'dynamoStore' in opened ? opened.dynamoStore : undefined,
    operate: operator({ store, aws, ...keysOf(given['key-secret']), ...options }),
    locks: lockOperator({ store: lockStore, ...(options.onEvent && { onEvent: options.onEvent }) }),
    findings: findings({ store, identity }),
    records: opened.records,
    identity,
    sqs,
    stackDeadLetters,
    async deadLetters(wanted) {
      const known = stackDeadLetters();
      const { queueUrlOf } = await import('./queue-url.ts');
      const [named, to] = await Promise.all([wanted.queue, wanted.to].map((name) => queueUrlOf(sqs, name)));
      const asked = known.filter(({ deadLetterUrl }) => named === undefined || deadLetterUrl === named);
      const found = asked.length === 0 && named !== undefined ? [{ deadLetterUrl: named, queueUrl: undefined }] : asked;
      if (found.length === 0) {
        throw new UsageError(
          stack === undefined
            ? 'Name a dead-letter queue with --queue, or a stack with --stack.'
            : `${stack} has no dead-letter queue.`,
        );
      }
      if (to !== undefined && found.length > 1)
        throw new UsageError('--to: name one dead-letter queue with --queue as well.');
      return found.map((place) => ({ ...place, queueUrl: to ?? place.queueUrl }));
    },
    close() {
      opened.close();
      dynamo.destroy();
      sqs.destroy();
    },
  };
}

/** @param variable the environment variable with the secret @throws UsageError */
function keysOf(variable: string | undefined): Pick<OperatorOptions, 'hideKeys'> {
  if (variable === undefined) return {};
  const secret = process.env[variable];
  if (!secret)
    throw new UsageError(`--key-secret: expected the name of an environment variable; ${variable} is not set.`);
  return { hideKeys: hashed(secret) };
}

function oneTable(stack: string | undefined, tables: readonly string[]): string {
  const [table, ...more] = tables;
  if (stack === undefined)
    throw new UsageError('Name a stack with --stack, or a claims table with --table, or a database with --database.');
  if (table === undefined)
    throw new UsageError(
      `${stack} has no function with the variable CLAIMS_TABLE. Name the claims table with --table.`,
    );
  if (more.length > 0)
    throw new UsageError(`${stack} has several claims tables: ${tables.join(', ')}. Name one with --table.`);
  return table;
}
