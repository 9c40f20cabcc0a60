import { type ErrorCode, explained } from './error-code.ts';

const warned = new Set<string>();

/**
 * Warns of a mistake in how a function is set up, once in a cold start: its author has to know, and a line for each message would only bury the
 * others. To the console, and not to `onEvent`: nothing happened to a claim.
 *
 * @param subject what the mistake is in: an operation
 */
export function warnOnce(code: ErrorCode, subject: string, message: string): void {
  const name = `${code} ${subject}`;
  if (warned.has(name)) return;
  warned.add(name);
  console.warn(`pawl: ${explained(message, code)}`);
}
