import { remainingTime } from '../kernel/check.ts';
import { explainedError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { shapeOf } from '../payload/event-shape.ts';
import type { Invocation } from './delivery.ts';
import type { InvocationContext, SqsEvent, SqsRecord } from './event.ts';

/** A batch as a worker receives it. */
export interface Received extends Invocation {
  readonly records: readonly SqsRecord[];
}

/**
 * The messages of an invocation, and when it will be stopped.
 *
 * @throws TypeError when it is not a batch of SQS messages, or not any more as SQS sent it; OptionError when the context says no time. Nothing has run then
 */
export function receive(host: Pick<Host, 'now'>, event: SqsEvent, context: InvocationContext): Received {
  expectSqs(event);
  if (typeof context?.getRemainingTimeInMillis !== 'function') {
    throw explainedError(
      TypeError,
      "expected Lambda's context as the second argument, with getRemainingTimeInMillis(); hand it on",
      'missing-context',
    );
  }
  const records: readonly SqsRecord[] = event.Records;
  for (const record of records) expectText(record);
  const startedAt = host.now();
  const remainingMs = remainingTime('getRemainingTimeInMillis()', context.getRemainingTimeInMillis());
  return { records, startedAt, deadline: startedAt + remainingMs };
}

/** @throws TypeError unless it is a batch of SQS */
function expectSqs(event: SqsEvent): void {
  const records: unknown = event?.Records;
  // Tests leave `eventSource` out; Lambda does not.
  const source = Array.isArray(records) && records.length > 0 ? propertyOf(records[0], 'eventSource') : undefined;
  const isSqs = source === undefined ? !has(records, 'EventSource') : source === 'aws:sqs';
  if (Array.isArray(records) && isSqs) return;
  const { looksLike, advice } = shapeOf(event);
  throw explainedError(
    TypeError,
    `expected an event of SQS; this looks like ${looksLike}. Nothing was run. What to do: ${advice}`,
    'wrong-event',
  );
}

function has(records: unknown, name: string): boolean {
  return Array.isArray(records) && propertyOf(records[0], name) !== undefined;
}

/**
 * What another middleware has parsed is no longer what was sent: numbers are rounded, and two intents may have become one.
 * @throws TypeError
 */
function expectText({ body }: SqsRecord): void {
  if (typeof body === 'string') return;
  const came = body === null ? 'null' : `of type ${typeof body}`;
  throw explainedError(
    TypeError,
    `the body of a message is ${came}, and not the text that SQS sent: another middleware has parsed it. Nothing was run, and the ` +
      'messages stay on their queue. Put pawl before what parses bodies: `.use(sqsOnce(…)).use(eventNormalizer())`',
    'parsed-body',
  );
}
