import type { Host } from '../../kernel/host.ts';
import { Retry } from '../../kernel/retry.ts';
import { isThrottled } from './errors.ts';

/**
 * Sends what a request needs until the table takes it, for as long as its caller waits. A message that comes back instead has used up a receive.
 *
 * @param waitsMs how long that is, in milliseconds. @default as long as the client tries by itself
 * @param send may be called again after any of its requests was throttled. It is given how long its caller still waits
 * @throws what `send` throws, also where a table still throttles when that time is over
 */
export async function whileThrottled<T>(
  host: Pick<Host, 'now' | 'after' | 'random'>,
  waitsMs: number | undefined,
  send: (waitsMs: number | undefined) => Promise<T>,
): Promise<T> {
  if (waitsMs === undefined) return send(waitsMs);
  const until = host.now() + waitsMs;
  const retry = new Retry(host, { until, requestMs: Infinity });
  for (let leftMs = waitsMs; ; leftMs = until - host.now()) {
    try {
      return await send(leftMs);
    } catch (error) {
      if (!isThrottled(error)) throw error;
      await retry.pauseAfter(error);
    }
  }
}
