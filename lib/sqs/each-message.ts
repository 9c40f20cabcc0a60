import type { Claim } from '../core/claim.ts';
import type { Host } from '../core/host.ts';
import { run, tooLate } from '../core/run.ts';
import { batchOf, createConsumer, orderOf, type Prepared, type Runnable } from './consumer.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent } from './event.ts';
import { type Fate, fateOfRun, keyReused, soon } from './fate.ts';
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
    const { records, deadline } = batchOf(event, context, settings.host);
    const batch = await Promise.all(records.map(consumer.prepare));
    const { limited, alone } = createLimit(consumer.concurrency);
    /** The first message of each key; those after it share its outcome instead of meeting its claim. */
    const firsts = new Map<string, { readonly fingerprint: string | undefined; readonly fate: Promise<Fate> }>();
    /** What was running when a worker died, and waits for its turn to run alone. */
    const suspects = new Set<Runnable<Body>>();
    const fates = new Map<Prepared<Body>, Fate>();

    async function fateOf(prepared: Prepared<Body>): Promise<Fate> {
      if (prepared.fate !== undefined) return prepared.fate;
      const { fingerprint, identity, record } = prepared;
      const first = firsts.get(identity.id);
      if (first !== undefined) {
        if (first.fingerprint !== fingerprint) return keyReused;
        claims.emit(identity, 'repeated', { messageId: record.messageId });
        return first.fate;
      }
      const fate = attempt(prepared);
      firsts.set(identity.id, { fingerprint, fate });
      return fate;
    }

    /** Whatever may have killed a worker runs alone, after the others, so that it takes none of them along. */
    async function attempt(prepared: Runnable<Body>): Promise<Fate> {
      const tried = await limited(async () => {
        const fate = await tryOne(prepared, false);
        if (!('suspect' in fate)) return { fate };
        suspects.add(prepared);
        // In line before this slot is free: or the first suspect to get there would not wait for the less suspect ones.
        return { fate: alone(fate.suspect, () => attemptAlone(prepared)) };
      });
      return tried.fate;
    }

    async function attemptAlone(prepared: Runnable<Body>): Promise<Fate> {
      suspects.delete(prepared);
      await sparingOthers(prepared);
      const fate = await tryOne(prepared, true);
      return 'suspect' in fate ? soon : fate;
    }

    /** Should this one kill the worker again, the others come back before it does, and finish without it. */
    async function sparingOthers(prepared: Runnable<Body>): Promise<void> {
      if (suspects.size === 0) return;
      const seconds = Math.ceil((deadline - settings.host.now()) / 1000) + 1;
      await consumer.setVisibility([
        { ...prepared, seconds: 2 * seconds + 10 },
        ...[...suspects].map((other) => ({ ...other, seconds })),
      ]);
    }

    async function tryOne(prepared: Runnable<Body>, mayTakeOver: boolean): Promise<Fate | { suspect: number }> {
      if (tooLate(claims, prepared.identity, deadline)) return soon;
      const acquired = await consumer.acquire(prepared, deadline, mayTakeOver);
      if (!('record' in acquired)) return acquired;
      return fateOfRun(await run(claims, acquired, handle, prepared.message));
    }

    async function inOrder(chain: readonly Prepared<Body>[]): Promise<void> {
      let blocked = false;
      for (const prepared of chain) {
        const fate: Fate = blocked ? soon : await fateOf(prepared);
        fates.set(prepared, fate);
        blocked ||= fate.fate !== 'done';
      }
    }

    await Promise.all([...orderOf(batch)].map(inOrder));
    return consumer.conclude(new Map(batch.map((prepared) => [prepared, fates.get(prepared) ?? soon])));
  };
}
