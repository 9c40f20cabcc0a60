import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { giftCardProvider } from '../../lambda/gift-cards.ts';
import { driftOf, entriesOf, type Statement } from '../../lambda/ledger.ts';
import { isSigned, signedText } from '../../lambda/processor.ts';
import { providerUrl } from '../../lambda/provider-url.ts';

const payment = { paymentId: 'p-1', customerId: 'c-1', amountCents: 500, currency: 'EUR' };

describe('a callback', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const now = Date.UTC(2026, 10, 21);
  const body = JSON.stringify(payment);
  const signed = (sentAt = String(now), text = body) => ({
    headers: {
      'x-sent-at': sentAt,
      'x-signature': sign(null, Buffer.from(signedText(sentAt, text)), privateKey).toString('base64'),
    },
    body,
  });

  it('is the processor’s when it signed it, not long ago', () => {
    expect(isSigned(signed(), key, now)).toBe(true);
    expect(isSigned({ ...signed(), body: Buffer.from(body).toString('base64'), isBase64Encoded: true }, key, now)).toBe(
      true,
    );
    expect(isSigned(signed(), key, now + 299_000)).toBe(true);
  });

  it('is not, when it is old, changed, unsigned, or signed by another', () => {
    expect(isSigned(signed(), key, now + 301_000)).toBe(false);
    expect(isSigned(signed(String(now), '{}'), key, now)).toBe(false);
    expect(isSigned({ ...signed(), headers: { ...signed().headers, 'x-sent-at': String(now + 1) } }, key, now)).toBe(
      false,
    );
    expect(isSigned({ body }, key, now)).toBe(false);
    expect(isSigned(signed('soon'), key, now)).toBe(false);
    expect(isSigned(signed(), 'not set', now)).toBe(false);
  });
});

describe('the ledger', () => {
  const statement: Statement = { ...payment, at: Date.UTC(2026, 10, 21) };
  const entries = entriesOf(payment);

  it('has one debit and one credit of a payment', () => {
    expect(entries).toMatchObject([
      { paymentId: 'p-1', side: 'debit', account: 'processor', amountCents: 500 },
      { paymentId: 'p-1', side: 'credit', account: 'customer:c-1', amountCents: 500 },
    ]);
    expect(new Set(entries.map(({ entryId }) => entryId)).size).toBe(2);
    expect(driftOf(entries, [statement])).toEqual([]);
  });

  it('drifts by a payment that is missing, doubled, halved, of another amount, or of nobody', () => {
    const problems = (lines: typeof entries, statements = [statement]) =>
      driftOf(lines, statements).map(({ problem }) => problem);
    expect(problems([])).toEqual(['it has no entry']);
    expect(problems([...entries, ...entriesOf(payment)])).toEqual(['it has 2 debits and 2 credits']);
    expect(problems(entries.slice(1))).toEqual(['it has 0 debits and 1 credits']);
    expect(problems(entriesOf({ ...payment, amountCents: 501 }))).toEqual(['its entries are not of its amount']);
    expect(problems(entriesOf({ ...payment, currency: 'USD' }))).toEqual(['its entries are not of its amount']);
    expect(problems(entries, [])).toEqual(['the processor does not know it']);
  });

  it('does not drift by a payment that was posted after the statements were fetched, if the processor knows it by now', () => {
    const later = { ...statement, paymentId: 'p-2' };
    const both = [...entries, ...entriesOf({ ...payment, paymentId: 'p-2' })];
    expect(driftOf(both, [statement], [statement, later])).toEqual([]);
    // One that came meanwhile and is not posted yet is compared the next time.
    expect(driftOf(entries, [statement], [statement, later])).toEqual([]);
    expect(driftOf(both, [statement], [statement])).toEqual([
      { paymentId: 'p-2', problem: 'the processor does not know it' },
    ]);
  });

  it('drifts by a payment that the processor lists twice, whatever was posted', () => {
    const listed = { paymentId: 'p-1', problem: 'the processor lists it 2 times' };
    expect(driftOf(entries, [statement, statement])).toEqual([listed]);
    expect(driftOf([...entries, ...entriesOf(payment)], [statement, statement])).toEqual([listed]);
  });
});

describe('the URL of a provider', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com/statements'],
    ['https://api.example.com/', 'https://api.example.com/statements'],
    ['https://api.example.com/v2', 'https://api.example.com/v2/statements'],
    ['https://api.example.com/v2/', 'https://api.example.com/v2/statements'],
    ['https://api.example.com/v2?tenant=7', 'https://api.example.com/v2/statements?tenant=7'],
  ])('keeps the path of the API: %s', (base, whole) => {
    expect(String(providerUrl(base, '/statements'))).toBe(whole);
  });

  it('is below that path for every call of the gift cards', async () => {
    const asked: string[] = [];
    const cards = giftCardProvider('https://cards.example.com/v2/', async (url) => {
      asked.push(String(url));
      return new Response();
    });
    const call = { effectKey: 'issue-gift-card#o/1', signal: new AbortController().signal };
    const order = {
      orderId: 'o/1',
      amountCents: 500,
      currency: 'EUR',
      placedAt: '',
      customer: { email: '', name: '' },
    };
    await cards.issue(order, call);
    await cards.wasIssued(call);
    expect(asked).toEqual([
      'https://cards.example.com/v2/gift-cards',
      'https://cards.example.com/v2/gift-cards/by-key/issue-gift-card%23o%2F1',
    ]);
  });
});
