export { type CredentialProvider, CredentialsError, type LeanCredentials } from '../../../aws/credentials.ts';
export type { KeepsNotes } from '../../../claims/notes.ts';
export type { ListsOpenClaims } from '../../../claims/open-claims.ts';
export type { ClaimStore } from '../../../claims/store.ts';
export { OpenIndexError } from '../errors.ts';
export type { DynamoTransport, Operation } from '../transport.ts';
export { type LeanDynamo, type LeanDynamoOptions, leanDynamo } from './lean-dynamo.ts';
export { dynamoStore, individualDynamoStore, type LeanStoreOptions, type LeanTableOptions } from './stores.ts';
