export { type CredentialProvider, CredentialsError, type LeanCredentials } from '../../../aws/credentials.ts';
export type { KeepsNotes } from '../../../rules/notes.ts';
export type { ListsOpenClaims } from '../../../rules/open-claims.ts';
export type { ClaimStore } from '../../../rules/store.ts';
export { OpenIndexError } from '../errors.ts';
export type { DynamoTransport, Operation } from '../transport.ts';
export { type LeanDynamo, type LeanDynamoOptions, leanDynamo } from './lean-dynamo.ts';
export { dynamoStore, individualDynamoStore, type LeanStoreOptions, type LeanTableOptions } from './stores.ts';
