import { randomUUID } from 'node:crypto';
import type { HttpServer } from './http.ts';
import type { Ledger } from './ledger.ts';
import { type ProviderAnswer, type ProviderOptions, startProvider } from './provider.ts';
import { record } from './template.ts';

interface Card {
  readonly cardId: string;
  readonly orderId: string;
  readonly amountCents: number;
  readonly currency: string;
}

/**
 * A stand-in for a gift card provider that honours idempotency keys: the same key gives the same card again, and the
 * same key with another request is refused. A card can be looked up by its key.
 */
export async function startGiftCards(ledger: Ledger, options: ProviderOptions = {}): Promise<HttpServer> {
  const issued = new Map<string, { readonly card: Card; readonly request: string }>();

  function lookUp(key: string): ProviderAnswer {
    const known = issued.get(key);
    return known === undefined
      ? { status: 404, body: { message: 'No card was issued under this key.' } }
      : { status: 200, body: known.card };
  }

  return startProvider((call) => {
    const byKey = /^\/gift-cards\/by-key\/(.+)$/.exec(call.path)?.[1];
    if (call.method === 'GET' && byKey !== undefined) return lookUp(decodeURIComponent(byKey));
    if (call.method !== 'POST' || call.path !== '/gift-cards') {
      return { status: 404, body: { message: `The gift card stand-in has no ${call.method} ${call.path}.` } };
    }
    const key = call.headers['idempotency-key'];
    const { orderId, amountCents, currency, recipient } = record(call.body);
    const complete = typeof amountCents === 'number' && typeof currency === 'string' && recipient !== undefined;
    if (typeof orderId !== 'string' || !complete) {
      return { status: 400, body: { message: 'A card needs orderId, amountCents, currency and recipient.' } };
    }
    const request = JSON.stringify([orderId, amountCents, currency, recipient]);
    return {
      effect: 'gift-card',
      orderId,
      apply() {
        const known = typeof key === 'string' ? issued.get(key) : undefined;
        if (known !== undefined && known.request !== request) {
          return { status: 422, body: { message: 'This idempotency key was used for another request.' } };
        }
        if (known !== undefined) return { status: 200, body: known.card };
        const card: Card = { cardId: randomUUID(), orderId, amountCents, currency };
        if (typeof key === 'string') issued.set(key, { card, request });
        ledger.append({ effect: 'gift-card', orderId, key: card.cardId, sandbox: call.sandbox });
        return { status: 201, body: card };
      },
    };
  }, options);
}
