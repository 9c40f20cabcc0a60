import type { Claim } from '../engine/claim.ts';
import { placeHere } from '../engine/inside-step.ts';
import { effectKind } from '../kernel/error-kind.ts';
import { explainedError, RetryableError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions, ofOtherDoors } from '../kernel/take-options.ts';
import { isEarlyTimeout } from '../middy/early-timeout.ts';
import type { Middleware, Request } from '../middy/middy-types.ts';
import { leaveError, refuseOldMiddy } from '../middy/old-middy.ts';
import { isWatched, stopWatching, type Watch, type Watcher, watchOf, watchRequest } from '../middy/watched-request.ts';
import { forgetClaim, withClaim } from './claim-of.ts';
import type { HttpEvent } from './event.ts';
import { createGate, enter, type Gate } from './gate.ts';
import { handle } from './handle.ts';
import { type ObservedRequest, observedRequest } from './observe.ts';
import { type HttpOptions, httpRows } from './options.ts';
import { asLast, type OwnResponse } from './response.ts';
import { StillRunningError } from './still-running.ts';

type HttpCall<Event> = Request<Event>;

/** What a request has under way: `handler` takes how its handler ends, and `response` gives what follows from it. */
interface UnderWay {
  readonly request: HttpCall<unknown>;
  readonly claim: Claim;
  /** Takes what follows for a part of the run. */
  readonly enterRun: () => void;
  readonly handler: PromiseWithResolvers<unknown>;
  readonly response: Promise<unknown>;
}

/**
 * `onceOverHttp` as a Middy middleware. `.use` it last: then nothing runs between the handler and the recording of its response. If the `after` of
 * another middleware changes a response, the change is neither recorded nor made to a replay. Where that matters, wrap the whole Middy
 * handler in `onceOverHttp`.
 *
 * Set Middy's `timeoutEarlyInMillis` to 0: its early timeout does not stop the handler, and a middleware cannot tell the early response from the
 * handler's. For that reason, an error, or a response that is not final, leaves the claim in flight in the last half of `marginMs` before the
 * invocation ends.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import middy from '@middy/core';
 * import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
 *
 * declare const charge: (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>;
 * export const handler = middy(charge, { timeoutEarlyInMillis: 0 }).use(
 *   httpOnce({ operation: 'charge-order', store, caller: 'anyone', onAbandoned: 'park' }),
 * );
 */
export function httpOnce<Event extends HttpEvent>(options: HttpOptions<Event>): Middleware<Event> {
  expectOptions(options, {
    door: 'httpOnce',
    known: httpRows,
    refused: ofOtherDoors(httpRows),
    docs: 'docs/guides/http.md',
  });
  const gate = createGate(options);

  return {
    async before(request: HttpCall<Event>) {
      return begin(gate, request);
    },

    async after(request: HttpCall<Event>) {
      await observed.get(request)?.responded(request.response);
      const watch = watchOf(request, watcher);
      if (watch === undefined) return;
      const { response: answered } = request;
      end(watch);
      const { handler, response } = watch.state;
      handler.resolve(answered);
      request.response = await response;
    },

    async onError(request: HttpCall<Event>) {
      const watched = observed.get(request);
      if (watched !== undefined) {
        await watched.threw(request.error);
        return leaveError(request);
      }
      refuseOldMiddy('httpOnce', request);
      const watch = watchOf(request, watcher);
      if (watch === undefined) return;
      const { error, response: answered } = request;
      end(watch);
      request.response = await failed(watch, watch.firstError ?? { error }, answered);
    },
  };
}

/** The requests that are only watched. */
const observed = new WeakMap<object, ObservedRequest>();

const watcher: Watcher<UnderWay> = {
  endEarly,
  contextReplaced: (watch, context) => withClaim(context, watch.state.claim),
  handlerBegins: ({ state }) => state.enterRun(),
};

/** Claims a request, and begins its run with a handler that ends when Middy's does. @returns the answer, if the handler is not to be called */
async function begin<Event extends HttpEvent>(
  gate: Gate<Event>,
  request: HttpCall<Event>,
): Promise<OwnResponse | undefined> {
  const watched = gate.settings.enforcedShare && observedRequest(gate, request.event, request.context);
  if (watched !== undefined) {
    observed.set(request, watched);
    if (Object.isExtensible(request.context)) withClaim(request.context, watched.run.claim);
    return undefined;
  }
  refuseOldMiddy('httpOnce', request);
  if (isWatched(request)) {
    const said = 'httpOnce: use it once on a handler; remove the second .use(). Nothing was run';
    throw explainedError(Error, said, 'used-twice');
  }
  const { event, context } = request;
  const entered = await enter(gate, event, context);
  if (entered.kind === 'answered') return asLast(event, entered.answer);
  if (entered.kind === 'without-key') return undefined;
  const handler = Promise.withResolvers<unknown>();
  const begun = Promise.withResolvers<Pick<UnderWay, 'claim' | 'enterRun'>>();
  const response = handle(gate, entered.admitted, (claim) => {
    begun.resolve({ claim, enterRun: placeHere() });
    return handler.promise;
  });
  // It may fail before anything waits for it.
  response.catch(() => undefined);
  const first = await Promise.race([
    begun.promise.then((run) => ({ kind: 'begun', ...run }) as const),
    response.then((answer) => ({ kind: 'answered', answer }) as const),
  ]);
  // Nothing was started: the provider had the answer, or there was no time. So the answer is pawl's own.
  if (first.kind === 'answered') return asLast(event, first.answer as OwnResponse);
  const { claim, enterRun } = first;
  const handedOn = withClaim(context, claim);
  if (handedOn !== context) request.context = handedOn;
  watchRequest(request, watcher, { request, claim, enterRun, handler, response });
  return undefined;
}

/** The request is over for this middleware: if another one fails later, nothing of this request is to be undone. */
function end({ state, context }: Watch<UnderWay>): void {
  stopWatching(state.request);
  forgetClaim(context);
}

/**
 * The response, where the handler or what ran before it failed. What is final has an answer; what is not goes on as the error that it is.
 *
 * @param otherwise the response, if the error goes on
 */
async function failed(
  { state: { handler, response }, handlerHasBegun }: Watch<UnderWay>,
  { error }: { readonly error: unknown },
  otherwise: unknown,
): Promise<unknown> {
  if (isEarlyTimeout(error)) {
    // The handler is still running. Nothing waits for what it has under way: there is no time.
    handler.reject(new StillRunningError('Middy gave up on the handler', { cause: error }));
    return otherwise;
  }
  const nothingRan = !handlerHasBegun && effectKind(error) === undefined;
  const { message } = recordedError(error);
  handler.reject(nothingRan ? new RetryableError(`before the handler: ${message}`, { cause: error }) : error);
  return response.catch(() => otherwise);
}

/** Another middleware has answered early, and Middy calls no hook of this one any more. @returns the response */
async function endEarly(watch: Watch<UnderWay>, answer: unknown): Promise<unknown> {
  const { request } = watch.state;
  if (watchOf(request, watcher) === undefined) return answer;
  end(watch);
  if (watch.firstError === undefined) {
    const why = 'a middleware that was used after httpOnce answered early: use httpOnce last';
    await failed(watch, { error: explainedError(Error, why, 'early-response') }, answer);
    return answer;
  }
  request.response = await failed(watch, watch.firstError, answer);
  return request.response;
}
