import { StoreUnavailableError } from '../kernel/errors.ts';
import { type Host, sleep } from '../kernel/host.ts';
import { recordedError } from '../kernel/recorded-error.ts';

/** What did not answer in time. It may still be applied: whatever is sent here is refused when it comes late. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** @throws NoAnswerError when `send` has not ended after `ms` milliseconds; whatever `send` throws */
export function within<T>(host: Pick<Host, 'after'>, ms: number, send: () => Promise<T> | T): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = host.after(ms, () => reject(new NoAnswerError(`no answer within ${ms} ms`)));
    // Heard also when it fails after that: a rejection that nobody handles ends the process.
    (async () => send())().then(resolve, reject).finally(cancel);
  });
}

/** How often a request is sent whose answer did not come, on top of what the SDK does by itself. */
const mostTries = 4;

/**
 * How long one request may take, in milliseconds: an SDK without time-outs waits for ever, and the lease does not. A short lease
 * still leaves time for a request.
 */
export function requestMsOf({ leaseMs }: { readonly leaseMs: number }): number {
  return Math.min(5000, Math.max(1000, leaseMs));
}

/**
 * Sends a request until it is answered.
 *
 * @param deadline after it, a request that was never answered is not sent again. In epoch milliseconds
 * @throws StoreUnavailableError when `send` keeps failing
 */
export async function insisting<T>(
  settings: { readonly host: Host; readonly leaseMs: number },
  send: () => Promise<T>,
  deadline = Number.POSITIVE_INFINITY,
): Promise<T> {
  const { host } = settings;
  for (let tries = 1; ; tries++) {
    try {
      return await within(host, requestMsOf(settings), send);
    } catch (cause) {
      const isTooLate = cause instanceof NoAnswerError && host.now() >= deadline;
      if (tries === mostTries || isTooLate) {
        throw new StoreUnavailableError(`the lock store: ${recordedError(cause).message}`, { cause });
      }
    }
    await sleep(host, (0.5 + host.random()) * 50 * 2 ** tries);
  }
}
