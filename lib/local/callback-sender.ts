import { sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** What one process of the processor is to do. */
export interface CallbackBatch {
  readonly callbackUrl: string;
  /** Ed25519, in PEM. */
  readonly privateKey: string;
  /** When to call first, in epoch milliseconds, and with what. */
  readonly calls: readonly { readonly at: number; readonly body: string }[];
  /** When to give up, in epoch milliseconds. */
  readonly until: number;
}

/** What a processor signs. The function that verifies it says the same in its own words. */
const signedText = (sentAt: string, body: string) => `${sentAt}.${body}`;

/** Calls until it is answered with 2xx, as processors do. Answers how often. */
async function callBack({ callbackUrl, privateKey, until }: CallbackBatch, at: number, body: string): Promise<number> {
  await sleep(Math.max(0, at - Date.now()));
  for (let calls = 1; ; calls++) {
    const sentAt = String(Date.now());
    const signature = sign(null, Buffer.from(signedText(sentAt, body)), privateKey).toString('base64');
    const headers = { 'content-type': 'application/json', 'x-sent-at': sentAt, 'x-signature': signature };
    const signal = AbortSignal.timeout(10_000);
    const response = await fetch(callbackUrl, { method: 'POST', headers, body, signal }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    if (response?.ok || Date.now() > until) return calls;
    await sleep(300 + Math.random() * 500);
  }
}

if (process.send !== undefined) {
  process.once('message', async (message) => {
    const batch = message as CallbackBatch;
    const made = await Promise.all(batch.calls.map(({ at, body }) => callBack(batch, at, body)));
    process.send?.(
      made.reduce((sum, count) => sum + count, 0),
      () => process.exit(),
    );
  });
}
