import { type LeanOptions, leanService } from '../../../aws/lean-service.ts';
import type { DynamoTransport } from '../transport.ts';
import { dynamodb, leanTransport } from './lean-transport.ts';

/**
 * The options of `leanDynamo`.
 *
 * @example
 * const options: LeanDynamoOptions = { region: 'eu-central-1', endpoint: 'http://localhost:8000' };
 */
export interface LeanDynamoOptions extends LeanOptions {
  /**
   * The URL of DynamoDB.
   * @default `AWS_ENDPOINT_URL_DYNAMODB`, `AWS_ENDPOINT_URL`, or DynamoDB's endpoint in the region
   */
  readonly endpoint?: string;
}

/** A transport over connections of its own. */
export interface LeanDynamo extends DynamoTransport {
  /** Closes its connections. A Lambda function does not need it. */
  destroy(): void;
}

/**
 * Carries pawl's requests to DynamoDB without the AWS SDK, for less CPU and a shorter cold start. It is for pawl's claims only, and not a client for the
 * tables of an application. Needs the package `aws4`, which signs.
 *
 * It sends a request up to 4 times, 3 seconds each, and 12 seconds in all, after the errors for which the SDK would send it again.
 *
 * @throws OptionError at once when an option is wrong; at the first call when there is no region
 * @example
 * const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE, client: leanDynamo() });
 */
export function leanDynamo(options: LeanDynamoOptions = {}): LeanDynamo {
  const { host, send, region, destroy } = leanService(dynamodb, 'leanDynamo', options);
  return { ...leanTransport(send, host, region), destroy };
}
