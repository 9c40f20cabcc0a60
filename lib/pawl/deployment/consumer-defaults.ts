import { claimDefaults } from '../kernel/defaults.ts';

/*
 * What a consumer is made with unless its author says otherwise. The constructs and the printed templates both use these values.
 */

const day = 86_400;

export const consumerDefaults = {
  timeoutSeconds: 30,
  /** Less memory is less CPU: at 128 MB, loading the SDK and its first TLS handshakes take seconds of the lease. */
  memoryMb: 512,
  runtime: 'nodejs24.x',
  architecture: 'arm64',
  logRetentionDays: 30,
  batchSize: 10,
  retentionSeconds: 4 * day,
  /** SQS's longest. It is the last place of a message: the longer SQS keeps it there, the more time an operator has. */
  deadLetterRetentionSeconds: 14 * day,
  claimRetentionSeconds: claimDefaults.retentionSeconds,
} as const;

/** What Lambda and SQS assume where a template, or an API, has no value. */
export const serviceDefaults = {
  timeoutSeconds: 3,
  visibilityTimeoutSeconds: 30,
  retentionSeconds: 4 * day,
  batchSize: 10,
} as const;
