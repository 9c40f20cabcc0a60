import { expect, onTestFinished, test } from 'vitest';
import { createIntents } from '../../../lib/rehearsal/file/intents.ts';
import { createJournal } from '../../../lib/rehearsal/file/journal.ts';
import { routedProvider } from '../../../lib/rehearsal/file/providers.ts';
import { serveProvider } from '../../../lib/rehearsal/file/serve-provider.ts';
import type { ProviderAnswer } from '../../../lib/rehearsal/provider.ts';

/** A provider whose rules give these responses to the calls for an effect, one after the other. */
async function serve(...answers: ProviderAnswer[]) {
  const provider = routedProvider(({ method, path }) =>
    method === 'GET'
      ? { status: 404, body: {} }
      : { effect: 'any', subject: path.slice(1), apply: () => answers.shift() ?? { status: 500, body: {} } },
  );
  const journal = createJournal();
  const served = await serveProvider('PROVIDER_URL', provider, {
    intents: createIntents(),
    journal,
    kill: () => undefined,
    nextFault: () => undefined,
  });
  onTestFinished(() => served.stop());
  const call = async (method = 'POST') => (await fetch(`${served.endpoint}/order-1`, { method })).status;
  const results = () => journal.entries.map((entry) => (entry.kind === 'called' ? entry.result : entry.kind));
  return { ...served, call, results };
}

test('a provider with rules of its own counts what it does, and neither what it repeats nor what it refuses', async () => {
  const { call, counts, stats, results } = await serve(
    { status: 201, body: {} },
    { status: 200, body: {}, isRepeat: true },
    { status: 422, body: {} },
  );
  expect([await call(), await call(), await call(), await call('GET')]).toEqual([201, 200, 422, 404]);
  expect([...counts]).toEqual([['order-1', 1]]);
  expect(stats.repeated).toBe(1);
  expect(results()).toEqual(['applied', 'repeated', 'not-applied']);
});
