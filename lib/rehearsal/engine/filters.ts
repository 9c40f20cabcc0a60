import type { SQSRecord } from 'aws-lambda';
import { jsonIn } from './app/template.ts';
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
      const body = jsonIn(message.body);
      const isObject = typeof body === 'object' && body !== null;
      if (Array.isArray(pattern['body'])) return !isObject && matchesPattern(pattern, message);
      return isObject && matchesPattern(pattern, { ...message, body });
    })
  );
}
