import type { SQSClientConfig } from '@aws-sdk/client-sqs';
import type { Values } from './option.ts';
import type { connection } from './options.ts';

/** What every client of a command is made with. */
export type ClientConfig = Pick<SQSClientConfig, 'region' | 'profile' | 'endpoint' | 'requestHandler'>;

export function clientConfig({ region, profile, endpoint }: Values<typeof connection>): ClientConfig {
  return {
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    ...(endpoint !== undefined && { endpoint }),
    requestHandler: { connectionTimeout: 2000, requestTimeout: 20_000, throwOnRequestTimeout: true },
  };
}
