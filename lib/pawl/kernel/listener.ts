import { letFail } from './unknown.ts';

/**
 * Calls a function of the author's that only hears of something: the one way in which pawl calls a listener. Never throws, and waits for nothing.
 *
 * What the listener throws must not look like a failure of what it is told about: an effect may just have happened. A promise that it returns is not
 * awaited, and may reject: Node would end the process for that.
 */
export function callListener<Args extends readonly unknown[]>(
  listener: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void {
  try {
    letFail(listener?.(...args));
  } catch {
    // There is no listener left to tell.
  }
}

/** Writes an event as one line of JSON to the console, where CloudWatch Logs picks it up. */
export function printEvent({ type, ...facts }: { readonly type: string }): void {
  console.warn(JSON.stringify({ pawl: type, ...facts }));
}
