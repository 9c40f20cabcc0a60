import type { MiddlewareObj, Request } from '@middy/core';
import { emit } from '../claims/engine.ts';
import { fail, succeed } from '../claims/record-outcome.ts';
import { tooLate } from '../claims/run.ts';
import { RetryableError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions, ofHttp } from '../kernel/take-options.ts';
import { createConsumer } from '../sqs/consumer.ts';
import type { SqsBatchResponse, SqsEvent } from '../sqs/event.ts';
import { again, done, type Fate, fateOfRun, soon } from '../sqs/fate.ts';
import { withEach } from '../sqs/limit.ts';
import { type SqsOptions, sqsOptionNames } from '../sqs/options.ts';
import { type ClaimedBatch, claimBatch, grantedOf } from './claim-batch.ts';
import { watchForEarlyAnswer } from './early-answers.ts';
import { type Said, type Told, toldByThrow, toldOfAll, understand } from './responses.ts';

/**
 * The options of the middleware. Those that reach into the handling of one message (`lease`, `timeoutMs`,
 * `marksEffect`) are only for `eachMessage`: a batch handler holds all its claims for the rest of the invocation.
 */
export type SqsOnceOptions<Body> = Omit<SqsOptions<Body>, 'lease' | 'timeoutMs' | 'marksEffect'>;

/** How many outcomes are recorded at once. */
const recordsAtOnce = 100;

/** What Middy hands to each hook, as far as it matters here. */
type BatchRequest = Request<SqsEvent, unknown, Error, Context, Record<string, unknown>>;
type Context = Request['context'];

/** What one request has claimed, kept between its hooks. */
interface Taken extends ClaimedBatch {
  /** The middleware that took it, and nobody else ends it. */
  readonly by: object;
  /** The event as it came, which middlewares around this one see again afterwards. */
  readonly event: SqsEvent;
  /** The event that was handed on. */
  readonly handedOn: SqsEvent;
  readonly stopWatching: () => void;
}

/** Why it has no use for some options of `eachMessage`. */
const holdsAll = 'a batch handler holds all its claims for the rest of the invocation';
const handsNoClaim = 'a batch handler is given no claim, and so cannot mark its effect';
const refused = { lease: holdsAll, timeoutMs: holdsAll, marksEffect: handsNoClaim, ...ofHttp };

/**
 * By the request itself. Its `internal` may be one object for all requests, as Middy 5 and 6 have it with the option of that name, and other middlewares
 * replace it: an invocation would then answer for the messages of another one, and acknowledge its own.
 */
const takenBy = new WeakMap<object, Taken>();

/** Two of `sqsOnce` on one handler. Told apart by identity: nothing has run when it is thrown. */
const usedTwice = new Error('sqsOnce: use it once on a handler');

/**
 * A Middy middleware for a batch handler that exists: its messages are claimed before it, it is given only those that
 * may run, and what it answers is recorded after it. It understands `PromiseSettledResult[]`, `{ batchItemFailures }`,
 * nothing, and a throw. Anything else that it returns is a failure of all it was given.
 *
 * All claims of a batch are taken before the handler starts, so a worker that dies leaves all of them in doubt; with
 * `onAbandoned: 'park'` prefer `eachMessage`, or small batches. `.use` it last, but before what parses bodies: it needs the text
 * that was sent. Set Middy's `timeoutEarlyInMillis` to 0: its early timeout does not stop the handler.
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
  expectOptions(options, { door: 'sqsOnce', known: sqsOptionNames, refused, docs: 'docs/wrap.md' });
  const consumer = createConsumer<Body>(options);
  const { engine, settings } = consumer;

  /** Gives each message that was handed on its fate, and answers Lambda. */
  async function conclude(
    taken: ClaimedBatch,
    fateOf: (one: Granted, place: number) => Promise<Fate>,
  ): Promise<SqsBatchResponse> {
    const { batch } = taken;
    // Not by the handler's concurrency: its work is over, and one record that has to be tried again must not hold up the others.
    await withEach(grantedOf(batch).entries(), recordsAtOnce, async ([place, one]) => {
      one.fate = await fateOf(one, place);
    });
    for (const one of batch) one.fate ??= one.first?.fate;
    return consumer.conclude(batch, taken);
  }

  /** What this middleware has taken for the request, and has not ended yet. */
  function takenOf(request: BatchRequest): Taken | undefined {
    const taken = takenBy.get(request);
    // Another middleware failed before our claims were taken, or after they were recorded. Neither is ours to undo.
    return taken?.by === consumer ? taken : undefined;
  }

  /** Records what was said of each message that was handed on. */
  async function end(request: BatchRequest, taken: Taken, told: Told): Promise<SqsBatchResponse> {
    takenBy.delete(request);
    taken.stopWatching();
    // A middleware around this one answers for the records that it finds here: for all of them, then.
    request.event = taken.event;
    const messages = grantedOf(taken.batch).length;
    if (told.misunderstood) {
      emit(engine, undefined, { type: 'answer-not-understood', came: told.misunderstood, messages });
    }
    return conclude(taken, (one, place) => record(one, told.of(place)));
  }

  async function record({ held }: Granted, { status, value, reason }: Said): Promise<Fate> {
    // Its claim stays in flight: freed now, the message would run beside itself.
    if (status === 'running') return again;
    if (status === 'fulfilled') {
      await succeed(engine, held, value);
      return done;
    }
    if (status === 'not-started') {
      // The handler was never called, whatever the author's classifier would make of somebody else's error.
      await fail(engine, held, new RetryableError(recordedError(reason).message, { cause: reason }), 'before');
      return again;
    }
    const recorded = await fail(engine, held, reason, 'unmarked');
    return fateOfRun({ kind: 'threw', recorded, error: reason, applied: false, retryAfterMs: settings.unsettledMs });
  }

  /**
   * What an answer says of the messages. One that names none of them, so near to the end, may be Middy's own: its `timeoutEarlyResponse` answers for
   * a handler that still runs. To believe it would acknowledge effects that have not happened.
   */
  function toldBy(response: unknown, { batch, handedOn }: Taken, { event, context }: BatchRequest): Told {
    const granted = grantedOf(batch);
    const left = Array.isArray(event?.Records) ? event.Records : handedOn.Records;
    const told = understand(response, {
      messageIds: granted.map((one) => one.record.messageId),
      copies: granted.map(({ copy }) => copy),
      left,
    });
    // As the context says it now: our clock may have been set in between.
    const remainingMs = context.getRemainingTimeInMillis();
    if (told.namesMessages || remainingMs > settings.marginMs) return told;
    emit(engine, undefined, { type: 'late-answer', remainingMs, messages: granted.length });
    return toldOfAll('running');
  }

  return {
    async before(request: BatchRequest) {
      if (takenBy.has(request)) throw usedTwice;
      const claimed = await claimBatch(consumer, request.event, request.context);
      const granted = grantedOf(claimed.batch);
      const held = granted[0]?.held;
      const late = held && tooLate(settings, held.record.leaseUntil);
      if (held && late) emit(engine, held.identity, { type: 'not-started', remainingMs: late.remainingMs });
      // An early answer: a handler must never see an empty batch, which many of them take for an error. Or claiming took what
      // time there was, and all is given back unharmed: nothing has started.
      if (held === undefined || late !== undefined) {
        return conclude(claimed, async (one) => {
          await fail(engine, one.held, late?.error, 'before');
          return soon;
        });
      }
      const { event } = request;
      const handedOn: SqsEvent = { ...event, Records: granted.map(({ copy }) => copy) };

      async function endEarly(response: unknown, handlerHasAnswered: boolean): Promise<unknown> {
        const open = takenOf(request);
        if (open === undefined) return response;
        request.response = await end(request, open, toldEarly(open, response, handlerHasAnswered));
        return request.response;
      }

      function toldEarly(open: Taken, response: unknown, handlerHasAnswered: boolean): Told {
        if (request.error) return toldByThrow(request.error, granted.length);
        if (handlerHasAnswered) return toldBy(response, open, request);
        return toldOfAll('not-started', new Error('another middleware answered before the handler was called'));
      }

      const stopWatching = watchForEarlyAnswer(request, endEarly);
      takenBy.set(request, { ...claimed, by: consumer, event, handedOn, stopWatching });
      request.event = handedOn;
      return undefined;
    },

    async after(request: BatchRequest) {
      const taken = takenOf(request);
      if (taken) request.response = await end(request, taken, toldBy(request.response, taken, request));
    },

    async onError(request: BatchRequest) {
      const taken = takenOf(request);
      if (taken === undefined) return;
      const { error } = request;
      if (error === usedTwice) {
        // The invocation fails with it, and says so at the first try.
        await end(request, taken, toldOfAll('not-started', error));
        return;
      }
      request.response = await end(request, taken, toldByThrow(error, grantedOf(taken.batch).length));
    },
  };
}

/** A message that was handed on. */
type Granted = ReturnType<typeof grantedOf>[number];
