import { randomUUID } from 'node:crypto';
import { record } from '../../lib/rehearsal/engine/app/template.ts';
import type { HttpServer } from '../../lib/rehearsal/engine/http.ts';
import {
  type ProviderAnswer,
  type ProviderOptions,
  type ProviderRoutes,
  startProvider,
} from '../../lib/rehearsal/provider.ts';
import type { EffectKind, Ledger } from './ledger.ts';

interface Card {
  readonly cardId: string;
  readonly orderId: string;
  readonly amountCents: number;
  readonly currency: string;
}

/** A card, and the request that it was issued for. */
interface Issued {
  readonly card: Card;
  readonly request: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** How the provider is. */
export interface GiftCardRules {
  /** How long after it was issued the look-up finds a card, in milliseconds: reads come from a replica. @default 0 */
  readonly lookupLagMs?: number;
  /** `false`: every call issues another card, whatever its idempotency key. @default true */
  readonly honoursKeys?: boolean;
}

export interface GiftCardOptions extends ProviderOptions<EffectKind>, GiftCardRules {}

/** Starts a stand-in for a gift card provider. */
export async function startGiftCards(ledger: Ledger, options: GiftCardOptions = {}): Promise<HttpServer> {
  return startProvider(giftCardRoutes(ledger, options), options);
}

/**
 * What the stand-in does with a call. It honours idempotency keys: the same key gives the same card again, and the same key with another
 * request is refused. A card can be looked up by its key, once the look-up has caught up.
 */
export function giftCardRoutes(ledger: Ledger, rules: GiftCardRules = {}): ProviderRoutes<EffectKind> {
  const { lookupLagMs = 0, honoursKeys = true } = rules;
  /** The first card of each key. If keys are ignored, there may be more; any of them says that the effect happened. */
  const issued = new Map<string, Issued>();

  function lookUp(key: string): ProviderAnswer {
    const known = issued.get(key);
    return known === undefined || Date.now() < known.at + lookupLagMs
      ? { status: 404, body: { message: 'No card was issued under this key.' } }
      : { status: 200, body: known.card };
  }

  return (call) => {
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
    ledger.ask('gift-card', orderId);
    const request = JSON.stringify([orderId, amountCents, currency, recipient]);
    return {
      effect: 'gift-card',
      subject: orderId,
      apply() {
        const known = typeof key === 'string' ? issued.get(key) : undefined;
        if (honoursKeys && known !== undefined) {
          // Asked of the primary, unlike the look-up: a provider that honours keys does so at once.
          if (known.request === request) {
            ledger.recognise('gift-card', orderId);
            return { status: 200, body: known.card, isRepeat: true };
          }
          return { status: 422, body: { message: 'This idempotency key was used for another request.' } };
        }
        const card: Card = { cardId: randomUUID(), orderId, amountCents, currency };
        if (typeof key === 'string' && known === undefined) issued.set(key, { card, request, at: Date.now() });
        ledger.append({ effect: 'gift-card', orderId, key: card.cardId, sandbox: call.sandbox });
        return { status: 201, body: card };
      },
    };
  };
}
