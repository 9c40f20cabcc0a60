import { expectOptions } from '../../kernel/take-options.ts';
import type { KeepsNotes } from '../../rules/notes.ts';
import type { ListsOpenClaims } from '../../rules/open-claims.ts';
import type { ClaimStore } from '../../rules/store.ts';
import { type ClaimTableOptions, claimTableOptionNames, tableOf } from './options.ts';
import { singleRequests } from './single-requests.ts';

/**
 * Claims in a DynamoDB table, with a request for each read and each write, for those who may not use PartiQL: twice as many
 * requests as messages, where `dynamoStore` makes two for ten.
 *
 * Needs `dynamodb:GetItem` and `dynamodb:PutItem` on the table. `listOpen` needs `dynamodb:Query` on its index `open`: it is for operators.
 *
 * @throws OptionError at once when an option is wrong; at the first call when the table's name is missing
 * @example
 * const store = individualDynamoStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function individualDynamoStore(options: ClaimTableOptions): ClaimStore & ListsOpenClaims & KeepsNotes {
  expectOptions(options, { door: 'individualDynamoStore', known: claimTableOptionNames, docs: 'docs/guides/adopt.md' });
  return singleRequests(tableOf(options));
}
