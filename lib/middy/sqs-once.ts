import type { MiddlewareObj, Request } from '@middy/core';
import type { Held } from '../core/held.ts';
import type { Host } from '../core/host.ts';
import { recordedError } from '../core/record.ts';
import { tooLate } from '../core/run.ts';
import { createConsumer } from '../sqs/consumer.ts';
import type { SqsBatchResponse, SqsEvent } from '../sqs/event.ts';
import { again, done, type Fate, fateOfRun, soon } from '../sqs/fate.ts';
import { createLimit } from '../sqs/limit.ts';
import type { SqsOptions } from '../sqs/options.ts';
import { type Batch, claimBatch } from './claim-batch.ts';
import { failAll, type Said, understand } from './responses.ts';

/**
 * The options of the middleware. Those that reach into the handling of one message (`lease`, `timeoutMs`,
 * `marksEffect`) are only for `eachMessage`: a batch handler holds all its claims for the rest of the invocation.
 */
export type SqsOnceOptions<Body> = Omit<SqsOptions<Body>, 'lease' | 'timeoutMs' | 'marksEffect'>;

/** What Middy hands to each hook, as far as it matters here. */
type BatchRequest = Request<SqsEvent, unknown, Error, Context, Record<string, unknown>>;
type Context = Request['context'];

const internalKey = 'pawl';

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
  const given = {
    ...options,
    lease: undefined,
    timeoutMs: undefined,
    marksEffect: undefined,
  } as unknown as SqsOptions<Body>;
  const consumer = createConsumer<Body>(given);
  const { claims, settings } = consumer;

  /** Records what the handler said of each message it was given. */
  async function recordBatch(batch: Batch<Body>, said: readonly Said[]): Promise<SqsBatchResponse> {
    const { limited } = createLimit(consumer.concurrency);
    await Promise.all(
      batch.granted.map(({ prepared, held }, index) =>
        limited(async () => {
          const verdict = said[index];
          batch.fates.set(
            prepared,
            verdict?.ok ? await succeeded(held, verdict.value) : await failed(held, verdict?.error),
          );
        }),
      ),
    );
    return concludeBatch(batch);
  }

  async function succeeded(held: Held, value: unknown): Promise<Fate> {
    await claims.succeed(held, value);
    return done;
  }

  async function failed(held: Held, error: unknown): Promise<Fate> {
    const recorded = await claims.fail(held, error, 'unmarked');
    return fateOfRun({ ran: 'threw', recorded, error, retryAfterMs: settings.unsettledMs });
  }

  async function concludeBatch(batch: Batch<Body>): Promise<SqsBatchResponse> {
    batch.concluded = true;
    for (const { prepared, first } of batch.repeats) batch.fates.set(prepared, batch.fates.get(first) ?? soon);
    return consumer.conclude(batch.fates);
  }

  return {
    async before(request: BatchRequest) {
      if (request.internal[internalKey])
        throw new Error('sqsOnce: use it once on a handler; one message has one effect');
      const batch = await claimBatch(consumer, request.event, request.context);
      request.internal[internalKey] = batch;
      const [first] = batch.granted;
      const error = first && tooLate(claims, first.prepared.identity, first.held.record.leaseUntil);
      if (error !== undefined) {
        // Claiming took what time there was. Given back unharmed: nothing has started.
        for (const { prepared, held } of batch.granted) {
          await claims.fail(held, error, 'before');
          batch.fates.set(prepared, soon);
        }
        return concludeBatch(batch);
      }
      // An early answer: a handler must never see an empty batch, which many of them take for an error.
      if (first === undefined) return concludeBatch(batch);
      // Copies: a handler that changes its event must not change which messages we answer for.
      request.event = {
        ...request.event,
        Records: batch.granted.map(({ original }) => structuredClone(original)),
      };
      return undefined;
    },

    async after(request: BatchRequest) {
      const batch = request.internal[internalKey] as Batch<Body> | undefined;
      if (batch === undefined || batch.concluded) return;
      request.response = await recordBatch(batch, understand(request.response, messageIdsOf(batch)));
    },

    async onError(request: BatchRequest) {
      const batch = request.internal[internalKey] as Batch<Body> | undefined;
      // Another middleware failed before our claims were taken, or after they were recorded. Neither is ours to undo.
      if (batch === undefined || batch.concluded) return;
      const { error } = request;
      if (isEarlyTimeout(error)) {
        // The handler is still running. Its claims stay in flight: freed now, its messages would run beside it.
        for (const { prepared } of batch.granted) batch.fates.set(prepared, again);
        request.response = await concludeBatch(batch);
        return;
      }
      request.response = await recordBatch(batch, saidByThrow(error, batch));
    },
  };

  /** A throw is about the batch. What it says of one message is only clear when there was only one. */
  function saidByThrow(error: unknown, batch: Batch<Body>): readonly Said[] {
    if (batch.granted.length === 1) return [{ ok: false, error }];
    const { name, message } = recordedError(error);
    return failAll(messageIdsOf(batch), `the batch handler threw ${name}: ${message}`, error);
  }
}

function messageIdsOf<Body>(batch: Batch<Body>): readonly string[] {
  return batch.granted.map(({ prepared }) => prepared.record.messageId);
}

function isEarlyTimeout(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'TimeoutError') return false;
  return (error.cause as { package?: unknown } | undefined)?.package === '@middy/core';
}
