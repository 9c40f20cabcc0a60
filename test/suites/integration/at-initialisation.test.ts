import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import type { Aws } from '../../../lib/pawl/aws/aws.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { lean } from '../../../lib/pawl/stores/dynamodb/lean.ts';
import { unhandledRejections } from '../../support/rejections.ts';

/** A stand-in for DynamoDB that notes by whom it is asked. */
async function server() {
  const askedBy: (string | undefined)[] = [];
  const keyOf = ({ headers }: IncomingMessage) => /Credential=(\w+)\//.exec(headers.authorization ?? '')?.[1];
  const listening = createServer((request, response) => {
    askedBy.push(keyOf(request));
    response.setHeader('Content-Type', 'application/x-amz-json-1.0');
    response.end('{}');
  });
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => {
    listening.close();
    listening.closeAllConnections();
  });
  return { askedBy, url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}` };
}

function environment(key: string, endpoint: string, name: string): void {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', name);
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', key);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint);
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const ways: readonly (readonly [string, () => Aws])[] = [
  ['sdk', () => sdk()],
  ['lean', () => lean()],
];

/** Makes a way to AWS, waits for what it does by itself, changes the environment, and sends the first request. */
async function initialised(open: () => Aws, name: string, key = 'FIRST') {
  const [first, later] = [await server(), await server()];
  const sends = vi.spyOn(DynamoDBClient.prototype, 'send');
  const rejections = await unhandledRejections(async () => {
    environment(key, first.url, name);
    const aws = open();
    await Promise.allSettled(sends.mock.results.map(({ value }) => value));
    expect(first.askedBy).toEqual([]);
    environment('LATER', later.url, name);
    await aws.dynamodb.call('GetItem', { TableName: 'claims', Key: { id: { S: 'a' } } });
  });
  return { rejections, first: first.askedBy, later: later.askedBy };
}

it.each(ways)(
  '%s: a function has credentials and the endpoint before its first message, and sends nothing',
  async (_, open) => {
    expect(await initialised(open, 'mail')).toEqual({ rejections: [], first: ['FIRST'], later: [] });
  },
);

it.each(ways)('%s: elsewhere, and without keys, nothing is resolved before the first request', async (_, open) => {
  expect(await initialised(open, '')).toEqual({ rejections: [], first: [], later: ['LATER'] });
  expect(await initialised(open, 'mail', '')).toEqual({ rejections: [], first: [], later: ['LATER'] });
});

it('lean: a provider of the author’s is not called before the first request', () => {
  environment('FIRST', 'http://127.0.0.1:9', 'mail');
  const credentials = vi.fn(async () => ({ accessKeyId: 'a', secretAccessKey: 'b' }));
  lean({ credentials });
  expect(credentials).not.toHaveBeenCalled();
});

it.each(ways)('%s: where it fails, a function starts all the same, and no rejection is left', async (_, open) => {
  const rejections = await unhandledRejections(async () => {
    environment('FIRST', 'no URL', 'mail');
    open();
  });
  expect(rejections).toEqual([]);
});
