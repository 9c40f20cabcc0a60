import type { MiddlewareObj, Request } from '@middy/core';
import type { Held } from '../core/claims.ts';
import type { Host } from '../core/host.ts';
import { recordedError } from '../core/record.ts';
import { usableMs } from '../core/run.ts';
import { createConsumer, deadlineOf, orderOf, type Prepared, type Runnable, recordsOf } from '../sqs/consumer.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent } from '../sqs/event.ts';
import { again, done, type Fate, fateOfRun } from '../sqs/fate.ts';
import { createLimit } from '../sqs/limit.ts';
import type { SqsOptions } from '../sqs/options.ts';
import { failAll, type Said, understand } from './responses.ts';

/**
 * The options of the middleware. Those that reach into the handling of one message (`leaseMs`, `timeoutMs`,
 * `marksEffect`) are only for `eachMessage`: a batch handler holds all its claims for the rest of the invocation.
 */
export type SqsOnceOptions<Body> = Omit<SqsOptions<Body>, 'leaseMs' | 'timeoutMs' | 'marksEffect'>;

/** What Middy hands to each hook, as far as it matters here. */
type BatchRequest = Request<SqsEvent, unknown, Error, Context, Record<string, unknown>>;
type Context = Request['context'];

/** What one request has claimed. Kept per request: an error hook must never touch a claim that it did not take. */
interface Batch<Body> {
  readonly fates: Map<Prepared<Body>, Fate>;
  readonly granted: readonly { readonly prepared: Runnable<Body>; readonly held: Held }[];
  /** Keys repeated in the batch: they share the fate of the first. */
  readonly repeats: readonly { readonly prepared: Runnable<Body>; readonly first: Runnable<Body> }[];
  concluded: boolean;
}

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
  const consumer = createConsumer<Body>(options);
  const { claims, settings } = consumer;

  async function claimBatch(event: SqsEvent, context: InvocationContext): Promise<Batch<Body>> {
    const deadline = deadlineOf(context, settings.host);
    const prepared = await Promise.all(recordsOf(event).map(consumer.prepare));
    const limit = createLimit(consumer.concurrency);
    const fates = new Map<Prepared<Body>, Fate>();
    const held = new Map<Prepared<Body>, Held>();
    const firsts = new Map<string, Runnable<Body>>();
    const repeats: { prepared: Runnable<Body>; first: Runnable<Body> }[] = [];

    /** Answers whether the message may run, or has run: only then may the next of its group. */
    async function claimOne(one: Prepared<Body>): Promise<boolean> {
      if (one.fate !== undefined) {
        fates.set(one, one.fate);
        return false;
      }
      const first = firsts.get(one.identity.id);
      if (first !== undefined) {
        claims.emit(one.identity, { type: 'repeated', messageId: one.record.messageId });
        repeats.push({ prepared: one, first });
        return true;
      }
      firsts.set(one.identity.id, one);
      const acquired = await limit(() => consumer.acquire(one, deadline));
      if ('fate' in acquired) {
        fates.set(one, acquired);
        return acquired.fate === 'done';
      }
      held.set(one, acquired);
      return true;
    }

    await Promise.all(
      orderOf(prepared).map(async (chain) => {
        let open = true;
        for (const one of chain) {
          if (open) open = await claimOne(one);
          else fates.set(one, again);
        }
      }),
    );
    const granted = prepared.flatMap((one) => {
      const claim = held.get(one);
      return claim !== undefined && one.fate === undefined ? [{ prepared: one, held: claim }] : [];
    });
    return { fates, granted, repeats, concluded: false };
  }

  /** Records what the handler said of each message it was given. */
  async function recordBatch(batch: Batch<Body>, said: readonly Said[]): Promise<SqsBatchResponse> {
    const limit = createLimit(consumer.concurrency);
    await Promise.all(
      batch.granted.map(({ prepared, held }, index) =>
        limit(async () => {
          const verdict = said[index];
          if (verdict === undefined) return;
          batch.fates.set(
            prepared,
            verdict.ok ? await succeeded(held, verdict.value) : await failed(held, verdict.error),
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
    return fateOfRun({ applied: false, recorded, error });
  }

  async function concludeBatch(batch: Batch<Body>): Promise<SqsBatchResponse> {
    batch.concluded = true;
    for (const { prepared, first } of batch.repeats) batch.fates.set(prepared, batch.fates.get(first) ?? again);
    return consumer.conclude(batch.fates);
  }

  return {
    async before(request: BatchRequest) {
      const batch = await claimBatch(request.event, request.context);
      request.internal[internalKey] = batch;
      const [first] = batch.granted;
      if (first !== undefined && usableMs(claims, first.held) <= 0) {
        // Claiming took what time there was. Given back unharmed: nothing has started.
        const error = new Error('too little time was left after the claims were taken');
        for (const { prepared, held } of batch.granted) {
          await claims.fail(held, error, 'before');
          batch.fates.set(prepared, again);
        }
        return concludeBatch(batch);
      }
      // An early answer: a handler must never see an empty batch, which many of them take for an error.
      if (first === undefined) return concludeBatch(batch);
      // Copies: a handler that changes its event must not change which messages we answer for.
      request.event = {
        ...request.event,
        Records: batch.granted.map(({ prepared }) => structuredClone(prepared.record)),
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
