import { expect, test } from 'vitest';
import { startHttpServer } from '../../../../lib/rehearsal/engine/http.ts';
import { startProcessor } from '../../../../shop/providers/processor.ts';

test('a payment that the processor reports again stands in its statements once, and is called for again', async () => {
  await using cleanUp = new AsyncDisposableStack();
  let calls = 0;
  const api = await startHttpServer((_, response) => {
    calls += 1;
    response.end();
  });
  cleanUp.defer(() => api.stop());
  const processor = cleanUp.adopt(await startProcessor(), (server) => server.stop());
  const payment = { paymentId: 'payment-1', customerId: 'customer-1', amountCents: 100, currency: 'EUR' };
  const report = () => processor.report(api.endpoint, [{ payment, flawedCalls: 0 }], Date.now() + 10_000);
  await Promise.all([report(), report()]);
  expect(calls).toBe(4);
  expect(await (await fetch(`${processor.endpoint}/statements`)).json()).toEqual([
    { ...payment, at: expect.any(Number) },
  ]);
});
