import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, expect, it } from 'vitest';
import { nodeHost } from '../../../../lib/pawl/host.ts';
import { OptionError } from '../../../../lib/pawl/index.ts';
import { type LargePayloadOptions, largePayload } from '../../../../lib/pawl/payload/envelopes/large-payload.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** The client of an S3 that answers like this. */
async function s3(answer: RequestListener): Promise<S3Client> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    forcePathStyle: true,
    maxAttempts: 1,
  });
  cleanups.push(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  return client;
}

const pointer = JSON.stringify({ S3Payload: { Bucket: 'payloads', Key: 'k' } });

async function read(options: LargePayloadOptions, text = pointer) {
  const sealed = { content: { kind: 'text', text }, messageAttributes: {}, metadata: {} } as const;
  return largePayload(options).open(sealed, { host: nodeHost, until: Date.now() + 60_000 });
}

const refusing =
  (status: number, code: string): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`);

it.each([
  ['NoSuchKey', 404, 'invalid-message'],
  ['InvalidRange', 416, 'invalid-message'],
  ['AccessDenied', 403, 'payload-unavailable'],
  ['NoSuchBucket', 404, 'payload-unavailable'],
  ['InvalidObjectState', 403, 'payload-unavailable'],
  ['SlowDown', 503, 'payload-unavailable'],
])('what S3 says about an object, or about itself: %s', async (code, status, kind) => {
  const s3Client = await s3(refusing(status, code));
  await expect(read({ s3Client })).rejects.toMatchObject({ 'pawl.error': kind });
});

it('gives up a payload that stops in the middle, ends the request, and nothing of it fails later', async () => {
  const ended = Promise.withResolvers<void>();
  const s3Client = await s3((_, response) => {
    response.writeHead(206, { 'content-length': '1000' });
    response.write('half');
    response.on('close', () => ended.resolve());
  });
  const gaveUp = { 'pawl.error': 'payload-unavailable', cause: { name: 'NoAnswerError' } };
  await expect(read({ s3Client, timeoutMs: 50 })).rejects.toMatchObject(gaveUp);
  await ended.promise;
  await new Promise((resolve) => setImmediate(resolve));
});

it('reads no more than one byte above maxBytes', async () => {
  let range: string | undefined;
  const s3Client = await s3(({ headers }, response) => {
    range = headers.range;
    response.writeHead(206).end('12345678901');
  });
  await expect(read({ s3Client, maxBytes: 10 })).rejects.toThrow('larger than maxBytes, which is 10');
  expect(range).toBe('bytes=0-10');
  expect(await read({ s3Client, maxBytes: 11 })).toHaveLength(1);
});

it.each([
  ['text that is no JSON', 'hello'],
  ['another list', '["a",{"s3BucketName":"payloads","s3Key":"k"}]'],
  ['a longer list', '["software.amazon.payloadoffloading.PayloadS3Pointer",{"s3BucketName":"b","s3Key":"k"},1]'],
  ['a pointer without a key', '["software.amazon.payloadoffloading.PayloadS3Pointer",{"s3BucketName":"payloads"}]'],
  ['an empty name of a bucket', '{"S3Payload":{"Bucket":"","Key":"k"}}'],
  [
    'a payload that is longer than any pointer',
    JSON.stringify({ S3Payload: { Bucket: 'b', Key: 'k' }, a: 'x'.repeat(20_000) }),
  ],
])('takes for no pointer, and asks S3 nothing: %s', async (_, text) => {
  const s3Client = await s3(() => expect.unreachable());
  expect(await read({ s3Client }, text)).toMatchObject([{ content: { kind: 'text', text } }]);
});

it.each([
  ['s3Client', { s3Client: undefined }],
  ['buckets', { buckets: 'payloads' }],
  ['maxBytes', { maxBytes: -1 }],
  ['timeoutMs', { timeoutMs: '1 s' }],
])('refuses a wrong option at once: %s', (name, wrong) => {
  const s3Client = new S3Client({ region: 'us-east-1' });
  const setUp = () => largePayload({ s3Client, ...wrong } as never);
  expect(setUp).toThrow(OptionError);
  expect(setUp).toThrow(`${name}: expected`);
});
