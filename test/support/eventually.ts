import { setTimeout as sleep } from 'node:timers/promises';

/** More than any machine needs for what a test waits for, and less than a test has: what was awaited is said, and not that a test took too long. */
const patienceMs = 100_000;

/**
 * Waits until something is so, however long the machine takes. Expires with what was awaited, and with why it is not so.
 *
 * @param what is awaited, for the message
 * @param look throws while it is not so; what it returns is returned
 */
export async function eventually<T>(what: string, look: () => T | Promise<T>, pauseMs = 20): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    try {
      return await look();
    } catch (cause) {
      if (performance.now() >= end) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`After ${patienceMs / 1000} s this has not come: ${what}. ${why}`, { cause });
      }
    }
    await sleep(pauseMs);
  }
}
