import { sdk } from '../../aws/sdk.ts';
import type { DynamoStoreOptions } from './options.ts';
import { type DynamoStore, openDynamoStore, openIndividualStore } from './store.ts';

const way = { aws: sdk, docs: 'docs/guides/adopt.md' };

/**
 * Claims in a DynamoDB table. What is asked for at the same time shares a request: up to 25 writes, up to 100 reads.
 *
 * Needs `dynamodb:BatchGetItem`, `PutItem`, `PartiQLInsert` and `PartiQLUpdate` on the table. What operators
 * and jobs need besides, the constructs grant: `grantOperate`, `grantStatements`.
 *
 * @throws OptionError at once when an option is wrong; at the first call when the table's name is missing
 * @example
 * const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function dynamoStore(options: DynamoStoreOptions): DynamoStore {
  return openDynamoStore(options, way);
}

/**
 * Claims in a DynamoDB table, with a request for each read and each write, for those who may not use PartiQL: twice as many
 * requests as messages, where `dynamoStore` makes two for ten.
 *
 * Needs `dynamodb:GetItem` and `dynamodb:PutItem` on the table.
 *
 * @throws OptionError at once when an option is wrong; at the first call when the table's name is missing
 * @example
 * const store = individualDynamoStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function individualDynamoStore(options: DynamoStoreOptions): DynamoStore {
  return openIndividualStore(options, way);
}
