import { nodeHost } from '../host.ts';
import { expect } from '../kernel/check.ts';
import type { Host } from '../kernel/host.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { expectNoUnitTest } from '../kernel/unit-test.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { atInitialisation } from './at-initialisation.ts';
import type { Aws } from './aws.ts';
import { type CredentialProvider, credentialsOf, type LeanCredentials } from './credentials.ts';
import { placeOf } from './endpoint.ts';
import { type Http, nodeHttp } from './http.ts';
import { dynamodb, leanDynamo } from './lean-dynamodb.ts';
import { leanSqs, sqs } from './lean-sqs.ts';
import type { Service } from './service.ts';
import { type Send, signedRequests } from './signed-requests.ts';

/**
 * The options of `lean`.
 *
 * @example
 * const options: LeanOptions = {
 *   region: 'eu-central-1',
 *   credentials: async () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: process.env.SECRET ?? '' }),
 * };
 */
export interface LeanOptions {
  /**
   * The region of DynamoDB and SQS, such as `eu-central-1`.
   * @default the environment variable `AWS_REGION`, which Lambda sets
   */
  readonly region?: string;
  /**
   * The URLs of the services. The host in the URL of a queue does not count.
   * @default for each: `AWS_ENDPOINT_URL_DYNAMODB` or `AWS_ENDPOINT_URL_SQS`, `AWS_ENDPOINT_URL`, or its endpoint in the region
   */
  readonly endpoints?: { readonly dynamodb?: string; readonly sqs?: string };
  /**
   * What requests are signed with, or a function that gets it. The function is called again 5 minutes before `expiration`.
   * @default those of the environment, or of the container endpoint
   */
  readonly credentials?: LeanCredentials | CredentialProvider;
  /**
   * The clock, the random source and the timers. Only simulations set it.
   * @default those of Node
   */
  readonly host?: Host;
}

const known = { region: true, endpoints: true, credentials: true, host: true } as const satisfies NamesOf<LeanOptions>;

/** A way to AWS over connections of its own. */
export interface Lean extends Aws {
  /** Closes its connections. A Lambda function does not need it. */
  destroy(): void;
}

/**
 * The way to AWS without its SDK, for less CPU and a shorter cold start: claims and locks in DynamoDB; visibilities, dead letters and messages in SQS. It is
 * for pawl's own requests, and no client for the tables and queues of an application. Needs the package `aws4`, which signs.
 *
 * It sends a request to DynamoDB up to 4 times, and one to SQS up to 3 times, 3 seconds each, and 12 seconds in all, after the errors for which the SDK
 * would send it again. Each connection is opened at the first request.
 *
 * @throws OptionError at once when an option is wrong; at the first call when there is no region
 * @example
 * const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE, aws: lean({ region: 'eu-west-1' }) });
 */
export function lean(options: LeanOptions = {}): Lean {
  expectOptions(options, { door: 'lean', known, docs: 'docs/guides/aws.md' });
  const { credentials, endpoints = {}, host = nodeHost, region } = options;
  expect(region === undefined || typeof region === 'string', 'region', "a region's name", region);
  for (const [name, endpoint] of Object.entries({ dynamodb: endpoints.dynamodb, sqs: endpoints.sqs }))
    expect(endpoint === undefined || URL.canParse(endpoint), `endpoints.${name}`, 'a URL', endpoint);
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
  const opened: Http[] = [];
  const placeOfService = ({ name }: Service) => placeOf(name, { region, endpoint: endpoints[name] }, env());

  /** Opened at the first request: a module that is imported for another reason needs no region. */
  function requestsTo(service: Service): Send {
    let send: Send | undefined;
    function open(): Send {
      if (credentials === undefined && endpoints[service.name] === undefined) expectNoUnitTest(service.name);
      const place = placeOfService(service);
      const http = nodeHttp(place.endpoint);
      opened.push(http);
      return signedRequests({ service, host, http, place, credentials: signers });
    }
    return async (operation, body, signal) => {
      send ??= open();
      return send(operation, body, signal);
    };
  }

  const toDynamo = requestsTo(dynamodb);
  // A provider of the author's may need what is not there yet.
  if (credentials === undefined) atInitialisation((signal) => toDynamo('PutItem', '{}', signal));
  return {
    dynamodb: leanDynamo(toDynamo, host, () => placeOfService(dynamodb).region),
    sqs: leanSqs(requestsTo(sqs)),
    destroy() {
      for (const http of opened) http.destroy();
    },
  };
}
