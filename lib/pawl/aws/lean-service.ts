import { nodeHost } from '../host.ts';
import { expect } from '../kernel/check.ts';
import type { Host } from '../kernel/host.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { type CredentialProvider, credentialsOf, type LeanCredentials } from './credentials.ts';
import { placeOf } from './endpoint.ts';
import { type Http, nodeHttp } from './http.ts';
import type { Service } from './service.ts';
import { type Send, signedRequests } from './signed-requests.ts';

/**
 * What the lean transports have in common.
 *
 * @example
 * const options: LeanOptions = {
 *   region: 'eu-central-1',
 *   credentials: async () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: process.env.SECRET ?? '' }),
 * };
 */
export interface LeanOptions {
  /**
   * The region of the service, such as `eu-central-1`.
   * @default the environment variable `AWS_REGION`, which Lambda sets
   */
  readonly region?: string;
  /**
   * The URL of the service.
   * @default that of the environment, or the service's endpoint in the region
   */
  readonly endpoint?: string;
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

const known = { region: true, endpoint: true, credentials: true, host: true } as const satisfies NamesOf<LeanOptions>;

/** The way to a service, over connections of its own. It is opened at the first request. */
export interface LeanService {
  readonly host: Host;
  readonly send: Send;
  /** @throws OptionError when there is none */
  readonly region: () => string;
  /** Closes its connections. */
  readonly destroy: () => void;
}

/** @throws OptionError when an option is wrong */
export function leanService(service: Service, door: string, options: LeanOptions): LeanService {
  expectOptions(options, { door, known, docs: 'docs/guides/lean.md' });
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
  const place = () => placeOf(service.name, { region, endpoint }, env());
  const signers = credentialsOf(credentials, { host, env });
  let http: Http | undefined;
  let opened: Send | undefined;

  // At the first request: a module that is imported for another reason needs no region.
  function open(): Send {
    const at = place();
    http = nodeHttp(at.endpoint);
    return signedRequests({ service, host, http, place: at, credentials: signers });
  }

  return {
    host,
    async send(operation, body, signal) {
      opened ??= open();
      return opened(operation, body, signal);
    },
    region: () => place().region,
    destroy: () => http?.destroy(),
  };
}
