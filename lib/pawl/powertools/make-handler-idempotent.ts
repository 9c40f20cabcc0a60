import { placeHere } from '../engine/inside-step.ts';
import { StillRunningError } from '../http/still-running.ts';
import { effectKind } from '../kernel/error-kind.ts';
import { explainedError, RetryableError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { warnOnce } from '../kernel/warn-once.ts';
import { isEarlyTimeout } from '../middy/early-timeout.ts';
import type { Middleware, Request } from '../middy/middy-types.ts';
import { refuseOldMiddy } from '../middy/old-middy.ts';
import { isWatched, stopWatching, type Watch, type Watcher, watchOf, watchRequest } from '../middy/watched-request.ts';
import { type Calls, callsOf, type IdempotencyLambdaHandlerOptions } from './call.ts';

/** What a request has under way: `handler` takes how its handler ends, and `response` gives what follows from it. */
interface UnderWay {
  readonly request: Request;
  /** Takes what follows for a part of the run. */
  readonly enterRun: () => void;
  readonly handler: PromiseWithResolvers<unknown>;
  readonly response: Promise<unknown>;
}

/**
 * Makes a Middy handler idempotent, with the call shape of Powertools. `.use` it last, and set Middy's `timeoutEarlyInMillis` to 0: its early timeout does not stop the handler.
 *
 * For HTTP, `httpOnce` does more: it answers a duplicate in flight with 409, and replays only responses that are final.
 *
 * @throws OptionError at once when an option is missing or wrong
 * @example
 * import middy from '@middy/core';
 *
 * const persistenceStore = new DynamoDBPersistenceLayer({ tableName: 'idempotencyTable', onAbandoned: 'retry' });
 * const config = new IdempotencyConfig({ eventKeyJmesPath: 'id' });
 * const pay = async (payment: Payment) => bank.refund(payment, { idempotencyKey: payment.id });
 * export const handler = middy(pay, { timeoutEarlyInMillis: 0 }).use(makeHandlerIdempotent({ persistenceStore, config }));
 */
export function makeHandlerIdempotent<Event = unknown>(options: IdempotencyLambdaHandlerOptions): Middleware<Event> {
  const calls = callsOf(options);
  return {
    before: (request) => begin(calls, request),

    async after(request) {
      const watch = watchOf(request, watcher);
      if (watch === undefined) return;
      const { response } = request;
      stopWatching(request);
      watch.state.handler.resolve(response);
      await watch.state.response;
    },

    async onError(request) {
      refuseOldMiddy('makeHandlerIdempotent', request);
      const watch = watchOf(request, watcher);
      if (watch === undefined) return;
      const { error } = request;
      stopWatching(request);
      await failed(watch, watch.firstError ?? { error });
    },
  };
}

const watcher: Watcher<UnderWay> = {
  endEarly,
  handlerBegins: ({ state }) => state.enterRun(),
};

/** Claims a request, and begins its run with a handler that ends when Middy's does. @returns the response, if the handler is not to be called */
async function begin({ config, call }: Calls, request: Request): Promise<unknown> {
  refuseOldMiddy('makeHandlerIdempotent', request);
  if (isWatched(request)) {
    throw explainedError(
      Error,
      'makeHandlerIdempotent: another middleware of pawl protects this handler. Use one of them. Nothing was run',
      'used-twice',
    );
  }
  config.registerLambdaContext(request.context);
  const handler = Promise.withResolvers<unknown>();
  const begun = Promise.withResolvers<() => void>();
  const response = call(request.event, () => {
    begun.resolve(placeHere());
    return handler.promise;
  });
  // It may fail before anything waits for it.
  response.catch(() => undefined);
  const first = await Promise.race([
    begun.promise.then((enterRun) => ({ kind: 'begun', enterRun }) as const),
    response.then((replayed) => ({ kind: 'replayed', replayed }) as const),
  ]);
  if (first.kind === 'begun') {
    const { enterRun } = first;
    watchRequest(request, watcher, { request, enterRun, handler, response });
    return undefined;
  }
  await closePowertools(request);
  // Of nothing, Middy would make a call of the handler. Lambda makes the same of both.
  return first.replayed ?? null;
}

/** Middy calls no `after` of the other middlewares: those of Powertools leave here what their `after` would do. */
async function closePowertools(request: Request): Promise<void> {
  for (const utility of ['tracer', 'metrics', 'logger']) {
    const close = propertyOf(request.internal, `powertools-for-aws.${utility}`);
    if (typeof close === 'function') await close(request);
  }
}

/** Records how the handler, or what ran before it, failed. Middy goes on with the error. */
async function failed(
  { state: { handler, response }, handlerHasBegun }: Watch<UnderWay>,
  { error }: { readonly error: unknown },
): Promise<void> {
  if (isEarlyTimeout(error)) {
    warnOnce(
      'early-timeout',
      'makeHandlerIdempotent',
      "makeHandlerIdempotent: Middy's early time-out has ended a request while its handler is still at work, so its claim stays in flight until the " +
        'invocation is over. Set it to 0: middy(handler, { timeoutEarlyInMillis: 0 })',
    );
    // The handler is still running. Nothing waits for what it has under way: there is no time.
    handler.reject(new StillRunningError('Middy gave up on the handler', { cause: error }));
    return;
  }
  const nothingRan = !handlerHasBegun && effectKind(error) === undefined;
  const { message } = recordedError(error);
  handler.reject(nothingRan ? new RetryableError(`before the handler: ${message}`, { cause: error }) : error);
  await response.catch(() => undefined);
}

/** Another middleware has answered early, and Middy calls no hook of this one any more. @returns the response */
async function endEarly(watch: Watch<UnderWay>, answer: unknown): Promise<unknown> {
  const { request } = watch.state;
  if (watchOf(request, watcher) === undefined) return answer;
  stopWatching(request);
  const why = 'a middleware that was used after makeHandlerIdempotent answered early: use makeHandlerIdempotent last';
  await failed(watch, watch.firstError ?? { error: explainedError(Error, why, 'early-response') });
  return answer;
}
