import { type HandlerUse, useOf } from '../engine/handlers.ts';
import { run } from '../engine/run.ts';
import { expectFunction } from '../kernel/check.ts';
import type { Host } from '../kernel/host.ts';
import { expectOptions, ofOtherDoors } from '../kernel/take-options.ts';
import type { TryMessage } from './batch-run.ts';
import { claimMessage } from './claim-message.ts';
import { dispositionOfRun, isFoundDone } from './disposition.ts';
import { eachBy, type SqsHandler } from './each-by.ts';
import type { MessageHandler } from './message.ts';
import { type SqsOptions, sqsRows } from './options.ts';

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
 *   { operation: 'charge-order', store, schema: Order, key: bodyField('id'), onAbandoned: 'retry' },
 *   ({ body }, claim) => bank.charge(body, { idempotencyKey: claim.effectKey }),
 * );
 */
export function eachMessage<Body>(
  options: SqsOptions<Body> & { readonly host?: Host },
  handle: MessageHandler<Body>,
): SqsHandler {
  expectOptions(options, {
    door: 'eachMessage',
    known: sqsRows,
    refused: ofOtherDoors(sqsRows),
    docs: 'docs/reference/options.md',
  });
  expectFunction('the handler of eachMessage', 'a function, after the options', handle, 'wrong-handler');
  let use: HandlerUse | undefined;
  const tryMessage: TryMessage<Body> = async (consumer, one, deadline, mayTakeOver, { isNew, hasEnded }) => {
    use ??= useOf(options.store, options.operation, handle);
    const attempt = await claimMessage(consumer, one, deadline, mayTakeOver);
    if (attempt.kind === 'refused') {
      if (isFoundDone(attempt.disposition)) use.foundDone();
      return attempt.disposition;
    }
    use.hasRun();
    isNew();
    return dispositionOfRun(await run(consumer.engine, attempt.grant, handle, one.message, hasEnded));
  };
  return eachBy(options, tryMessage, {}, handle);
}
