import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLambda } from '../../../../lib/rehearsal/engine/lambda/lambda.ts';
import { bundleChanged } from '../../../../shop/protection/changed-bundle.ts';
import { createLedger } from '../../../../shop/providers/ledger.ts';
import { startSes } from '../../../../shop/providers/ses.ts';

test('the bundle without pawl is the same function, has nothing of pawl in it, and mails twice', async () => {
  const folder = await bundleChanged('send-email', 'none');
  expect(await readFile(join(folder, 'index.mjs'), 'utf8')).not.toContain('attribute_not_exists');

  const ledger = createLedger();
  const ses = await startSes(ledger);
  const lambda = createLambda({ environment: { AWS_ENDPOINT_URL_SESV2: ses.endpoint } });
  const fn = lambda.createFunction({
    name: 'send-email',
    folder,
    handler: 'index.handler',
    environment: { SENDER_ADDRESS: 'orders@example.com' },
    timeoutMs: 20_000,
    maxSandboxes: 1,
  });
  const order = {
    orderId: 'order-1',
    customer: { email: 'ada@example.com', name: 'Ada' },
    amountCents: 500,
    currency: 'EUR',
    placedAt: '2026-01-01T00:00:00.000Z',
  };
  const event = { Records: [{ messageId: 'm-1', body: JSON.stringify(order) }] };
  try {
    for (const _ of [1, 2]) {
      expect(await fn.invoke(event)).toEqual({ kind: 'response', value: { batchItemFailures: [] } });
    }
  } finally {
    lambda.stop();
    await ses.stop();
    await rm(folder, { recursive: true });
  }
  expect(ledger.countByOrder('email').get('order-1')).toBe(2);
  expect(ledger.entries[0]?.sandbox).toBe('SANDBOX0001');
});
