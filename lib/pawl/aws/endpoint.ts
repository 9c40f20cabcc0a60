import { expect } from '../kernel/check.ts';
import { OptionError } from '../kernel/errors.ts';
import type { Service } from './service.ts';

/** Where requests go, and the region that they are signed for. */
export interface Place {
  readonly endpoint: URL;
  readonly region: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The endpoint of a service, from the options or from the variables that the AWS SDK reads: `AWS_REGION`; `AWS_ENDPOINT_URL_DYNAMODB` (or `_SQS`),
 * `AWS_ENDPOINT_URL`; `AWS_USE_FIPS_ENDPOINT`, `AWS_USE_DUALSTACK_ENDPOINT`.
 *
 * @throws OptionError when there is no region, or the endpoint is no URL
 */
export function placeOf(
  service: Service['name'],
  options: { readonly region?: string | undefined; readonly endpoint?: string | undefined },
  env: Environment,
): Place {
  const region = options.region ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  if (region === undefined || region === '') {
    throw new OptionError(
      'region: expected the name of a region; got none. Lambda sets AWS_REGION. Elsewhere, set it or pass `region`.',
    );
  }
  const given = options.endpoint ?? configured(service, env) ?? `https://${hostOf(service, region, env)}`;
  expect(URL.canParse(given), 'endpoint', 'a URL', given);
  const endpoint = new URL(given);
  expect(endpoint.protocol === 'https:' || endpoint.protocol === 'http:', 'endpoint', 'a URL of HTTPS', given);
  return { endpoint, region };
}

function configured(service: Service['name'], env: Environment): string | undefined {
  if (env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true') return undefined;
  return env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] || env['AWS_ENDPOINT_URL'] || undefined;
}

interface Partition {
  /** How the names of its regions begin. */
  readonly regions: string;
  readonly domain: string;
  /** Of the endpoints that have IPv6 as well. */
  readonly dualstack: string;
}

const commercial: Partition = { regions: '', domain: 'amazonaws.com', dualstack: 'api.aws' };
/** A test compares these with the AWS SDK's. */
const partitions: readonly Partition[] = [
  { regions: 'cn-', domain: 'amazonaws.com.cn', dualstack: 'api.amazonwebservices.com.cn' },
  { regions: 'eusc-', domain: 'amazonaws.eu', dualstack: 'api.amazonwebservices.eu' },
  { regions: 'us-iso-', domain: 'c2s.ic.gov', dualstack: 'api.aws.ic.gov' },
  { regions: 'us-isob-', domain: 'sc2s.sgov.gov', dualstack: 'api.aws.scloud' },
  { regions: 'us-isof-', domain: 'csp.hci.ic.gov', dualstack: 'api.aws.hci.ic.gov' },
  { regions: 'eu-isoe-', domain: 'cloud.adc-e.uk', dualstack: 'api.cloud-aws.adc-e.uk' },
];

function hostOf(name: Service['name'], region: string, env: Environment): string {
  const { domain, dualstack } = partitions.find(({ regions }) => region.startsWith(regions)) ?? commercial;
  const isFips = env['AWS_USE_FIPS_ENDPOINT'] === 'true';
  const isDual = env['AWS_USE_DUALSTACK_ENDPOINT'] === 'true';
  // In the regions of GovCloud, the usual name is the one with FIPS.
  const service = isFips && (isDual || !region.startsWith('us-gov-')) ? `${name}-fips` : name;
  return `${service}.${region}.${isDual ? dualstack : domain}`;
}
