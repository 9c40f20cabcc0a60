import { expect, onTestFinished, test } from 'vitest';
import { createIntents } from '../../../lib/rehearsal/file/intents.ts';
import { createJournal } from '../../../lib/rehearsal/file/journal.ts';
import { type HttpProviderOptions, httpProvider } from '../../../lib/rehearsal/file/providers.ts';
import { serveProvider } from '../../../lib/rehearsal/file/serve-provider.ts';

async function serve(options: HttpProviderOptions) {
  const [intents, journal] = [createIntents(), createJournal()];
  intents.add('order-1');
  const served = await serveProvider('PROVIDER_URL', httpProvider(options), {
    intents,
    journal,
    kill: () => undefined,
    nextFault: () => undefined,
  });
  onTestFinished(() => served.stop());
  const call = async (key: string) =>
    (await fetch(`${served.endpoint}/order-1`, { method: 'POST', headers: { 'idempotency-key': key } })).status;
  const results = () => journal.entries.map((entry) => (entry.kind === 'called' ? entry.result : entry.kind));
  return { ...served, call, results };
}

test('a request that the provider refuses has no effect', async () => {
  const { call, counts, results } = await serve({ respond: (_, applied) => ({ status: applied > 0 ? 409 : 201 }) });
  expect([await call('a'), await call('b')]).toEqual([201, 409]);
  expect([...counts]).toEqual([['order-1', 1]]);
  expect(results()).toEqual(['applied', 'not-applied']);
});

test('a refusal does not use the idempotency key up, and an effect does', async () => {
  const statuses = [503, 201];
  const { call, counts, stats, results } = await serve({
    idempotencyKey: 'idempotency-key',
    respond: () => ({ status: statuses.shift() ?? 500 }),
  });
  expect([await call('a'), await call('a'), await call('a')]).toEqual([503, 201, 201]);
  expect([...counts]).toEqual([['order-1', 1]]);
  expect(stats.repeated).toBe(1);
  expect(results()).toEqual(['not-applied', 'applied', 'repeated']);
});
