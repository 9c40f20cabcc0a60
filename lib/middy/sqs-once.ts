import type { MiddlewareObj, Request } from '@middy/core';
import type { Held } from '../core/held.ts';
import type { Host } from '../core/host.ts';
import { recordedError } from '../core/record.ts';
import { tooLate } from '../core/run.ts';
import { lineOf } from '../core/text.ts';
import { createConsumer } from '../sqs/consumer.ts';
import type { SqsBatchResponse, SqsEvent } from '../sqs/event.ts';
import { again, done, type Fate, fateOfRun, soon } from '../sqs/fate.ts';
import { withEach } from '../sqs/limit.ts';
import type { SqsOptions } from '../sqs/options.ts';
import { type Claimed, claimBatch, grantedOf } from './claim-batch.ts';
import { failed, type Told, understand } from './responses.ts';

/**
 * The options of the middleware. Those that reach into the handling of one message (`lease`, `timeoutMs`,
 * `marksEffect`) are only for `eachMessage`: a batch handler holds all its claims for the rest of the invocation.
 */
export type SqsOnceOptions<Body> = Omit<SqsOptions<Body>, 'lease' | 'timeoutMs' | 'marksEffect'>;

/** What Middy hands to each hook, as far as it matters here. */
type BatchRequest = Request<SqsEvent, unknown, Error, Context, Record<string, unknown>>;
type Context = Request['context'];

/**
 * A Middy middleware for a batch handler that exists: its messages are claimed before it, it is given only those that
 * may run, and what it answers is recorded after it. It understands `PromiseSettledResult[]`, `{ batchItemFailures }`,
 * nothing, and a throw.
 *
 * All claims of a batch are taken before the handler starts, so a worker that dies leaves all of them in doubt; with
 * `onAbandoned: 'park'` prefer `eachMessage`, or small batches. `.use` it last: then nothing runs between the handler
 * and the recording of what it did. Set Middy's `timeoutEarlyInMillis` to 0: its early timeout does not stop the handler.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * export const handler = middy(existingBatchHandler, { timeoutEarlyInMillis: 0 }).use(
 *   sqsOnce({ operation: 'send-email', store, key: bodyField('orderId'), onAbandoned: 'retry' }),
 * );
 */
export function sqsOnce<Body = unknown>(
  options: SqsOnceOptions<Body> & { readonly host?: Host },
): MiddlewareObj<SqsEvent, unknown, Error, Context, Record<string, unknown>> {
  // A batch handler's claims last as long as the invocation: nothing would renew a shorter lease.
  const given = { ...options, lease: undefined, timeoutMs: undefined } as unknown as SqsOptions<Body>;
  const consumer = createConsumer(given);
  const { claims, settings } = consumer;

  /** Gives each message that was handed on its fate, and answers Lambda. */
  async function conclude(
    batch: readonly Claimed[],
    fateOf: (held: Held, index: number) => Promise<Fate>,
  ): Promise<SqsBatchResponse> {
    await withEach(grantedOf(batch).entries(), settings.concurrency, async ([index, one]) => {
      one.fate = await fateOf(one.held, index);
    });
    for (const one of batch) one.fate ??= one.first?.fate;
    return consumer.conclude(batch);
  }

  /** Records what the handler said of each message it was given. */
  async function answer(request: BatchRequest, whatOf: (granted: readonly Claimed[]) => Told): Promise<void> {
    const batch = request.internal['pawl'] as readonly Claimed[] | undefined;
    // Another middleware failed before our claims were taken, or after they were recorded. Neither is ours to undo.
    if (batch === undefined) return;
    request.internal['pawl'] = undefined;
    const told = whatOf(grantedOf(batch));
    request.response = await conclude(batch, async (held, index) => {
      const { status, value, reason } = told(index) ?? {};
      // Its claim stays in flight: freed now, the message would run beside itself.
      if (status === 'running') return again;
      if (status === 'fulfilled') {
        await claims.succeed(held, value);
        return done;
      }
      const error = reason ?? new Error('the handler answered nothing for this message');
      const recorded = await claims.fail(held, error, 'unmarked');
      return fateOfRun({ ran: 'threw', recorded, error, retryAfterMs: settings.unsettledMs });
    });
  }

  return {
    async before(request: BatchRequest) {
      if (request.internal['pawl']) throw new Error('sqsOnce: use it once on a handler');
      const batch = await claimBatch(consumer, request.event, request.context);
      const granted = grantedOf(batch);
      const held = granted[0]?.held;
      const error = held && tooLate(claims, held.identity, held.record.leaseUntil);
      // An early answer: a handler must never see an empty batch, which many of them take for an error. Or claiming took what
      // time there was, and all is given back unharmed: nothing has started.
      if (held === undefined || error !== undefined) {
        return conclude(batch, async (given) => {
          await claims.fail(given, error, 'before');
          return soon;
        });
      }
      request.internal['pawl'] = batch;
      // Copies: a handler that changes its event must not change which messages we answer for.
      request.event = { ...request.event, Records: granted.map(({ original }) => structuredClone(original)) };
      return undefined;
    },

    async after(request: BatchRequest) {
      await answer(request, (granted) =>
        understand(
          request.response,
          granted.map(({ record }) => record.messageId),
        ),
      );
    },

    async onError(request: BatchRequest) {
      await answer(request, (granted) => toldByThrow(request.error, granted.length));
    },
  };
}

function toldByThrow(cause: unknown, messages: number): Told {
  const { name, cause: origin } = Object(cause);
  // An early timeout of Middy's: the handler is still running.
  if (name === 'TimeoutError' && Object(origin).package === '@middy/core') return () => ({ status: 'running' });
  // A throw is about the batch. What it says of one message is only clear when there was only one.
  if (messages === 1) return failed(cause);
  return failed(new Error(`the batch handler threw ${lineOf(recordedError(cause))}`, { cause }));
}
