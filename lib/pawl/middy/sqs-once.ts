import { emit } from '../engine/engine.ts';
import { enterHandler, type Handling } from '../engine/inside-step.ts';
import { keepLease } from '../engine/open-claim.ts';
import { giveBackUnstarted } from '../engine/record-outcome.ts';
import { expectFinished } from '../engine/returned.ts';
import { tooLate } from '../engine/run.ts';
import { Work } from '../engine/work.ts';
import { explainedError, OptionError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { processWide } from '../kernel/process-wide.ts';
import { expectOptions, ofOtherDoors } from '../kernel/take-options.ts';
import { warnOnce } from '../kernel/warn-once.ts';
import { startsUntil } from '../rules/grant.ts';
import { createQueueDoor, type QueueDoor } from '../sqs/consumer.ts';
import { type Disposition, missedItsTurn } from '../sqs/disposition.ts';
import type { SqsBatchResponse, SqsEvent } from '../sqs/event.ts';
import { withEach } from '../sqs/limit.ts';
import { type SqsOptions, sqsRows } from '../sqs/options.ts';
import { type ClaimedBatch, claimBatch, handedOnOf, isClaimed } from './claim-batch.ts';
import { isEarlyTimeout } from './early-timeout.ts';
import type { Middleware, Request } from './middy-types.ts';
import { type ObservedBatch, observeBatch } from './observe-batch.ts';
import { leaveError, refuseOldMiddy } from './old-middy.ts';
import { afterItsCalls, concludeBatch, record, recordsAtOnce } from './record-batch.ts';
import { type BatchResults, resultsOfThrow, sameForAll, understand } from './responses.ts';
import { isWatched, stopWatching, type Watch, type Watcher, watchOf, watchRequest } from './watched-request.ts';

/**
 * The options of the middleware. Those that reach into the handling of one message (`lease`, `timeoutMs`,
 * `marksEffect`) are only for `eachMessage`: a batch handler holds all its claims for the rest of the invocation.
 *
 * @example
 * import { bodyField } from 'pawl/sqs';
 *
 * const options: SqsOnceOptions<Order> = {
 *   operation: 'send-email',
 *   store,
 *   schema: Order,
 *   key: bodyField('id'),
 *   onAbandoned: 'retry',
 * };
 */
export type SqsOnceOptions<Body> = Omit<SqsOptions<Body>, 'lease' | 'timeoutMs' | 'marksEffect'>;

/** What Middy hands to each hook, as far as it matters here. */
type BatchRequest = Request<SqsEvent>;

/** What one request has claimed, kept between its hooks. */
interface Taken extends ClaimedBatch {
  readonly request: BatchRequest;
  /** The event as it came, which middlewares around this one see again afterwards. */
  readonly event: SqsEvent;
  /** The event that was handed on. */
  readonly handedOn: SqsEvent;
  /** What the handler has under way besides itself: its calls of `once`. */
  readonly work: Work;
}

/** Why `sqsOnce` has no use for some options of `eachMessage`. */
const holdsAll =
  'a batch handler holds all its claims for the rest of the invocation; use eachMessage, or leave it out';
const handsNoClaim =
  'a batch handler is given no claim, and so cannot mark its effect; use eachMessage, or leave it out';
const refused = { lease: holdsAll, timeoutMs: holdsAll, marksEffect: handsNoClaim, ...ofOtherDoors(sqsRows) };

/**
 * Two of `sqsOnce` on one handler. Nothing has run when it is thrown. The first one recognises it by identity, also where another copy of pawl has
 * thrown it.
 */
const usedTwice = processWide('sqs-once.used-twice/1', () =>
  explainedError(
    Error,
    'sqsOnce: use it once on a handler; remove one of the two .use(sqsOnce(…)). Nothing was run',
    'used-twice',
  ),
);

/**
 * A Middy middleware for a batch handler that exists. The messages are claimed before the handler, the handler gets only those that
 * may run, as SQS delivered them, and what it returns is recorded after it. Inside an `envelope`, `openedMessage(record)` has the body. `PromiseSettledResult[]`, `{ batchItemFailures }`, nothing, and a throw are understood. If
 * the handler returns anything else, all messages that it got have failed.
 *
 * All claims of a batch are taken before the handler starts, so a worker that dies leaves all of them in doubt; with
 * `onAbandoned: 'park'` prefer `eachMessage`, or small batches. `.use` it last, but before what parses bodies: it needs the text
 * that was sent. Set Middy's `timeoutEarlyInMillis` to 0: its early timeout does not stop the handler.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import middy from '@middy/core';
 * import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
 * import { bodyField } from 'pawl/sqs';
 *
 * declare const existingBatchHandler: (event: SQSEvent) => Promise<SQSBatchResponse>;
 * export const handler = middy(existingBatchHandler, { timeoutEarlyInMillis: 0 }).use(
 *   sqsOnce({ operation: 'send-email', store, key: bodyField('orderId'), onAbandoned: 'retry' }),
 * );
 */
export function sqsOnce<Body = unknown>(
  options: SqsOnceOptions<Body> & { readonly host?: Host },
): Middleware<SqsEvent> {
  expectOptions(options, { door: 'sqsOnce', known: sqsRows, refused, docs: 'docs/reference/options.md' });
  const consumer = createQueueDoor<Body>(options, { stepless: true });
  expectOneBody(consumer);
  const watcher: Watcher<Taken> = {
    endEarly: (watch, response) => endEarly(consumer, watch, response),
    handlerBegins: ({ state }) => enterHandler(handlingOf(consumer, state)),
  };

  return {
    async before(request: BatchRequest) {
      return begin(consumer, watcher, request);
    },

    async after(request: BatchRequest) {
      await observed.get(request)?.responded(request.response);
      const watch = watchOf(request, watcher);
      if (watch === undefined) return;
      const results = resultsOf(consumer, watch.state, request.response);
      request.response = await end(consumer, watch.state, results);
    },

    async onError(request: BatchRequest) {
      const watched = observed.get(request);
      if (watched !== undefined) {
        await watched.threw(request.error);
        return leaveError(request);
      }
      refuseOldMiddy('sqsOnce', request);
      const watch = watchOf(request, watcher);
      if (watch === undefined) return;
      const { error } = request;
      if (error === usedTwice) {
        // The invocation fails with it, and says so at the first try.
        await end(consumer, watch.state, sameForAll('not-started', error));
        return;
      }
      if (isEarlyTimeout(error)) warnOfEarlyTimeout(consumer.settings.operation);
      const results = resultsOfThrow(error, handedOnOf(watch.state.batch).length);
      request.response = await end(consumer, watch.state, results);
    },
  };
}

/** The requests whose messages are all only watched. */
const observed = new WeakMap<object, ObservedBatch>();

/** A batch handler returns one result for a message, which says nothing about a part of it. @throws OptionError */
function expectOneBody<Body>({ envelopes = [] }: QueueDoor<Body>): void {
  const several = envelopes.find((one) => one.several);
  if (several === undefined) return;
  throw new OptionError(
    `envelope: sqsOnce does not take ${several.name}: one message can hold several bodies, and a batch handler returns one result for it. Use eachMessage`,
  );
}

/** Claims the batch of a request, and hands on what may run. @returns the batch response, if nothing may */
async function begin<Body>(
  consumer: QueueDoor<Body>,
  watcher: Watcher<Taken>,
  request: BatchRequest,
): Promise<SqsBatchResponse | undefined> {
  if (consumer.settings.enforcedShare?.() === 0) {
    observed.set(request, await observeBatch(consumer, request));
    return undefined;
  }
  refuseOldMiddy('sqsOnce', request);
  if (isWatched(request)) throw usedTwice;
  const { engine } = consumer;
  const { event } = request;
  const claimed = await claimBatch(consumer, event, request.context);
  await giveBackLate(consumer, claimed);
  const messages = handedOnOf(claimed.batch);
  // An early answer: a handler must never see an empty batch, which many of them take for an error.
  if (messages.length === 0) return concludeBatch(consumer, claimed, neverHandedOn);
  for (const one of messages) if (isClaimed(one)) one.stopKeeping = keepLease(engine, one.grant);
  const handedOn: SqsEvent = { ...event, Records: messages.map(({ copy }) => copy) };
  watchRequest(request, watcher, { ...claimed, request, event, handedOn, work: new Work() });
  request.event = handedOn;
  return undefined;
}

/** Gives back what was claimed, unharmed, if claiming took what time there was: nothing has started. */
async function giveBackLate<Body>({ engine, settings }: QueueDoor<Body>, { batch }: ClaimedBatch): Promise<void> {
  const claimed = handedOnOf(batch).filter(isClaimed);
  const [first] = claimed;
  const late = first && tooLate(settings, startsUntil(first.grant));
  if (first === undefined || late === undefined) return;
  emit(engine, first.grant.identity, { type: 'not-started', remainingMs: late.remainingMs });
  await withEach(claimed, recordsAtOnce, async (one) => {
    await giveBackUnstarted(engine, one.grant, late.error);
    one.disposition = missedItsTurn;
  });
}

async function neverHandedOn(): Promise<Disposition> {
  return missedItsTurn;
}

/** Another middleware has answered early, and Middy calls no hook of this one any more. @returns the batch response */
async function endEarly<Body>(consumer: QueueDoor<Body>, watch: Watch<Taken>, response: unknown): Promise<unknown> {
  const { request, batch } = watch.state;
  if (watchOf(request, watch.watcher) === undefined) return response;
  const results = request.error
    ? resultsOfThrow(request.error, handedOnOf(batch).length)
    : watch.handlerHasAnswered
      ? resultsOf(consumer, watch.state, response)
      : sameForAll('not-started', answeredEarly(consumer));
  request.response = await end(consumer, watch.state, results);
  return request.response;
}

/** That another middleware has answered in the handler's place: its order, or its early return, is a mistake where a queue delivers. */
function answeredEarly<Body>({ settings: { operation } }: QueueDoor<Body>): Error {
  const said =
    'another middleware answered before the handler was called: its `before` returned a value. Nothing was run, and the messages come again. ' +
    'Use sqsOnce last, or let that middleware return nothing for events of SQS';
  warnOnce('early-response', operation, `sqsOnce of '${operation}': ${said}`);
  return explainedError(Error, said, 'early-response');
}

/** The batch has many claims, and no single id. */
function handlingOf<Body>({ settings }: QueueDoor<Body>, { work }: Taken): Handling {
  return { work, id: '', store: settings.store };
}

/** Records the results of the messages that were handed on. @returns the batch response */
async function end<Body>(consumer: QueueDoor<Body>, taken: Taken, said: BatchResults): Promise<SqsBatchResponse> {
  const { request, batch, event } = taken;
  stopWatching(request);
  // A middleware around this one answers for the records that it finds here: for all of them, then.
  request.event = event;
  const messages = handedOnOf(batch).length;
  if (said.misunderstood !== undefined) {
    emit(consumer.engine, undefined, { type: 'answer-not-understood', came: said.misunderstood, messages });
  }
  const results = await afterItsCalls(consumer, taken, said);
  return concludeBatch(consumer, taken, (one, place) => record(consumer, one, results.of(place)));
}

/**
 * The results in a response. A response that names no message, so near to the end, may be Middy's own: its `timeoutEarlyResponse` answers for a handler that
 * still runs. To believe it would acknowledge effects that have not happened.
 */
function resultsOf<Body>({ engine, settings }: QueueDoor<Body>, taken: Taken, response: unknown): BatchResults {
  const { request, batch, handedOn, work } = taken;
  const { event, context } = request;
  const messages = handedOnOf(batch);
  const results = understand(response, {
    messageIds: messages.map((one) => one.record.messageId),
    copies: messages.map(({ copy }) => copy),
    left: Array.isArray(event?.Records) ? event.Records : handedOn.Records,
    finish: (value) => work.followAll(expectFinished(settings.operation, response, value)),
  });
  // As the context says it now: our clock may have been set in between.
  const remainingMs = context.getRemainingTimeInMillis();
  if (results.namesMessages || remainingMs > settings.marginMs) return results;
  emit(engine, undefined, { type: 'late-answer', remainingMs, messages: messages.length });
  warnOfEarlyTimeout(settings.operation);
  return sameForAll('running');
}

/** Middy tells a middleware nothing of its options: that the early time-out is on shows when it comes. */
function warnOfEarlyTimeout(operation: string): void {
  warnOnce(
    'early-timeout',
    operation,
    `sqsOnce of '${operation}': Middy's early time-out may have ended the request while its handler is still at work, so its claims stay in flight until ` +
      'the invocation is over. Set it to 0: middy(handler, { timeoutEarlyInMillis: 0 })',
  );
}
