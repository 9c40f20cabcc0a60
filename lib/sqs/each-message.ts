import type { Claim } from '../core/claim.ts';
import type { Host } from '../core/host.ts';
import { run } from '../core/run.ts';
import { type Consumer, createConsumer, inOrder, type Runnable } from './consumer.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent } from './event.ts';
import { type Fate, fateOfRun } from './fate.ts';
import { createLimit } from './limit.ts';
import type { Message } from './message.ts';
import type { SqsOptions } from './options.ts';
import type { Delivery } from './queue.ts';

/** A message on its way to its handler. */
interface Handled<Body> extends Delivery {
  message?: Message<Body> | undefined;
  /** When its fate is known for good, which those that repeat its key wait for. */
  ended?: Promise<void>;
}

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
 * that cannot end before the invocation does. The answer names exactly the messages that are to come again.
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
  return eachBy(options, (consumer) => async (one, deadline, mayTakeOver) => {
    const acquired = await consumer.acquire(one, deadline, mayTakeOver);
    return 'fate' in acquired ? acquired : fateOfRun(await run(consumer.claims, acquired, handle, one.message));
  });
}

/** Tries one message, and answers what becomes of it. */
export type TryOne<Body> = (one: Runnable<Body>, deadline: number, mayTakeOver: boolean) => Promise<Fate>;

/** A consumer that tries each message of a batch in this way. @internal */
export function eachBy<Body>(options: SqsOptions<Body>, way: (consumer: Consumer<Body>) => TryOne<Body>): SqsHandler {
  const consumer = createConsumer(options);
  const { settings } = consumer;
  const tryOne = way(consumer);

  return async function handler(event, context) {
    const { records, deadline, firstOf } = consumer.receive<Handled<Body> & Runnable<Body>>(event, context);
    const batch = records.map((record): Handled<Body> => ({ record }));
    const inTurn = createLimit(settings.concurrency);
    /** What was running when a worker died, and waits for its turn to run alone. */
    const suspects = new Set<Runnable<Body>>();

    /** Answers what the message goes on to wait for without keeping others from their turn. */
    async function attempt(delivery: Handled<Body>): Promise<{ readonly until?: Promise<void> | undefined }> {
      const one = await consumer.prepare(delivery);
      const first = one && firstOf(one);
      if (one === undefined || one.fate !== undefined) return {};
      if (first !== undefined) return { until: share(first, one) };
      const fate = await tryOne(one, deadline, false);
      one.fate = fate;
      if (fate.suspect === undefined) return {};
      suspects.add(one);
      // In line before this slot is free: or the first suspect to get there would not wait for the less suspect ones.
      return { until: inTurn(() => attemptAlone(one), fate.suspect) };
    }

    async function share(first: Handled<Body>, one: Handled<Body>): Promise<void> {
      await first.ended;
      one.fate = first.fate;
    }

    /** Whatever may have killed a worker runs alone, after the others, so that it takes none of them along. */
    async function attemptAlone(one: Runnable<Body>): Promise<void> {
      suspects.delete(one);
      if (suspects.size > 0) {
        // Should this one kill the worker again, the others come back before it does, and finish without it.
        const seconds = Math.ceil((deadline - settings.host.now()) / 1000) + 1;
        await consumer.setVisibility([
          { ...one, seconds: 2 * seconds + 10 },
          ...Array.from(suspects, (other) => ({ ...other, seconds })),
        ]);
      }
      one.fate = await tryOne(one, deadline, true);
    }

    async function finish(one: Handled<Body>): Promise<void> {
      const { until } = await inTurn(() => attempt(one));
      await until;
      // A large batch would otherwise hold all its bodies to its end.
      one.message = undefined;
    }

    await inOrder(batch, (one) => {
      one.ended = finish(one);
      return one.ended;
    });
    return consumer.conclude(batch);
  };
}
