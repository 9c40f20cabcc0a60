import type { MiddlewareObj, Request } from '@middy/core';
import type { Claim } from '../claims/claim.ts';
import { errorKind, RetryableError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions, ofQueues, ofWorlds } from '../kernel/take-options.ts';
import type { HttpEvent } from './event.ts';
import { createGate } from './gate.ts';
import { type HttpOptions, httpOptionNames } from './options.ts';
import { asLast, type OwnResponse } from './response.ts';
import { StillRunningError } from './still-running.ts';

/** What a request has under way: the end of its handler is told here, and its response comes from there. */
interface UnderWay {
  readonly handler: PromiseWithResolvers<unknown>;
  readonly response: Promise<unknown>;
  /** What the handler is given; another middleware may change it. */
  context: Context;
  /** Whether the handler may have begun. */
  begun: boolean;
  /** What was thrown first. An error handler puts another error in its place, which says nothing any more. */
  thrown?: { readonly error: unknown };
}

type Context = Request['context'];

/** By the request itself: its `internal` may be one object for all requests, as Middy 5 and 6 have it with the option of that name. */
const underWayOf = new WeakMap<object, UnderWay>();

/** The claims of requests under way, by Lambda's context: a Middy handler is given nothing else that is its own. */
const claimsByContext = new WeakMap<object, Claim>();

/**
 * The claim of the request that a handler behind `httpOnce` works on: none, where a key is not required and was not sent.
 *
 * @example
 * async (event, context) => pay(event.body, { idempotencyKey: claimOf(context)?.effectKey })
 */
export function claimOf(context: object): Claim | undefined {
  return claimsByContext.get(context);
}

/**
 * `onceOverHttp` as a Middy middleware. `.use` it last: then nothing runs between the handler and the recording of its response. What
 * the other middlewares' `after` makes of a response is neither recorded nor made of a replay; where that matters, wrap the whole Middy
 * handler in `onceOverHttp`. Set Middy's `timeoutEarlyInMillis` to 0: its early timeout does not stop the handler, and a middleware
 * cannot tell its answer from the handler's. In the last half of `marginMs` before the invocation ends, an error, and a response that
 * is not final, leave the claim in flight for that reason.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * export const handler = middy(refund, { timeoutEarlyInMillis: 0 }).use(
 *   httpOnce({ operation: 'refund', store, caller: accountOf, onAbandoned: 'retry' }),
 * );
 */
export function httpOnce<Event extends HttpEvent>(
  options: HttpOptions<Event>,
): MiddlewareObj<Event, unknown, Error, Context, Record<string, unknown>> {
  const known = { ...httpOptionNames, ...ofWorlds };
  expectOptions(options, { door: 'httpOnce', known, refused: ofQueues, docs: 'docs/http.md' });
  const { enter, handle } = createGate(options);
  type HttpCall = Request<Event, unknown, Error, Context, Record<string, unknown>>;

  /** What this request has under way, once: another middleware that fails later has nothing of ours to undo. */
  function take(request: HttpCall): UnderWay | undefined {
    const underWay = underWayOf.get(request);
    underWayOf.delete(request);
    if (underWay) claimsByContext.delete(underWay.context);
    return underWay;
  }

  /** The response, where the handler or what ran before it failed. What is final has an answer; what is not goes on as the error that it is. */
  async function failed({ handler, response, begun }: UnderWay, error: unknown, otherwise: unknown): Promise<unknown> {
    if (isEarlyTimeout(error)) {
      // The handler is still running. Nothing waits for what it has under way: there is no time.
      handler.reject(new StillRunningError('Middy gave up on the handler', { cause: error }));
      return otherwise;
    }
    const nothingRan = !begun && errorKind(error) === undefined;
    const { message } = recordedError(error);
    handler.reject(nothingRan ? new RetryableError(`before the handler: ${message}`, { cause: error }) : error);
    return response.catch(() => otherwise);
  }

  /**
   * Tells whether the handler has begun: Middy reads the context only to hand it to the handler. Another middleware that reads it makes
   * it look as if; then the policy decides, as for any error.
   */
  function watchContext(request: HttpCall, underWay: UnderWay, claim: Claim | undefined): void {
    Object.defineProperty(request, 'context', {
      configurable: true,
      enumerable: true,
      get() {
        underWay.begun = true;
        return underWay.context;
      },
      set(context: Context) {
        underWay.context = context;
        if (claim) claimsByContext.set(context, claim);
      },
    });
  }

  function watchError(request: HttpCall, underWay: UnderWay): void {
    let current: HttpCall['error'] = request.error;
    Object.defineProperty(request, 'error', {
      configurable: true,
      enumerable: true,
      get: () => current,
      set(error: HttpCall['error']) {
        underWay.thrown ??= { error };
        current = error;
      },
    });
  }

  /**
   * Hears of an answer that another middleware gave early: Middy then skips our hooks, and the claim would stay in flight. All that can
   * be heard of it is that the response is set, so this listens to that.
   */
  function watchResponse(request: HttpCall): void {
    let current: unknown = request.response;

    async function answeredEarly(underWay: UnderWay, answer: unknown): Promise<unknown> {
      const why = 'a middleware that was used after httpOnce answered early: use httpOnce last';
      const { error } = underWay.thrown ?? { error: new Error(why) };
      const response = await failed(underWay, error, answer);
      current = underWay.thrown ? response : answer;
      return current;
    }

    Object.defineProperty(request, 'response', {
      configurable: true,
      enumerable: true,
      get: () => current,
      set(response: unknown) {
        const underWay = 'earlyResponse' in request ? take(request) : undefined;
        // Middy returns the response from an async function: it waits for a promise.
        current = underWay ? answeredEarly(underWay, response) : response;
      },
    });
  }

  return {
    async before(request: HttpCall) {
      if (underWayOf.has(request)) throw new Error('httpOnce: use it once on a handler');
      const { context } = request;
      const { answer, admitted } = await enter(request.event, context);
      if (admitted === undefined) return asLast(request.event, answer);
      const handler = Promise.withResolvers<unknown>();
      const begun = Promise.withResolvers<void>();
      const response = handle(admitted, (claim) => {
        claimsByContext.set(context, claim);
        begun.resolve();
        return handler.promise;
      });
      // It may fail before anybody waits for it.
      response.catch(() => undefined);
      const early = await Promise.race([begun.promise, response]);
      // Nothing was started: the provider had the answer, or there was no time.
      if (early !== undefined) return asLast(request.event, early as OwnResponse);
      const underWay: UnderWay = { handler, response, context, begun: false };
      underWayOf.set(request, underWay);
      watchContext(request, underWay, claimsByContext.get(context));
      watchError(request, underWay);
      watchResponse(request);
      return undefined;
    },

    async after(request: HttpCall) {
      const underWay = take(request);
      if (underWay === undefined) return;
      underWay.handler.resolve(request.response);
      request.response = await underWay.response;
    },

    async onError(request: HttpCall) {
      const underWay = take(request);
      if (underWay === undefined) return;
      const { error } = underWay.thrown ?? { error: request.error };
      request.response = await failed(underWay, error, request.response);
    },
  };
}

/** Whether it is the error with which Middy gives up on a handler. */
function isEarlyTimeout(error: unknown): boolean {
  if (!(error instanceof Error) || recordedError(error).name !== 'TimeoutError') return false;
  const { cause } = error;
  return typeof cause === 'object' && cause !== null && 'package' in cause && cause.package === '@middy/core';
}
