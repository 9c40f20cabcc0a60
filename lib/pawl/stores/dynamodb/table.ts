import { type Aws, expectAws } from '../../aws/aws.ts';
import { nodeHost } from '../../host.ts';
import { environmentName, expect } from '../../kernel/check.ts';
import { pageAt } from '../../kernel/error-code.ts';
import type { OptionError } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/host.ts';
import { propertyOf } from '../../kernel/unknown.ts';
import type { DynamoStoreOptions } from './options.ts';
import type { OpenRestore } from './restored-store.ts';
import { standInOf } from './stand-in.ts';

/** A table, and the way to it. */
export interface Table {
  /** @throws OptionError when the name is missing */
  readonly nameOfTable: () => string;
  /** What `nameOfTable` throws. */
  readonly setupError: OptionError | undefined;
  readonly aws: Aws;
  readonly host: Pick<Host, 'now' | 'after' | 'random'>;
  /** Reads its mark, where it was restored from a point in time. */
  readonly restore: OpenRestore | undefined;
}

/**
 * @param way makes a way to AWS where the author passes none
 * @throws OptionError when the table's name is given, and is no text; `restored` is not `restoredTable`; or `aws` is no way to AWS
 */
export function openTable(
  { tableName, restored, aws: given, host = nodeHost }: DynamoStoreOptions,
  way: () => Aws,
): Table {
  const { read: nameOfTable, setupError } = expectTableName(tableName);
  const opens = restored === undefined || typeof restored?.open === 'function';
  expect(opens, 'restored', 'restoredTable, which pawl/dynamodb exports, or nothing', restored);
  expectAws(given);
  const aws = given ?? standInOf({ aws: given })?.aws ?? way();
  const { now = nodeHost.now } = host;
  const restore = restored?.open(aws.dynamodb, nameOfTable, now);
  return { nameOfTable, setupError, aws, host: { ...host, now }, restore };
}

/** The name of a table, as its option gives it: that it is missing is thrown when it is first read. @throws OptionError when it is given, and is no text */
export function expectTableName(value: string | undefined, variable = ofConsumer) {
  return environmentName('tableName', { value, expected: "a table's name", variable });
}

const ofConsumer =
  'The construct Consumer sets the variable CLAIMS_TABLE. Without a Consumer, set it, and pass process.env.CLAIMS_TABLE.';

/** What is kept in a table. */
export interface InTable {
  /** @internal */
  readonly table: Table;
}

/** Whether a store keeps its claims in a table. */
export function isInTable(store: object): store is InTable {
  return typeof propertyOf(propertyOf(store, 'table'), 'nameOfTable') === 'function';
}

/** The table of a store that is to keep more than claims, or to be written together with them. @throws OptionError when it has none */
export function tableOf(option: string, store: InTable, expected = 'dynamoStore({ tableName })'): Table {
  const isOther = typeof propertyOf(store, 'transact') === 'function';
  const wanted = isOther
    ? `${expected}; what there is over PostgreSQL, ${pageAt('docs/guides/postgres.md')} says`
    : expected;
  expect(isInTable(store), option, wanted, store, 'wrong-store');
  return store.table;
}
