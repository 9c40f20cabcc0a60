import type { Host } from '../kernel/host.ts';
import type { Invocation } from './delivery.ts';
import type { InvocationContext, SqsEvent, SqsRecord } from './event.ts';

/** A batch as a worker receives it. */
export interface Received extends Invocation {
  readonly records: readonly SqsRecord[];
}

/**
 * The messages of an invocation, and when it will be stopped.
 *
 * @throws TypeError when it is not a batch of SQS messages, or not any more as SQS sent it. Nothing has run then
 */
export function receive(host: Pick<Host, 'now'>, event: SqsEvent, context: InvocationContext): Received {
  if (!Array.isArray(event?.Records) || !context?.getRemainingTimeInMillis) {
    throw new TypeError('expected an SQS event and a Lambda context');
  }
  const records: readonly SqsRecord[] = event.Records;
  for (const record of records) expectText(record);
  const startedAt = host.now();
  return { records, startedAt, deadline: startedAt + context.getRemainingTimeInMillis() };
}

/**
 * What another middleware has parsed is no longer what was sent: numbers are rounded, and two intents may have become one.
 * @throws TypeError
 */
function expectText({ body }: SqsRecord): void {
  if (typeof body === 'string') return;
  const came = body === null ? 'null' : `of type ${typeof body}`;
  throw new TypeError(
    `the body of a message is ${came}, and not the text that SQS sent: another middleware has parsed it. Nothing was run, and the ` +
      'messages stay on their queue. Put pawl before what parses bodies: `.use(sqsOnce(…)).use(eventNormalizer())`',
  );
}
