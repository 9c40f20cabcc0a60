import { longestTimeMs } from '../kernel/check.ts';
import { bytesOf } from '../kernel/text.ts';
import { type HttpEvent, infersResponses, speaksMultiValue } from './event.ts';

type HeaderValue = boolean | number | string;

/** A response as API Gateway, a function URL or a load balancer takes it from a function. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly statusDescription?: string | undefined;
  readonly headers?: Readonly<Record<string, HeaderValue>> | undefined;
  // Lists that can be changed, as the published types of all services have them: a handler that returns this has to fit those.
  readonly multiValueHeaders?: Readonly<Record<string, HeaderValue[]>> | undefined;
  readonly cookies?: string[] | undefined;
  readonly body?: string | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** What pawl returns by itself: a replay, or problem details. It always has a body, as the type of API Gateway's payload 1.0 has it. */
export interface OwnResponse extends HttpResponse {
  readonly body: string;
}

/** A response as it is kept on the claim. */
export type Kept = HttpResponse & { readonly bodyOmitted?: true };

/** Why pawl responds by itself; the `reason` of its problem details. */
export type ProblemReason = keyof typeof problems;

const problems = {
  'missing-key': [400, 'Bad Request', 'This request has no idempotency key, and needs one.'],
  'invalid-key': [400, 'Bad Request', 'The idempotency key of this request is malformed.'],
  'invalid-request': [400, 'Bad Request', 'The body of this request is not valid.'],
  'no-caller': [403, 'Forbidden', 'The sender of this request is unknown.'],
  'in-flight': [409, 'Conflict', 'A request with this idempotency key is still in progress. Send it again later.'],
  'in-doubt': [
    409,
    'Conflict',
    'It is not yet known whether an earlier request with this idempotency key took effect. Send it again later.',
  ],
  parked: [
    409,
    'Conflict',
    'It is not known whether an earlier request with this idempotency key took effect. It does not run again until an operator decides.',
  ],
  'given-up': [
    409,
    'Conflict',
    'Earlier requests with this idempotency key were refused too often, and nothing was applied. It does not run again until an operator decides.',
  ],
  'key-reused': [422, 'Unprocessable Content', 'An earlier request used this idempotency key with other content.'],
  rejected: [422, 'Unprocessable Content', 'The request with this idempotency key was refused for good.'],
  busy: [503, 'Service Unavailable', 'Nothing was done: what this request needs is in use. Send it again later.'],
  'not-started': [503, 'Service Unavailable', 'Nothing was done: too little time was left. Send it again later.'],
  unavailable: [
    503,
    'Service Unavailable',
    'Nothing was done: it is not known whether it was done before. Send it again later.',
  ],
} as const;

/** Says that a response was made earlier. */
const replayedHeader = 'Idempotency-Replayed';
/** Says that the body of a replayed response is not there, because it was not kept. */
const bodyOmittedHeader = 'Idempotency-Body-Omitted';

/**
 * The status of a response, if it is one. Anything else says nothing: 0 is what clients report for a network that failed, and a service
 * makes an error of null, of 99, and of 600. API Gateway takes a status as a text as well.
 */
function statusOf(statusCode: unknown): number | undefined {
  const isText = typeof statusCode === 'string' && /^\d{3}$/.test(statusCode);
  const status = isText ? Number(statusCode) : statusCode;
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599;
  return isStatus ? status : undefined;
}

/** The response that a service makes of what a function returned. @returns undefined when the service makes an error of it */
export function responseOf(event: HttpEvent, answered: unknown): HttpResponse | undefined {
  if (hasStatus(answered)) {
    const statusCode = statusOf(answered.statusCode);
    return statusCode === undefined ? undefined : { ...answered, statusCode };
  }
  if (!infersResponses(event)) return undefined;
  const body = typeof answered === 'string' ? answered : JSON.stringify(answered ?? null);
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body };
}

function hasStatus(value: unknown): value is { readonly statusCode: unknown } {
  return typeof value === 'object' && value !== null && 'statusCode' in value && value.statusCode !== undefined;
}

/** What was recorded, or what a provider said, as the response to replay. It may be none. */
export function asKept(value: unknown): Kept | undefined {
  const statusCode = hasStatus(value) ? statusOf(value.statusCode) : undefined;
  return statusCode === undefined ? undefined : { ...(value as Kept), statusCode };
}

/**
 * Whether a response says that nothing was applied. Only a client's error does, except for the two that time-outs make: 408 of an
 * early time-out, and 499 of a proxy.
 */
export function saysNothingApplied({ statusCode }: HttpResponse): boolean {
  return statusCode >= 400 && statusCode < 500 && statusCode !== 408 && statusCode !== 499;
}

/** What of a response is kept: all of it, or all but its body, where that is too large. */
export function keptOf(response: HttpResponse, maxBytes: number): Kept {
  const { statusCode, statusDescription, headers, multiValueHeaders, cookies, body, isBase64Encoded } = response;
  const rest = { statusCode, statusDescription, cookies };
  const whole: Kept = { ...rest, headers, multiValueHeaders, body, isBase64Encoded };
  if (body === undefined || body === null || isNotTooLarge(whole, maxBytes)) return whole;
  return {
    ...rest,
    headers: withoutBody(headers),
    multiValueHeaders: withoutBody(multiValueHeaders),
    bodyOmitted: true,
  };
}

function isNotTooLarge(whole: Kept, maxBytes: number): boolean {
  try {
    return bytesOf(JSON.stringify(whole)) <= maxBytes;
  } catch {
    // No JSON at all: a BigInt, a cycle, a toJSON that throws. The completion leaves it out, and says so. Thrown from here, it would
    // look like an error of the handler's, and repeat an effect that has happened.
    return true;
  }
}

/** Headers that describe a body would be untrue of none. */
function withoutBody<Value>(headers: Readonly<Record<string, Value>> | undefined) {
  if (headers === undefined || headers === null) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !describesBody(name.toLowerCase())));
}

/** Headers about a body, besides those that begin with `content-`. */
const aboutBody: readonly string[] = ['digest', 'repr-digest', 'transfer-encoding'];
/** Headers that begin with `content-` and are not about the body. */
const notAboutBody: readonly string[] = ['content-location', 'content-security'];

function describesBody(name: string): boolean {
  if (name.startsWith('content-')) return !notAboutBody.some((start) => name.startsWith(start));
  return aboutBody.includes(name);
}

/** The recorded response, marked as a replay. @param kept undefined where the effect is known, and its response is not */
export function replayOf(event: HttpEvent, kept: Kept | undefined): OwnResponse {
  const { bodyOmitted, ...response } = kept ?? { statusCode: 204, bodyOmitted: true };
  return withHeaders(
    event,
    // As it was: the service makes an empty body of none, and of null. Its type says that there is one, as that of the handler's own response does.
    { ...(bodyOmitted && { body: '' }), ...response } as OwnResponse,
    { [replayedHeader]: 'true', ...(bodyOmitted && { [bodyOmittedHeader]: 'true' }) },
  );
}

/**
 * A response of pawl's own that no other middleware sees. If its body is no text, because a middleware was to make a text of it, its JSON is the
 * body: a service makes an error of an object.
 */
export function asLast(event: HttpEvent, response: OwnResponse | undefined): OwnResponse | undefined {
  const { body }: { readonly body?: unknown } = response ?? {};
  // None is none, and null as well: as JSON it would be the text `null`.
  if (response === undefined || body === undefined || body === null || typeof body === 'string') return response;
  const added: Record<string, string> = hasHeader(response, 'content-type')
    ? {}
    : { 'content-type': 'application/json' };
  return withHeaders(event, { ...response, body: JSON.stringify(body) }, added);
}

function hasHeader({ headers, multiValueHeaders }: HttpResponse, name: string): boolean {
  return Object.keys({ ...headers, ...multiValueHeaders }).some((other) => other.toLowerCase() === name);
}

/** A time as `Retry-After` has it: whole seconds, in digits. An author's error may say any number, and JavaScript writes a large one with an exponent. */
function secondsOf(ms: number): string {
  return String(Math.ceil(Math.min(Math.max(1, ms / 1000), longestTimeMs / 1000)));
}

interface ProblemFacts {
  readonly retryAfterMs?: number | undefined;
  readonly documentation?: string | undefined;
  readonly replayed?: boolean;
  /** What the client is to send instead. */
  readonly toDo?: string | undefined;
}

/**
 * A response of pawl's own, as problem details (RFC 9457).
 *
 * @param documentation where the author documents this, if they do: the problem's type is `documentation#reason` then
 */
export function problemOf(
  event: HttpEvent,
  reason: ProblemReason,
  { retryAfterMs, documentation, replayed, toDo }: ProblemFacts,
): OwnResponse {
  const [status, title, general] = problems[reason];
  const detail = toDo === undefined ? general : `${general} ${toDo.charAt(0).toUpperCase()}${toDo.slice(1)}.`;
  const type = documentation === undefined ? 'about:blank' : `${documentation}#${reason}`;
  return withHeaders(
    event,
    { statusCode: status, body: JSON.stringify({ type, title, status, detail, reason }) },
    {
      'content-type': 'application/problem+json',
      ...(retryAfterMs !== undefined && { 'retry-after': secondsOf(retryAfterMs) }),
      ...(documentation !== undefined && { link: `<${documentation}>; rel="describedby"` }),
      ...(replayed && { [replayedHeader]: 'true' }),
    },
  );
}

/** Adds headers in the form that the service reads. */
function withHeaders(event: HttpEvent, response: OwnResponse, headers: Record<string, string>): OwnResponse {
  if (!speaksMultiValue(event)) return { ...response, headers: { ...response.headers, ...headers } };
  const many = Object.entries(headers).map(([name, value]) => [name, [value]]);
  return { ...response, multiValueHeaders: { ...response.multiValueHeaders, ...Object.fromEntries(many) } };
}
