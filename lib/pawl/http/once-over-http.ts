import type { Claim } from '../engine/claim.ts';
import { expectFinished } from '../engine/returned.ts';
import { expectRun } from '../kernel/callable.ts';
import { expectFunction } from '../kernel/check.ts';
import { explainedError } from '../kernel/errors.ts';
import { expectOptions, ofOtherDoors } from '../kernel/take-options.ts';
import type { HttpEvent } from './event.ts';
import { createGate, enter, type RequestContext } from './gate.ts';
import { handle } from './handle.ts';
import { type ObservedRequest, observedRequest } from './observe.ts';
import { type HttpOptions, httpRows } from './options.ts';
import type { OwnResponse } from './response.ts';

/**
 * Wraps the handler of an HTTP API so that each request's effect happens once per idempotency key, and its duplicates get the recorded
 * response. For API Gateway (payloads 1.0 and 2.0), function URLs and load balancers.
 *
 * The returned function responds with 400 to a missing or malformed key, 409 while the first request is under way or in doubt, and 422 to another
 * intent with the same key. It responds with 503 when the claims cannot be reached, or when the handler throws an error that says when to try
 * again, such as `ResourcesBusyError`. It rejects with any other error of the handler, once that is recorded.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
 *
 * export const handler = onceOverHttp(
 *   { operation: 'charge-order', store, caller: 'anyone', onAbandoned: 'retry' },
 *   async (event: APIGatewayProxyEventV2, _context: Context, claim) => {
 *     const charge = await bank.charge(JSON.parse(event.body ?? ''), { idempotencyKey: claim.effectKey });
 *     return { statusCode: 201, body: JSON.stringify(charge) };
 *   },
 * );
 */
export function onceOverHttp<Event extends HttpEvent, Context extends RequestContext | undefined, Response>(
  options: HttpOptions<Event> & { readonly required?: true },
  handler: (event: Event, context: Context, claim: Claim) => Promise<Response> | Response,
): (event: Event, context: Context) => Promise<Response | OwnResponse>;
/** As above; where a key is not required, a request without one has no claim. */
export function onceOverHttp<Event extends HttpEvent, Context extends RequestContext | undefined, Response>(
  options: HttpOptions<Event>,
  handler: (event: Event, context: Context, claim: Claim | undefined) => Promise<Response> | Response,
): (event: Event, context: Context) => Promise<Response | OwnResponse>;
/**
 * A handler with a type of its own, such as `APIGatewayProxyHandlerV2`, `APIGatewayProxyHandler`, `ALBHandler` or `LambdaFunctionURLHandler`. Its third
 * parameter is the callback of earlier runtimes, and is not for use: the handler has to be async.
 */
export function onceOverHttp<Event extends HttpEvent, Context extends RequestContext | undefined, Response>(
  options: HttpOptions<Event>,
  handler: (event: Event, context: Context, callback: never) => Returned<Response>,
): (event: Event, context: Context) => Promise<Response | OwnResponse>;
export function onceOverHttp<Event extends HttpEvent, Context extends RequestContext | undefined, Response>(
  options: HttpOptions<Event>,
  handler: (event: Event, context: Context, claim: never) => Returned<Response>,
): (event: Event, context: Context) => Promise<Response | OwnResponse> {
  expectOptions(options, {
    door: 'onceOverHttp',
    known: httpRows,
    refused: ofOtherDoors(httpRows),
    docs: 'docs/guides/http.md',
  });
  expectFunction('the handler of onceOverHttp', 'a function, after the options', handler, 'wrong-handler');
  const gate = createGate(options, handler);
  // One that has a published type takes no claim: it leaves its third parameter alone.
  const call = handler as (event: Event, context: Context, claim: Claim) => Returned<Response>;

  return async function onceOverHttpHandler(event, context) {
    const observed = gate.settings.enforcedShare && observedRequest(gate, event, context);
    if (observed !== undefined) return watched(observed, (claim) => call(event, context, claim));
    const entered = await enter(gate, event, context);
    switch (entered.kind) {
      case 'answered':
        return entered.answer;
      case 'without-key':
        // Only where the author said that a key is not required: then the handler takes it into account.
        return withoutClaim(options.operation, returned(handler(event, context, undefined as never)));
      case 'admitted':
        return handle(gate, entered.admitted, (claim) => returned(call(event, context, claim)));
    }
  };
}

/** Calls a handler as it would be called without pawl, and watches it. */
async function watched<Response>(
  observed: ObservedRequest,
  handler: (claim: Claim) => Returned<Response>,
): Promise<Response> {
  let answered: Response;
  try {
    answered = (await handler(observed.run.claim)) as Response;
  } catch (error) {
    await observed.threw(error);
    throw error;
  }
  await observed.responded(answered);
  return answered;
}

async function withoutClaim<Response>(operation: string, called: Promise<Response> | Response): Promise<Response> {
  const answered = expectRun(await called, 'the handler');
  await Promise.all(expectFinished(operation, called, answered));
  return answered;
}

// biome-ignore lint/suspicious/noConfusingVoidType: the published types of handlers have it, for those that call back.
type Returned<Response> = Promise<Response> | Response | void;

/**
 * What a handler returned. One that returns nothing at once would call back later: taken for a response, that would complete the claim of an effect which
 * has not happened.
 */
function returned<Response>(response: Returned<Response>): Promise<Response> | Response {
  if (response !== undefined) return response;
  throw explainedError(
    TypeError,
    'onceOverHttp: the handler returned nothing; expected a promise of its response. Make it async.',
    'wrong-handler',
  );
}
