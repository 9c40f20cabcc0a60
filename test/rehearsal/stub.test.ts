import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type StubCall, stubInvoke } from '../../lib/rehearsal/engine/lambda/stub.ts';

const call: StubCall = { event: { n: 1 }, environment: { COLOUR: 'blue' }, timeoutMs: 20_000 };
const node = (code: string) => stubInvoke({ command: [process.execPath, '-e', code] });

const read = "let t = ''; process.stdin.on('data', (d) => { t += d; }).on('end', () => {";

test('a program has the event, and the environment of the function; what it prints is the response', async () => {
  const stub = node(`${read} console.log(JSON.stringify({ ...JSON.parse(t), colour: process.env.COLOUR })); })`);
  expect(await stub?.(call)).toEqual({ kind: 'response', value: { n: 1, colour: 'blue' } });
  expect(await node('')?.(call)).toEqual({ kind: 'response', value: null });
});

test('a program that fails, prints no JSON or is not there fails the invocation, and the error says it', async () => {
  const failed = (message: string) => ({ kind: 'error', error: { message: expect.stringContaining(message) } });
  expect(await node("console.error('no table'); process.exit(3)")?.(call)).toMatchObject(
    failed('ended with 3: no table'),
  );
  expect(await node("console.log('done')")?.(call)).toMatchObject(failed('JSON'));
  expect(await stubInvoke({ command: ['no-such-program'] })?.(call)).toMatchObject(failed('ENOENT'));
});

test('a program and an address that do not respond time out', async () => {
  const late = { ...call, timeoutMs: 300 };
  expect(await node('setInterval(() => {}, 1000)')?.(late)).toEqual({ kind: 'timed-out' });
  const { url } = await serverThat(() => undefined);
  expect(await stubInvoke({ url })?.(late)).toEqual({ kind: 'timed-out' });
});

test('an address gets the event, and its response is that of the invocation', async () => {
  const { url } = await serverThat((body) => ({ status: 200, body: `{"had":${body}}` }));
  expect(await stubInvoke({ url })?.(call)).toEqual({ kind: 'response', value: { had: { n: 1 } } });
  const { url: fails } = await serverThat(() => ({ status: 500, body: 'no table' }));
  expect(await stubInvoke({ url: fails })?.(call)).toMatchObject({
    kind: 'error',
    error: { message: expect.stringContaining('responded 500: no table') },
  });
});

async function serverThat(respond: (body: string) => { status: number; body: string } | undefined) {
  const server = createServer(async (request, response) => {
    const answer = respond(await text(request));
    if (answer !== undefined) response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}
