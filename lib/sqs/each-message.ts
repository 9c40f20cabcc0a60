import type { Claim } from '../claims/claim.ts';
import { run } from '../claims/run.ts';
import { expect } from '../kernel/check.ts';
import type { Host } from '../kernel/host.ts';
import { expectOptions, ofHttp } from '../kernel/take-options.ts';
import { BatchRun, type TryMessage } from './batch-run.ts';
import { claimMessage } from './claim-message.ts';
import { createConsumer } from './consumer.ts';
import { dispositionOfRun } from './disposition.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent } from './event.ts';
import type { Message } from './message.ts';
import { type SqsOptions, sqsOptionNames } from './options.ts';
import { receive } from './receive.ts';

/** A Lambda handler of batches of SQS. */
export type SqsHandler = (event: SqsEvent, context: InvocationContext) => Promise<SqsBatchResponse>;

/** Handles one message under its claim. What it returns is its result; what it throws is decided by `onAbandoned`. */
export type MessageHandler<Body> = (message: Message<Body>, claim: Claim) => Promise<unknown> | unknown;

/**
 * A Lambda handler for an SQS queue whose effect happens once per key. Needs `ReportBatchItemFailures` on the event
 * source.
 *
 * Each message is claimed just before it starts, up to `concurrency` at once, and completed as it finishes. On a FIFO
 * queue the messages of a group run in order, and nothing of a group runs after one that did not finish. Nothing starts
 * that cannot end before the invocation does. The batch response names exactly the messages that are to come again.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * export const handler = eachMessage(
 *   { operation: 'issue-gift-card', store, schema: Order, key: bodyField('orderId'), onAbandoned: 'retry' },
 *   async ({ body }, claim) => giftCards.issue(body, { idempotencyKey: claim.effectKey }),
 * );
 */
export function eachMessage<Body>(
  options: SqsOptions<Body> & { readonly host?: Host },
  handle: MessageHandler<Body>,
): SqsHandler {
  expectOptions(options, { door: 'eachMessage', known: sqsOptionNames, refused: ofHttp, docs: 'docs/reference/options.md' });
  expect(
    typeof handle === 'function',
    'the handler of eachMessage',
    'a function, after the options',
    handle,
    'wrong-handler',
  );
  return eachBy(options, async (consumer, one, deadline, mayTakeOver) => {
    const attempt = await claimMessage(consumer, one, deadline, mayTakeOver);
    if (attempt.kind === 'refused') return attempt.disposition;
    return dispositionOfRun(await run(consumer.engine, attempt.grant, handle, one.message));
  });
}

/** A handler of batches that tries each message in this way. @internal */
export function eachBy<Body>(options: SqsOptions<Body>, tryMessage: TryMessage<Body>): SqsHandler {
  const consumer = createConsumer(options);
  return async function handler(event, context) {
    const received = receive(consumer.settings.host, event, context);
    return new BatchRun(consumer, tryMessage, received).run();
  };
}
