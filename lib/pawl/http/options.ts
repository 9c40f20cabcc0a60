import { type ClaimOptions, claimRows } from '../engine/options.ts';
import { type ExactRows, keyOptions, requestOptions } from '../kernel/door-options.ts';
import type { FingerprintOption } from '../payload/fingerprint-rule.ts';
import type { HttpEvent, HttpRequest } from './event.ts';
import type { RequestKey } from './key.ts';
import type { HttpResponse } from './response.ts';

/**
 * The options of `onceOverHttp` and `httpOnce`.
 *
 * @example
 * import type { APIGatewayProxyEventV2WithJWTAuthorizer } from 'aws-lambda';
 *
 * const options: HttpOptions<APIGatewayProxyEventV2WithJWTAuthorizer> = {
 *   operation: 'charge-order',
 *   store,
 *   caller: ({ requestContext }) => String(requestContext.authorizer.jwt.claims.sub),
 *   fingerprint: { ignore: ['sentAt'] },
 *   onAbandoned: 'park',
 * };
 */
export interface HttpOptions<Event extends HttpEvent> extends ClaimOptions<HttpRequest<Event>> {
  /**
   * Who sends the request, as your authorizer found out. Keys of two callers are two keys, and no caller gets a response that was made for another.
   * If the function returns nothing, the response is 403. Pass `'anyone'` explicitly if there is one caller, or if all callers share their keys.
   */
  readonly caller: 'anyone' | ((event: Event) => string | null | undefined);
  /**
   * Where the key is: `headerKey()`, `bodyField('transactionId')`, or any function of the request.
   * @default headerKey(), the `Idempotency-Key` header in its quotes
   */
  readonly key?: RequestKey<Event>;
  /**
   * Whether a request without a key is refused with 400. If not, it runs without pawl, and without a claim.
   * @default true
   */
  readonly required?: boolean | ((request: HttpRequest<Event>) => boolean);
  /**
   * Which responses are final: recorded, and replayed. Any other response is returned as it is, and the next request runs again. A 4xx other than 408
   * and 499 says that nothing was applied. Any other response says nothing about the effect: `onAbandoned` decides. Called for statuses from
   * 200 to 599 only: nothing else is a response.
   * @default from 200 to 399
   */
  readonly isFinal?: (response: HttpResponse) => boolean;
  /**
   * What of a request is its intent: the response to another intent with the same key is 422.
   *
   * - `{ ignore }`: paths of a JSON body that may change between two tries.
   * - A function, or `{ of }`: returns the text that is compared.
   * - `false`: nothing is compared.
   * - With `previous`: for a time, also accepts what was recorded by the rule before a change.
   *
   * @default { ignore: [] }: the method, the path, the query, and the whole body
   */
  readonly fingerprint?: FingerprintOption<HttpRequest<Event>>;
  /**
   * The URL of your documentation of all this: the `type` of problem details, and a `Link`.
   * @default none: the `type` is `about:blank`
   */
  readonly documentation?: string;
}

const rows = { ...claimRows, ...keyOptions, ...requestOptions };
export const httpRows = rows satisfies ExactRows<HttpOptions<HttpEvent>, typeof rows>;
