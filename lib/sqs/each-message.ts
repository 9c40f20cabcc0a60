import type { Host } from '../core/host.ts';
import { type Claim, run } from '../core/run.ts';
import { createConsumer, deadlineOf, orderOf, type Prepared, type Runnable, recordsOf } from './consumer.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent } from './event.ts';
import { again, type Fate, fateOfRun } from './fate.ts';
import { createLimit } from './limit.ts';
import type { Message } from './message.ts';
import type { SqsOptions } from './options.ts';

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
): (event: SqsEvent, context: InvocationContext) => Promise<SqsBatchResponse> {
  const consumer = createConsumer(options);
  const { claims, settings } = consumer;

  return async function handler(event, context) {
    const deadline = deadlineOf(context, settings.host);
    const batch = await Promise.all(recordsOf(event).map(consumer.prepare));
    const limit = createLimit(consumer.concurrency);
    /** The first message of each key; those after it share its outcome instead of meeting its claim. */
    const firsts = new Map<string, Promise<Fate>>();
    const fates = new Map<Prepared<Body>, Fate>();

    async function fateOf(prepared: Prepared<Body>): Promise<Fate> {
      if (prepared.fate !== undefined) return prepared.fate;
      const { id } = prepared.identity;
      const first = firsts.get(id);
      if (first !== undefined) {
        claims.emit({ id }, { type: 'repeated', messageId: prepared.record.messageId });
        return first;
      }
      const fate = limit(() => attempt(prepared));
      firsts.set(id, fate);
      return fate;
    }

    async function attempt(prepared: Runnable<Body>): Promise<Fate> {
      const remainingMs = deadline - settings.marginMs - settings.host.now();
      if (remainingMs <= settings.timeoutMs) {
        claims.emit(prepared.identity, { type: 'not-started', remainingMs });
        return again;
      }
      const acquired = await consumer.acquire(prepared, deadline);
      if ('fate' in acquired) return acquired;
      return fateOfRun(await run(claims, acquired, (claim) => handle(prepared.message, claim)));
    }

    async function inOrder(chain: readonly Prepared<Body>[]): Promise<void> {
      let blocked = false;
      for (const prepared of chain) {
        const fate: Fate = blocked ? again : await fateOf(prepared);
        fates.set(prepared, fate);
        blocked ||= fate.fate !== 'done';
      }
    }

    await Promise.all(orderOf(batch).map(inOrder));
    return consumer.conclude(new Map(batch.map((prepared) => [prepared, fates.get(prepared) ?? again])));
  };
}
