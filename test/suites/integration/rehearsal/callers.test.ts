import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { HttpServer } from '../../../../lib/rehearsal/engine/http.ts';
import { ownAddresses, sandboxOf, startCalledServer } from '../../../../lib/rehearsal/engine/lambda/callers.ts';

let server: HttpServer;
const callers: (string | undefined)[] = [];

async function start(): Promise<HttpServer> {
  server = await startCalledServer((request, response) => {
    callers.push(sandboxOf(request));
    response.end('{}');
  });
  return server;
}
afterEach(async () => {
  callers.length = 0;
  await server.stop();
});

test('a server knows its caller by the address that it called, whatever stands around it in the environment', async () => {
  const { endpoint } = await start();
  const port = new URL(endpoint).port;
  const given = {
    URL: `${endpoint}/v1?to=${endpoint}`,
    HOST: `localhost:${port}`,
    OTHER: `http://127.0.0.1:${port}0`,
    A: '1',
  };
  const { environment } = await ownAddresses('SANDBOX0001', given);
  const own = new URL(environment['URL'] ?? '');
  expect(environment).toEqual({ ...given, URL: `${own.origin}/v1?to=${own.origin}`, HOST: `localhost:${own.port}` });
  expect(own.port).not.toBe(port);
  await Promise.all([fetch(own), fetch(endpoint)]);
  expect(callers.toSorted()).toEqual(['SANDBOX0001', undefined]);
});

test('two sandboxes have two addresses, and a client that writes to a socket by itself is known as well', async () => {
  const { endpoint } = await start();
  for (const sandbox of ['SANDBOX0001', 'SANDBOX0002']) {
    const { environment } = await ownAddresses(sandbox, { URL: endpoint });
    const { hostname, port } = new URL(environment['URL'] ?? '');
    const socket = connect(Number(port), hostname);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
  }
  expect(callers).toEqual(['SANDBOX0001', 'SANDBOX0002']);
});

test('credentials of its own do not hide a sandbox, and a caller from elsewhere is known by its signature', async () => {
  const { endpoint } = await start();
  const headers = { authorization: 'AWS4-HMAC-SHA256 Credential=AKIAOTHER/20261123/us-east-1/sqs/aws4_request' };
  const { environment } = await ownAddresses('SANDBOX0001', { URL: endpoint });
  await fetch(environment['URL'] ?? '', { headers });
  await fetch(endpoint, { headers });
  expect(callers).toEqual(['SANDBOX0001', 'AKIAOTHER']);
});

test('an address outlives its sandbox, for those to whom it was passed on, and ends with its server', async () => {
  const { endpoint } = await start();
  const { environment, release } = await ownAddresses('SANDBOX0001', { URL: endpoint });
  release();
  expect((await fetch(environment['URL'] ?? '')).status).toBe(200);
  await server.stop();
  await expect(fetch(environment['URL'] ?? '')).rejects.toThrow('fetch failed');
});
