import { setTimeout as sleep } from 'node:timers/promises';

/** How often it is looked for, at most. Counted in looks and not in seconds: on a machine that is busy each look takes longer, and so does what is awaited. */
const looks = 4000;

/**
 * Waits until something is so, however long the machine takes. Expires with what was awaited, and with why it is not so.
 *
 * @param what is awaited, for the message
 * @param look throws while it is not so; what it returns is returned
 */
export async function eventually<T>(what: string, look: () => T | Promise<T>, pauseMs = 20): Promise<T> {
  for (let left = looks; ; left--) {
    try {
      return await look();
    } catch (cause) {
      if (left === 1) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`In ${looks} looks this has not come: ${what}. ${why}`, { cause });
      }
    }
    await sleep(pauseMs);
  }
}
