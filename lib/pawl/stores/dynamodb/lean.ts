import { lean } from '../../aws/lean.ts';
import type { DynamoStoreOptions } from './options.ts';
import { type DynamoStore, openDynamoStore, openIndividualStore } from './store.ts';

export type { Aws, DynamoOperation, DynamoTransport, SqsOperation, SqsTransport } from '../../aws/aws.ts';
export { type CredentialProvider, CredentialsError, type LeanCredentials } from '../../aws/credentials.ts';
export { type Lean, type LeanOptions, lean } from '../../aws/lean.ts';
export type { ClaimStore } from '../../rules/store.ts';
export { OpenIndexError } from './open-index-error.ts';
export type { DynamoStoreOptions, TableOptions } from './options.ts';
export { type RestoredTable, restoredTable } from './restored-store.ts';
export type { DynamoStore } from './store.ts';

const way = { aws: lean, docs: 'docs/guides/aws.md' };

/**
 * Claims in a DynamoDB table, as `dynamoStore` of `pawl/dynamodb`, without the AWS SDK in the bundle.
 *
 * @throws OptionError at once when an option is wrong; at the first call when the table's name or the region is missing
 * @example
 * const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function dynamoStore(options: DynamoStoreOptions): DynamoStore {
  return openDynamoStore(options, way);
}

/**
 * Claims in a DynamoDB table, as `individualDynamoStore` of `pawl/dynamodb`, without the AWS SDK in the bundle.
 *
 * @throws OptionError at once when an option is wrong; at the first call when the table's name or the region is missing
 * @example
 * const store = individualDynamoStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function individualDynamoStore(options: DynamoStoreOptions): DynamoStore {
  return openIndividualStore(options, way);
}
