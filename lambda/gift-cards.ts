import { RejectedError, RetryableError } from 'pawl';
import type { Order } from './order.ts';
import { providerUrl } from './provider-url.ts';

/** What a call needs of the claim it is made under. */
interface Call {
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

export type GiftCardProvider = ReturnType<typeof giftCardProvider>;

/**
 * The gift card provider's API, as far as the shop uses it.
 * @param baseUrl where the provider is, e.g. `https://gift-cards.example.com/v2`
 * @param request how to reach it; a test's own
 */
export function giftCardProvider(baseUrl: string, request: (url: URL, init: RequestInit) => Promise<Response> = fetch) {
  /** @throws RejectedError when the provider will never issue this card; RetryableError when it has not taken the request */
  async function issue(order: Order, { effectKey, signal }: Call): Promise<void> {
    const response = await request(providerUrl(baseUrl, '/gift-cards'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': effectKey },
      body: JSON.stringify({
        orderId: order.orderId,
        amountCents: order.amountCents,
        currency: order.currency,
        recipient: order.customer.email,
      }),
      signal,
    });
    await response.arrayBuffer();
    const { status } = response;
    if (response.ok) return;
    if (status === 429 || status === 503) throw new RetryableError(`the gift card provider is busy (${status})`);
    if (status === 400 || status === 422) throw new RejectedError(`the gift card provider refuses (${status})`);
    // Anything else says nothing about the card: it may have been issued before the error.
    throw new Error(`the gift card provider answered ${status}`);
  }

  /** Whether a card was issued for this effect key, as far as the provider's reads can tell. */
  async function wasIssued({ effectKey, signal }: Call): Promise<boolean> {
    const response = await request(providerUrl(baseUrl, `/gift-cards/by-key/${encodeURIComponent(effectKey)}`), {
      signal,
    });
    await response.arrayBuffer();
    if (response.ok) return true;
    if (response.status === 404) return false;
    throw new Error(`the gift card provider answered ${response.status} to a look-up`);
  }

  return { issue, wasIssued };
}
