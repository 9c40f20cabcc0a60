import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { HttpServer } from '../../../../lib/rehearsal/engine/http.ts';
import { ownAddresses } from '../../../../lib/rehearsal/engine/lambda/callers.ts';
import type { ProviderFault } from '../../../../lib/rehearsal/provider.ts';
import { type GiftCardOptions, startGiftCards } from '../../../../shop/providers/gift-cards.ts';
import { createLedger, type Ledger } from '../../../../shop/providers/ledger.ts';
import { startSes } from '../../../../shop/providers/ses.ts';
import { eventually } from '../../../support/eventually.ts';

let server: HttpServer;
let ledger: Ledger;
const kill = vi.fn<(sandbox: string) => void>();

afterEach(async () => {
  kill.mockReset();
  await server.stop();
});

function once(fault: ProviderFault) {
  const faults = [fault];
  return { kill, nextFault: () => faults.shift() };
}

describe('SES', () => {
  const mail = (orderId?: string) =>
    new SendEmailCommand({
      FromEmailAddress: 'orders@example.com',
      Destination: { ToAddresses: ['ada@example.com'] },
      Content: { Simple: { Subject: { Data: 'Your order' }, Body: { Text: { Data: 'Thank you.' } } } },
      ...(orderId === undefined ? {} : { EmailTags: [{ Name: 'orderId', Value: orderId }] }),
    });

  async function start(fault?: ProviderFault): Promise<SESv2Client> {
    ledger = createLedger();
    server = await startSes(ledger, fault === undefined ? {} : once(fault));
    const credentials = { accessKeyId: 'SANDBOX0042', secretAccessKey: 'local' };
    return new SESv2Client({ endpoint: server.endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  }

  test('sends one more mail for every call, whoever sent the same one before', async () => {
    const client = await start();
    const { MessageId } = await client.send(mail('order-1'));
    await client.send(mail('order-1'));
    expect(ledger.entries).toMatchObject([
      { effect: 'email', orderId: 'order-1', key: MessageId, sandbox: 'SANDBOX0042' },
      { effect: 'email', orderId: 'order-1' },
    ]);
    expect(ledger.countByOrder('email').get('order-1')).toBe(2);
  });

  test('refuses a mail that it could not find again', async () => {
    const client = await start();
    await expect(client.send(mail())).rejects.toThrow('orderId');
    expect(ledger.entries).toEqual([]);
  });

  test.each([
    [{ kind: 'error-before', status: 500 } as const, 0],
    [{ kind: 'error-applied', status: 502 } as const, 1],
    [{ kind: 'kill-before' } as const, 0],
    [{ kind: 'kill-applied' } as const, 1],
  ])('%j happens once, and leaves the ledger with %i mails', async (fault, mails) => {
    const client = await start(fault);
    await expect(client.send(mail('order-1'))).rejects.toThrow();
    expect(ledger.entries).toHaveLength(mails);
    expect(kill.mock.calls).toEqual(fault.kind.startsWith('kill') ? [['SANDBOX0042']] : []);
    await client.send(mail('order-1'));
    expect(ledger.entries).toHaveLength(mails + 1);
  });

  test.each(['hang-before', 'hang-applied'] as const)('%s never answers', async (kind) => {
    const client = await start({ kind });
    await expect(client.send(mail('order-1'), { abortSignal: AbortSignal.timeout(300) })).rejects.toThrow();
    expect(ledger.entries).toHaveLength(kind === 'hang-before' ? 0 : 1);
  });

  test('hang-then-apply sends the mail after its caller has given up', async () => {
    const client = await start({ kind: 'hang-then-apply', delayMs: 400 });
    await expect(client.send(mail('order-1'), { abortSignal: AbortSignal.timeout(100) })).rejects.toThrow();
    await eventually('the effect is applied', () => expect(ledger.entries).toHaveLength(1));
  });

  test('kill-answered kills the caller once it has its answer', async () => {
    const client = await start({ kind: 'kill-answered' });
    await client.send(mail('order-1'));
    await eventually('the caller is killed', () => expect(kill).toHaveBeenCalledExactlyOnceWith('SANDBOX0042'));
  });
});

describe('the gift card provider', () => {
  const order = { orderId: 'order-1', amountCents: 500, currency: 'EUR', recipient: 'ada@example.com' };

  async function start(fault?: ProviderFault, options: GiftCardOptions = {}): Promise<void> {
    ledger = createLedger();
    server = await startGiftCards(ledger, { ...options, ...(fault === undefined ? {} : once(fault)) });
  }

  async function issue(key: string, body: object = order) {
    const { environment } = await ownAddresses('SANDBOX0007', { URL: server.endpoint });
    const response = await fetch(new URL('/gift-cards', environment['URL']), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
    const answer: { readonly cardId?: string } = JSON.parse(await response.text());
    return { status: response.status, body: answer };
  }

  async function lookUp(key: string) {
    const response = await fetch(new URL(`/gift-cards/by-key/${encodeURIComponent(key)}`, server.endpoint));
    return { status: response.status, body: await response.json() };
  }

  test('gives the same card for the same key, and another one for another', async () => {
    await start();
    const first = await issue('issue-gift-card#order-1');
    expect(first).toMatchObject({ status: 201, body: { orderId: 'order-1', amountCents: 500 } });
    expect(await issue('issue-gift-card#order-1')).toEqual({ status: 200, body: first.body });
    expect((await issue('another')).body.cardId).not.toBe(first.body.cardId);
    expect(ledger.entries).toMatchObject([{ effect: 'gift-card', sandbox: 'SANDBOX0007' }, {}]);
  });

  test('refuses the same key with another request', async () => {
    await start();
    await issue('key');
    expect(await issue('key', { ...order, amountCents: 900 })).toMatchObject({ status: 422 });
    expect(ledger.entries).toHaveLength(1);
  });

  test('finds a card by its key, also one whose answer was lost', async () => {
    await start({ kind: 'error-applied', status: 500 });
    expect(await lookUp('a key#1')).toMatchObject({ status: 404 });
    expect(await issue('a key#1')).toMatchObject({ status: 500 });
    expect(await lookUp('a key#1')).toMatchObject({ status: 200, body: { orderId: 'order-1' } });
  });

  test('refuses what is no request for a card', async () => {
    await start();
    expect(await issue('key', { orderId: 'order-1' })).toMatchObject({ status: 400 });
  });

  test('looks a card up only when its reads have caught up, and honours its key at once', async () => {
    await start(undefined, { lookupLagMs: 400 });
    const { body } = await issue('key');
    expect(await lookUp('key')).toMatchObject({ status: 404 });
    expect(await issue('key')).toEqual({ status: 200, body });
    await eventually('the look-up has caught up', async () =>
      expect(await lookUp('key')).toEqual({ status: 200, body }),
    );
  });

  test('that ignores keys issues another card for each call, and finds one of them', async () => {
    await start(undefined, { honoursKeys: false });
    const first = await issue('key');
    const second = await issue('key', { ...order, amountCents: 900 });
    expect(second.status).toBe(201);
    expect(second.body.cardId).not.toBe(first.body.cardId);
    expect(await lookUp('key')).toEqual({ status: 200, body: first.body });
    expect(ledger.countByOrder('gift-card').get('order-1')).toBe(2);
  });
});
