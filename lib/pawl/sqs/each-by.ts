import type { Claim } from '../engine/claim.ts';
import { type HandlerUse, useOf } from '../engine/handlers.ts';
import { run } from '../engine/run.ts';
import { expectFunction } from '../kernel/check.ts';
import { expectOptions, ofOtherDoors } from '../kernel/take-options.ts';
import { BatchRun, type TryMessage } from './batch-run.ts';
import { claimMessage } from './claim-message.ts';
import { conclude } from './conclude.ts';
import { createConsumer, type DoorRules } from './consumer.ts';
import type { Delivery } from './delivery.ts';
import { dispositionOfRun, isFoundDone } from './disposition.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent } from './event.ts';
import type { Message } from './message.ts';
import { type SqsOptions, sqsRows } from './options.ts';
import { receive } from './receive.ts';
import { Suspects } from './suspects.ts';
import type { WayToSqs } from './transport.ts';

/** A Lambda handler of batches of SQS. */
export type SqsHandler = (event: SqsEvent, context: InvocationContext) => Promise<SqsBatchResponse>;

/**
 * Handles one message under its claim. What it returns is its result; what it throws is decided by `onAbandoned`.
 *
 * @example
 * const send: MessageHandler<Order> = async ({ body }, claim) => {
 *   await claim.effect(() => mailer.send(body));
 * };
 */
export type MessageHandler<Body> = (message: Message<Body>, claim: Claim) => Promise<unknown> | unknown;

/** The handler of `eachMessage`, over a way to SQS. @throws OptionError when an option is missing or out of range */
export function eachMessageOver<Body>(
  wayToSqs: WayToSqs,
  options: SqsOptions<Body>,
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
  return eachBy(wayToSqs, options, async (consumer, one, deadline, mayTakeOver, { isNew, hasEnded }) => {
    use ??= useOf(options.store, options.operation, handle);
    const attempt = await claimMessage(consumer, one, deadline, mayTakeOver);
    if (attempt.kind === 'refused') {
      if (isFoundDone(attempt.disposition)) use.foundDone();
      return attempt.disposition;
    }
    use.hasRun();
    isNew();
    return dispositionOfRun(await run(consumer.engine, attempt.grant, handle, one.message, hasEnded));
  });
}

/** A handler of batches that tries each message in this way. @internal */
export function eachBy<Body>(
  wayToSqs: WayToSqs,
  options: SqsOptions<Body>,
  tryMessage: TryMessage<Body>,
  rules?: DoorRules,
): SqsHandler {
  const consumer = createConsumer(options, wayToSqs, rules);
  return async function handler(event, context) {
    const { host, marginMs } = consumer.settings;
    const received = receive(host, event, context);
    const { deadline, records } = received;
    const batch = records.map((record): Delivery => ({ record }));
    const suspects = new Suspects(consumer, deadline);
    const until = deadline - marginMs;
    await new BatchRun(consumer, tryMessage, { batch, invocation: received, until, suspects }).run();
    return conclude(consumer, batch, received);
  };
}
