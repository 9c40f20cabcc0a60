export { type CredentialProvider, CredentialsError, type LeanCredentials } from '../../aws/credentials.ts';
export type { LeanOptions } from '../../aws/lean-service.ts';
export * from '../names.ts';
export { eachMessage, sendOnce } from './doors.ts';
export { type LeanSqs, type LeanSqsOptions, leanSqs } from './lean-sqs.ts';
export type { LeanConsumerOptions, LeanProducerOptions } from './options.ts';
