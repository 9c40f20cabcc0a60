import type { MiddlewareObj, Request } from '@middy/core';
import type { Claim } from '../core/claim.ts';
import type { HttpEvent } from './event.ts';
import { createGate } from './gate.ts';
import type { HttpOptions } from './options.ts';

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
 * handler in `onceOverHttp`. Set Middy's `timeoutEarlyInMillis` to 0: its early timeout does not stop the handler.
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
      const { name: kind, cause } = Object(request.error);
      // An early timeout of Middy's: the handler is still running, and its claim stays in flight.
      if (underWay === undefined || (kind === 'TimeoutError' && Object(cause).package === '@middy/core')) return;
      underWay.handler.reject(request.error);
      // What is final has an answer. What is not goes on as the error that it is.
      request.response = await underWay.response.catch(() => request.response);
    },
  };
}
