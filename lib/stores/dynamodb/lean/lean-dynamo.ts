import { nodeHost } from '../../../host.ts';
import { expect } from '../../../kernel/check.ts';
import type { Host } from '../../../kernel/host.ts';
import { expectOptions } from '../../../kernel/take-options.ts';
import type { NamesOf } from '../../../kernel/unknown-option.ts';
import type { DynamoTransport } from '../transport.ts';
import { type CredentialProvider, credentialsOf, type LeanCredentials } from './credentials.ts';
import { placeOf } from './endpoint.ts';
import { type Http, nodeHttp } from './http.ts';
import { leanTransport } from './lean-transport.ts';

export interface LeanDynamoOptions {
  /** @default the environment variable `AWS_REGION`, which Lambda sets */
  readonly region?: string;
  /**
   * The URL of DynamoDB.
   * @default `AWS_ENDPOINT_URL_DYNAMODB`, `AWS_ENDPOINT_URL`, or DynamoDB's endpoint in the region
   */
  readonly endpoint?: string;
  /**
   * What requests are signed with, or a function that gets it. The function is called again 5 minutes before `expiration`.
   * @default those of the environment, or of the container endpoint
   */
  readonly credentials?: LeanCredentials | CredentialProvider;
  /** The clock, the random source and the timers. Only simulations set it. */
  readonly host?: Host;
}

const known = {
  region: true,
  endpoint: true,
  credentials: true,
  host: true,
} as const satisfies NamesOf<LeanDynamoOptions>;

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
  expectOptions(options, { door: 'leanDynamo', known, docs: 'docs/guides/lean.md' });
  const { credentials, host = nodeHost, region, endpoint } = options;
  expect(region === undefined || typeof region === 'string', 'region', "a region's name", region);
  expect(endpoint === undefined || URL.canParse(endpoint), 'endpoint', 'a URL', endpoint);
  const gets = credentials === undefined || typeof credentials === 'function';
  const has = typeof credentials === 'object' && typeof credentials?.secretAccessKey === 'string';
  // Not shown: what is wrong may be a secret all the same.
  expect(
    gets || has,
    'credentials',
    'accessKeyId and secretAccessKey, or a function that gets them',
    typeof credentials,
  );

  const env = () => process.env;
  const signers = credentialsOf(credentials, { host, env });
  let http: Http | undefined;
  let transport: DynamoTransport | undefined;
  // At the first call: a module that is imported for another reason needs no region.
  const opened = () => {
    const place = placeOf({ region, endpoint }, env());
    http = nodeHttp(place.endpoint);
    return leanTransport({ host, http, place, credentials: signers });
  };

  return {
    kind: 'dynamo-transport',
    async call(operation, input) {
      transport ??= opened();
      return transport.call(operation, input);
    },
    region: async () => placeOf({ region, endpoint }, env()).region,
    destroy() {
      http?.destroy();
    },
  };
}
