import type { Claim } from '../claims/claim.ts';
import { expectOptions, ofQueues, ofWorlds } from '../kernel/take-options.ts';
import type { HttpEvent } from './event.ts';
import { createGate, type RequestContext } from './gate.ts';
import { type HttpOptions, httpOptionNames } from './options.ts';
import type { OwnResponse } from './response.ts';

/**
 * Wraps the handler of an HTTP API so that each request's effect happens once per idempotency key, and its duplicates get the recorded
 * response. For API Gateway (payloads 1.0 and 2.0), function URLs and load balancers.
 *
 * The returned function answers 400 to a missing or malformed key, 409 while the first request is under way or in doubt, 422 to another
 * request with the same key, and 503 when the claims cannot be reached, or when the handler throws an error that says when to come
 * again, such as `ResourcesBusyError`. It rejects with whatever else the handler threw, once that is recorded.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * export const handler = onceOverHttp(
 *   { operation: 'refund', store, caller: (event: APIGatewayProxyEventV2) => accountOf(event), onAbandoned: 'retry' },
 *   async (event, _context, claim) => {
 *     const refund = await payments.refund(JSON.parse(event.body ?? ''), { idempotencyKey: claim.effectKey });
 *     return { statusCode: 201, body: JSON.stringify(refund) };
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
export function onceOverHttp<Event extends HttpEvent, Context extends RequestContext | undefined, Response>(
  options: HttpOptions<Event>,
  handler: (event: Event, context: Context, claim: Claim) => Promise<Response> | Response,
): (event: Event, context: Context) => Promise<Response | OwnResponse> {
  const known = { ...httpOptionNames, ...ofWorlds };
  expectOptions(options, { door: 'onceOverHttp', known, refused: ofQueues, docs: 'docs/http.md' });
  const { enter, handle } = createGate(options);

  return async function onceOverHttpHandler(event, context) {
    const { answer, admitted } = await enter(event, context);
    if (answer) return answer;
    // Without a claim only where the author said that a key is not required, and takes it into account.
    if (admitted === undefined) return handler(event, context, undefined as never);
    return handle(admitted, (claim) => handler(event, context, claim)) as Promise<Response | OwnResponse>;
  };
}
