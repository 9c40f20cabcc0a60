import type { MiddlewareObj, Request } from '@middy/core';
import type { Claim } from '../core/claim.ts';
import { RetryableError } from '../core/errors.ts';
import type { HttpEvent } from './event.ts';
import { createGate } from './gate.ts';
import type { HttpOptions } from './options.ts';
import { StillRunningError } from './still-running.ts';

/** What a request has under way: the end of its handler is told here, and its response comes from there. */
interface UnderWay {
  readonly handler: PromiseWithResolvers<unknown>;
  readonly response: Promise<unknown>;
}

type Context = Request['context'];

const name = 'pawl-http';

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
  const { enter, handle } = createGate(options);
  type HttpCall = Request<Event, unknown, Error, Context, Record<string, unknown>>;

  /** What this request has under way, once: another middleware that fails later has nothing of ours to undo. */
  function take({ internal, context }: HttpCall): UnderWay | undefined {
    const underWay = internal[name] as UnderWay | undefined;
    internal[name] = undefined;
    claimsByContext.delete(context);
    return underWay;
  }

  /** The response, where the handler or what ran before it failed. What is final has an answer; what is not goes on as the error that it is. */
  function failed({ handler, response }: UnderWay, error: unknown, otherwise: unknown): Promise<unknown> {
    handler.reject(error);
    return response.catch(() => otherwise);
  }

  /**
   * Hears of an answer that another middleware gave early: Middy then skips our hooks, and the claim would stay in flight. All that can
   * be heard of it is that the response is set, so this listens to that.
   */
  function listenForEarlyAnswers(request: HttpCall): void {
    let current: unknown = request.response;
    let wasSet = false;

    function answeredEarly(answer: unknown): unknown {
      const underWay = take(request);
      if (underWay === undefined) return answer;
      const settling = failed(underWay, request.error ?? earlyError(wasSet), answer).then((response) => {
        current = request.error === undefined ? answer : response;
        return current;
      });
      // Middy returns the response from an async function: it waits for this one.
      return settling;
    }

    Object.defineProperty(request, 'response', {
      configurable: true,
      enumerable: true,
      get: () => current,
      set(response: unknown) {
        current = 'earlyResponse' in request ? answeredEarly(response) : response;
        wasSet = true;
      },
    });
  }

  return {
    async before(request: HttpCall) {
      if (request.internal[name]) throw new Error('httpOnce: use it once on a handler');
      const { answer, admitted } = await enter(request.event, request.context);
      if (admitted === undefined) return answer;
      const handler = Promise.withResolvers<unknown>();
      const begun = Promise.withResolvers<void>();
      const response = handle(admitted, (claim) => {
        claimsByContext.set(request.context, claim);
        begun.resolve();
        return handler.promise;
      });
      // It may fail before anybody waits for it.
      response.catch(() => undefined);
      const early = await Promise.race([begun.promise, response]);
      // Nothing was started: the provider had the answer, or there was no time.
      if (early !== undefined) return early;
      request.internal[name] = { handler, response } satisfies UnderWay;
      listenForEarlyAnswers(request);
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
      const { error } = request;
      if (isEarlyTimeout(error)) {
        // The handler is still running. Nothing waits for what it has under way: there is no time.
        underWay.handler.reject(new StillRunningError('Middy gave up on the handler', { cause: error }));
        return;
      }
      request.response = await failed(underWay, error, request.response);
    },
  };
}

/** What an answer of another middleware's says of the request that it was given to. */
function earlyError(wasSet: boolean): Error {
  const message = 'a middleware that was used after httpOnce answered early: use httpOnce last';
  // A response that was set before may be the handler's: then this says nothing.
  return wasSet ? new Error(message) : new RetryableError(message);
}

/** Whether it is the error with which Middy gives up on a handler. */
function isEarlyTimeout(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'TimeoutError') return false;
  const { cause } = error;
  return typeof cause === 'object' && cause !== null && 'package' in cause && cause.package === '@middy/core';
}
