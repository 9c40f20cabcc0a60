import { RejectedError, RetryableError } from 'pawl';
import type { Payment } from './payment.ts';
import { providerUrl } from './provider-url.ts';

/** What a call needs of the claim it is made under. */
interface Call {
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

/**
 * The API of the service that mails receipts. It mails whatever it is sent, and can be asked what it has mailed.
 * @param baseUrl where the service is, e.g. `https://mails.example.com/v1`
 */
export function mailsApi(baseUrl: string) {
  /** @throws RejectedError when the service will never mail this receipt; RetryableError when it has mailed nothing */
  async function mail(
    { paymentId, customerId, amountCents, currency }: Payment,
    { effectKey, signal }: Call,
  ): Promise<void> {
    const response = await fetch(providerUrl(baseUrl, '/receipts'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ paymentId, customerId, amountCents, currency, reference: effectKey }),
      signal,
    });
    await response.arrayBuffer();
    const { status } = response;
    if (response.ok) return;
    if (status === 429 || status === 503) throw new RetryableError(`the mail service is busy (${status})`);
    if (status === 400 || status === 422) throw new RejectedError(`the mail service refuses the receipt (${status})`);
    // Anything else says nothing about the mail: it may have gone out before the error.
    throw new Error(`the mail service answered ${status}`);
  }

  /** Whether a receipt was mailed under this effect key. */
  async function wasMailed({ effectKey, signal }: Call): Promise<boolean> {
    const url = providerUrl(baseUrl, `/receipts/by-reference/${encodeURIComponent(effectKey)}`);
    const response = await fetch(url, { signal });
    await response.arrayBuffer();
    if (response.ok) return true;
    if (response.status === 404) return false;
    throw new Error(`the mail service answered ${response.status} to a look-up`);
  }

  return { mail, wasMailed };
}
