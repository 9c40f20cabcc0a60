import { expect, onTestFinished, test } from 'vitest';
import { createIntents } from '../../../lib/rehearsal/file/intents.ts';
import { createJournal } from '../../../lib/rehearsal/file/journal.ts';
import { type HttpProviderOptions, httpProvider, type Provider } from '../../../lib/rehearsal/file/providers.ts';
import { type ServeOptions, serveProviders } from '../../../lib/rehearsal/file/serve-provider.ts';

/** Starts providers, by the environment variable of each. */
async function start(providers: Readonly<Record<string, Provider>>, more: Partial<ServeOptions> = {}) {
  const [intents, journal] = [createIntents(), createJournal()];
  intents.add('order-1');
  const stopping = new AsyncDisposableStack();
  onTestFinished(() => stopping.disposeAsync());
  const options = { intents, journal, kill: () => undefined, nextFault: () => undefined, ...more };
  const results = () => journal.entries.map((entry) => (entry.kind === 'called' ? entry.result : entry.kind));
  return { ...(await serveProviders(providers, options, stopping)), results };
}

async function post(address: string | undefined, key: string): Promise<number> {
  const request = { method: 'POST', headers: { 'idempotency-key': key } };
  return (await fetch(`${address}/order-1`, request)).status;
}

async function serve(options: HttpProviderOptions) {
  const { providers, addresses, results } = await start({ PROVIDER_URL: httpProvider(options) });
  const { counts, stats } = providers[0] ?? {};
  return { counts, stats, results, call: (key: string) => post(addresses['PROVIDER_URL'], key) };
}

test('a response with a media type is sent as it is', async () => {
  const respond = () => ({ status: 200, body: '<Done/>', contentType: 'text/xml' });
  const { addresses } = await start({ PROVIDER_URL: httpProvider({ respond }) });
  const response = await fetch(`${addresses['PROVIDER_URL']}/order-1`, { method: 'POST' });
  expect([response.headers.get('content-type'), await response.text()]).toEqual(['text/xml', '<Done/>']);
});

test('a request that the provider refuses has no effect', async () => {
  const { call, counts, results } = await serve({ respond: (_, applied) => ({ status: applied > 0 ? 409 : 201 }) });
  expect([await call('a'), await call('b')]).toEqual([201, 409]);
  expect([...(counts ?? [])]).toEqual([['order-1', 1]]);
  expect(results()).toEqual(['applied', 'not-applied']);
});

test('a refusal does not use the idempotency key up, and an effect does', async () => {
  const statuses = [503, 201];
  const { call, counts, stats, results } = await serve({
    idempotencyKey: 'idempotency-key',
    respond: () => ({ status: statuses.shift() ?? 500 }),
  });
  expect([await call('a'), await call('a'), await call('a')]).toEqual([503, 201, 201]);
  expect([...(counts ?? [])]).toEqual([['order-1', 1]]);
  expect(stats?.repeated).toBe(1);
  expect(results()).toEqual(['not-applied', 'applied', 'repeated']);
});

test('a provider behind two environment variables is one provider: it counts all calls, and recognises its keys', async () => {
  const payments = httpProvider({ idempotencyKey: 'idempotency-key' });
  const { providers, addresses } = await start({ ONE_URL: payments, OTHER_URL: payments });
  for (const [address, key] of [
    [addresses['ONE_URL'], 'a'],
    [addresses['OTHER_URL'], 'a'],
    [addresses['OTHER_URL'], 'b'],
  ] as const) {
    await post(address, key);
  }
  expect(providers.map(({ counts }) => [...counts])).toEqual([[['order-1', 2]]]);
});

test.each<[string, HttpProviderOptions]>([
  ['intent', { intent: ({ body }) => body.order.id }],
  ['respond', { respond: ({ body }) => ({ status: body.order.status }) }],
  ['idempotencyKey', { idempotencyKey: ({ body }) => body.order.key }],
])('an error that %s throws is told, and is no failure of the app', async (_, options) => {
  const told: Error[] = [];
  const onBroken = (error: Error) => void told.push(error);
  const { addresses, providers } = await start({ PROVIDER_URL: httpProvider(options) }, { onBroken });
  await post(addresses['PROVIDER_URL'], 'a').catch(() => undefined);
  expect(told.map(({ message }) => message)).toEqual([
    expect.stringContaining('The provider PROVIDER_URL of the rehearsal file throws TypeError'),
  ]);
  expect([...(providers[0]?.counts ?? [])]).toEqual([]);
});

test('a call that asks for no effect is told apart from one that may: only the first may be what a function remembers by', async () => {
  const looks: unknown[] = [];
  const provider = httpProvider({ intent: ({ method }) => (method === 'POST' ? 'order-1' : undefined) });
  const { addresses } = await start({ PROVIDER_URL: provider }, { onLook: (sandbox) => void looks.push(sandbox) });
  await post(addresses['PROVIDER_URL'], 'a');
  await fetch(`${addresses['PROVIDER_URL']}/order-1`, { method: 'PUT' });
  expect(looks).toEqual([]);
  await fetch(`${addresses['PROVIDER_URL']}/order-1`);
  expect(looks).toEqual([undefined]);
});
