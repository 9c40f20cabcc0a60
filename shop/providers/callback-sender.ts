import { sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Callbacks, together } from './callbacks.ts';

/** The callbacks that one process of the processor sends. */
export interface CallbackBatch {
  readonly callbackUrl: string;
  /** Ed25519, in PEM. */
  readonly privateKey: string;
  readonly calls: readonly Callback[];
  /** When to give up, in epoch milliseconds. */
  readonly until: number;
}

/** The callback of one payment. */
export interface Callback {
  /** When to call first, in epoch milliseconds. */
  readonly at: number;
  readonly payment: { readonly paymentId: string; readonly currency: string };
  /** How many calls are malformed, until the processor corrects them. */
  readonly flawedCalls: number;
}

/** What a processor signs. The function that verifies it has its own copy of this line. */
const signedText = (sentAt: string, body: string) => `${sentAt}.${body}`;

/** The body of one call. No two calls of a payment have the same: processors count their attempts, and say when each was made. */
function bodyOf({ payment, flawedCalls }: Callback, attempt: number): string {
  const sent = attempt <= flawedCalls ? { ...payment, currency: payment.currency.toLowerCase() } : payment;
  return JSON.stringify({ ...sent, attempt, sentAt: new Date().toISOString() });
}

/** Calls until the response is 2xx, as processors do. */
async function callBack({ callbackUrl, privateKey, until }: CallbackBatch, callback: Callback): Promise<Callbacks> {
  await sleep(Math.max(0, callback.at - Date.now()));
  for (let calls = 1; ; calls++) {
    const body = bodyOf(callback, calls);
    const sentAt = String(Date.now());
    const signature = sign(null, Buffer.from(signedText(sentAt, body)), privateKey).toString('base64');
    const headers = { 'content-type': 'application/json', 'x-sent-at': sentAt, 'x-signature': signature };
    const signal = AbortSignal.timeout(10_000);
    const response = await fetch(callbackUrl, { method: 'POST', headers, body, signal }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    if (response?.ok) return { calls, refused: [] };
    if (Date.now() > until) return { calls, refused: [callback.payment.paymentId] };
    // Backing off, as processors do: calls whose caller has given up would keep a busy function busy.
    await sleep(Math.min(10_000, 300 * 2 ** (calls - 1)) * (0.5 + Math.random()));
  }
}

if (process.send !== undefined) {
  process.once('message', async (message) => {
    const batch = message as CallbackBatch;
    const parts = await Promise.all(batch.calls.map((callback) => callBack(batch, callback)));
    process.send?.(together(parts), () => process.exit());
  });
}
