import type { SQSRecord } from 'aws-lambda';
import { matchesPattern } from './event-pattern.ts';

type Pattern = Readonly<Record<string, unknown>>;

/** Whether a record is for the function: without filters, every record is. */
export function passes(filters: readonly Pattern[], event: unknown): boolean {
  return filters.length === 0 || filters.some((pattern) => matchesPattern(pattern, event));
}

/**
 * The same for a message. A pattern for the body is for a text, or for JSON. If the body is not what the pattern is for, the message
 * does not match.
 */
export function messagePasses(filters: readonly Pattern[], message: SQSRecord): boolean {
  return (
    filters.length === 0 ||
    filters.some((pattern) => {
      if (!('body' in pattern)) return matchesPattern(pattern, message);
      const body = jsonOf(message.body);
      if (Array.isArray(pattern['body'])) return body === undefined && matchesPattern(pattern, message);
      return body !== undefined && matchesPattern(pattern, { ...message, body });
    })
  );
}

/** The object in a text; `undefined` if it is none. */
function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
