import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLambda, type LocalFunction } from '../../../../lib/rehearsal/engine/lambda/lambda.ts';

/** What a handler may try. 192.0.2.1 is an address for documentation: no machine has it. */
const tries = `
import * as dns from 'node:dns';
import { lookup } from 'node:dns/promises';
import { createSocket } from 'node:dgram';
import http from 'node:http';
import { connect as connect2 } from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { Worker } from 'node:worker_threads';
import { spawnSync } from 'node:child_process';

const event = (emitter, good) => new Promise((resolve, reject) => { emitter.once(good, resolve); emitter.once('error', reject); });
const tries = {
  fetch: () => fetch('https://api.stripe.com/v1/charges'),
  http: () => event(http.get('http://192.0.2.1/'), 'response'),
  https: () => event(https.get('https://dynamodb.us-east-1.amazonaws.com/'), 'response'),
  net: () => event(net.connect(443, '192.0.2.1'), 'connect'),
  netOptions: () => event(net.connect({ host: 'example.com', port: 80 }), 'connect'),
  raw: () => event(new net.Socket().connect(443, '2001:db8::1'), 'connect'),
  tls: () => event(tls.connect(443, 'api.stripe.com'), 'secureConnect'),
  http2: () => event(connect2('https://api.stripe.com'), 'connect'),
  dns: () => new Promise((resolve, reject) => dns.lookup('example.com', (error) => (error ? reject(error) : resolve()))),
  dnsPromise: () => lookup('example.com'),
  resolver: () => new dns.promises.Resolver().resolve4('example.com'),
  resolverCallback: () => new Promise((resolve, reject) => new dns.Resolver().resolve4('example.com', (error) => (error ? reject(error) : resolve()))),
  datagram: async () => createSocket('udp4').send('a', 53, '192.0.2.1'),
  worker: () => event(new Worker("require('node:net').connect(443, '192.0.2.1')", { eval: true }), 'exit'),
  child: async () => {
    const { status, stderr } = spawnSync(process.execPath, ['-e', "require('node:net').connect(443, '192.0.2.1')"], { env: process.env });
    if (status !== 0) throw Object.assign(new Error(String(stderr)), { code: 'ERR_NOT_REHEARSED' });
  },
  here: async () => (await fetch(process.env.HERE)).status,
  localhost: async () => (await fetch(process.env.HERE.replace('127.0.0.1', 'localhost'))).status,
};
export const handler = async ({ what }) => {
  try {
    return { reached: (await tries[what]()) ?? 'reached' };
  } catch (error) {
    const { code, message } = error.cause ?? error;
    return { code, message };
  }
};
`;

let folder = '';
const lambda = createLambda();
let fn: LocalFunction;
const server = createServer((_, response) => response.end());

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-leaves-'));
  await writeFile(join(folder, 'index.mjs'), tries);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const HERE = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  fn = lambda.createFunction({
    ...{ name: 'f', folder, handler: 'index.handler', timeoutMs: 30_000, maxSandboxes: 1 },
    environment: { HERE },
  });
});
afterAll(async () => {
  lambda.stop();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

const tried = async (what: string) => {
  const outcome = await fn.invoke({ what });
  return outcome.kind === 'response' ? outcome.value : outcome;
};

test.each([
  ...['fetch', 'http', 'https', 'net', 'netOptions', 'raw', 'tls', 'http2', 'dns', 'dnsPromise', 'resolver'],
  ...['resolverCallback', 'datagram', 'worker', 'child'],
])('a function reaches no other machine by %s, and learns why', async (what) => {
  expect(await tried(what)).toMatchObject({
    code: 'ERR_NOT_REHEARSED',
    message: expect.stringContaining('A rehearsal lets no function reach'),
  });
});

test.each(['here', 'localhost'])('a function reaches this machine: %s', async (what) => {
  expect(await tried(what)).toEqual({ reached: 200 });
});

test('what it asked for is told by address, and an address of AWS is named as that', async () => {
  await tried('fetch');
  expect(lambda.refused.get('api.stripe.com:443')).toBeGreaterThan(0);
  expect(await tried('https')).toMatchObject({ message: expect.stringContaining('It is AWS itself') });
  expect(await tried('fetch')).toMatchObject({ message: expect.stringContaining('in `providers`') });
});
