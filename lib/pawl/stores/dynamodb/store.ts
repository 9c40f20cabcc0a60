import type { Aws } from '../../aws/aws.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { ClaimStore } from '../../rules/store.ts';
import { type DynamoStoreOptions, dynamoStoreOptionNames } from './options.ts';
import { sharedRequests } from './shared-requests.ts';
import { putsWhole, singleRequests } from './single-requests.ts';
import { standInOf } from './stand-in.ts';
import { type InTable, openTable } from './table.ts';

/**
 * Claims in a DynamoDB table, and the way to AWS.
 *
 * @example
 * import { operator } from 'pawl/operate';
 *
 * const operatorOf = (store: DynamoStore) => operator({ store });
 */
export interface DynamoStore extends ClaimStore, InTable {
  /** The way to AWS. The doors over the store use it for SQS as well. */
  readonly aws: Aws;
}

/** Which way to AWS a store has where its author passes none, and the page of that way. */
interface Way {
  readonly aws: () => Aws;
  readonly docs: string;
}

/** @throws OptionError when an option is wrong */
export function openDynamoStore(options: DynamoStoreOptions, { aws, docs }: Way): DynamoStore {
  expectOptions(options, { door: 'dynamoStore', known: dynamoStoreOptionNames, docs });
  const table = openTable(options, aws);
  return { ...(standInOf(options)?.claimsIn(options.tableName) ?? sharedRequests(table)), aws: table.aws, table };
}

/** @throws OptionError when an option is wrong */
export function openIndividualStore(options: DynamoStoreOptions, { aws, docs }: Way): DynamoStore {
  expectOptions(options, { door: 'individualDynamoStore', known: dynamoStoreOptionNames, docs });
  const table = openTable(options, aws);
  const faked = standInOf(options)?.claimsIn(options.tableName);
  if (faked !== undefined) return { ...faked, aws: table.aws, table };
  return putsWhole({ ...singleRequests(table), aws: table.aws, table });
}
