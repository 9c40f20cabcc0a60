import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { placeOf } from '../../../lib/pawl/aws/endpoint.ts';
import { OptionError } from '../../../lib/pawl/kernel/errors.ts';
import { lean } from '../../../lib/pawl/stores/dynamodb/lean.ts';

const regions = [
  'us-east-1',
  'eu-west-1',
  'ap-southeast-2',
  'us-gov-west-1',
  'us-gov-east-1',
  'cn-north-1',
  'cn-northwest-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'us-isof-south-1',
  'eu-isoe-west-1',
  'eusc-de-east-1',
];
const either = [false, true];
const clients = { dynamodb: DynamoDBClient, sqs: SQSClient } as const;
const ways = (['dynamodb', 'sqs'] as const).flatMap((service) =>
  regions.flatMap((region) =>
    either.flatMap((fips) => either.map((dualstack) => ({ service, region, fips, dualstack }))),
  ),
);

it.each(ways)('the endpoint is the one of the AWS SDK: $service, $region, FIPS $fips, dual stack $dualstack', (way) => {
  const client = new clients[way.service]({ region: way.region });
  const { url } = client.config.endpointProvider({
    Region: way.region,
    UseFIPS: way.fips,
    UseDualStack: way.dualstack,
  });
  client.destroy();
  const env = {
    AWS_REGION: way.region,
    AWS_USE_FIPS_ENDPOINT: String(way.fips),
    AWS_USE_DUALSTACK_ENDPOINT: String(way.dualstack),
  };
  expect(placeOf(way.service, {}, env).endpoint.href).toBe(url.href);
});

it('an endpoint of the service’s own goes before the one of all services, and an option before both', () => {
  const env = { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: 'http://localhost:1', AWS_ENDPOINT_URL_DYNAMODB: '' };
  const hostOf = (more: object, endpoint?: string) =>
    placeOf('dynamodb', { endpoint }, { ...env, ...more }).endpoint.host;
  expect(hostOf({})).toBe('localhost:1');
  expect(hostOf({ AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:2' })).toBe('localhost:2');
  expect(hostOf({ AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:2' }, 'http://localhost:3')).toBe('localhost:3');
  expect(placeOf('sqs', {}, { ...env, AWS_ENDPOINT_URL_SQS: 'http://localhost:4' }).endpoint.host).toBe('localhost:4');
  expect(hostOf({ AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' })).toBe('dynamodb.eu-west-1.amazonaws.com');
});

it('a missing region is an option error, which names the variable and the option', () => {
  expect(() => placeOf('sqs', {}, {})).toThrow(OptionError);
  expect(() => placeOf('sqs', {}, {})).toThrow('Lambda sets AWS_REGION');
});

it('options that are wrong are refused at once, and a secret is not in the message', () => {
  expect(() => lean({ endpoints: { dynamodb: 'dynamodb' } })).toThrow('endpoints.dynamodb: expected a URL');
  expect(() => lean({ endpoints: { sqs: 'sqs' } })).toThrow('endpoints.sqs: expected a URL');
  expect(() => lean({ credentials: 'AKIA-secret' as never })).toThrow(
    'credentials: expected accessKeyId and secretAccessKey, or a function that gets them; got "string"',
  );
});
