import { RejectedError, RetryableError } from 'pawl';
import type { AccountChange } from './account-change.ts';

/** What a call needs of the claim it is made under. */
interface Call {
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

export type AccountsApi = ReturnType<typeof accountsApi>;

/**
 * The API of the service that keeps the customers' points. It books whatever it is sent, and can be asked what it has booked.
 * @param baseUrl where the service is, e.g. `https://accounts.example.com/v1`
 */
export function accountsApi(baseUrl: string) {
  const base = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;

  /** @throws RejectedError when the service will never book this change; RetryableError when it has booked nothing */
  async function book({ changeId, accountId, points }: AccountChange, { effectKey, signal }: Call): Promise<void> {
    const response = await fetch(new URL(`accounts/${encodeURIComponent(accountId)}/changes`, base), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ changeId, points, reference: effectKey }),
      signal,
    });
    await response.arrayBuffer();
    const { status } = response;
    if (response.ok) return;
    if (status === 423 || status === 429 || status === 503) {
      throw new RetryableError(`the accounts service does not take the change now (${status})`);
    }
    if (status === 400 || status === 422)
      throw new RejectedError(`the accounts service refuses the change (${status})`);
    // Anything else says nothing about the change: it may have been booked before the error.
    throw new Error(`the accounts service answered ${status}`);
  }

  /** Whether a change was booked under this effect key. */
  async function wasBooked({ effectKey, signal }: Call): Promise<boolean> {
    const response = await fetch(new URL(`changes/by-reference/${encodeURIComponent(effectKey)}`, base), { signal });
    await response.arrayBuffer();
    if (response.ok) return true;
    if (response.status === 404) return false;
    throw new Error(`the accounts service answered ${response.status} to a look-up`);
  }

  return { book, wasBooked };
}
