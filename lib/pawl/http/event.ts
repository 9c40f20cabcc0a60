import { isUtf8 } from 'node:buffer';
import { explainedError } from '../kernel/errors.ts';
import { shapeOf } from '../payload/event-shape.ts';
import { type JsonPayload, payloadOf } from '../payload/payload.ts';

type Values = Readonly<Record<string, string | undefined>> | null | undefined;
type ManyValues = Readonly<Record<string, readonly string[] | undefined>> | null | undefined;

/**
 * A request as Lambda gets it from API Gateway (payloads 1.0 and 2.0), from a function URL, or from a load balancer, as far as pawl
 * reads it. The types of `@types/aws-lambda` fit.
 */
export interface HttpEvent {
  readonly httpMethod?: string;
  readonly path?: string;
  readonly rawPath?: string;
  readonly rawQueryString?: string;
  readonly headers?: Values;
  readonly multiValueHeaders?: ManyValues;
  readonly queryStringParameters?: Values;
  readonly multiValueQueryStringParameters?: ManyValues;
  readonly requestContext?: object;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean;
  /** The body as it was sent, where a middleware that parses it in place has kept it. */
  readonly rawBody?: string | null | undefined;
}

/**
 * One request, of any of these services.
 *
 * @example
 * const key = ({ method, path, header }: HttpRequest<HttpEvent>) => `${method} ${path} ${header('x-request-id')}`;
 */
export interface HttpRequest<Event> {
  /** The event of Lambda, as it was delivered. */
  readonly event: Event;
  /** The method, in capitals. */
  readonly method: string;
  /** The path, without the query. */
  readonly path: string;
  /**
   * The parsed JSON of the body.
   * @throws InvalidMessageError when it is none
   */
  readonly body: unknown;
  /** The body as it was sent; base64 if it is no text. Empty where there is none. */
  readonly text: string;
  /** What another middleware has made of the body, where the text that was sent is lost: `text` is its JSON then. */
  readonly parsedBody?: object | undefined;
  /** All values of a header, joined by commas. The case of its name does not matter. */
  header(name: string): string | undefined;
  /** The values of each query parameter. */
  readonly query: Readonly<Record<string, readonly string[]>>;
}

/** Whether the service speaks in headers of many values only: a load balancer whose target group has them switched on. */
export function speaksMultiValue({ headers, multiValueHeaders }: HttpEvent): boolean {
  return Boolean(multiValueHeaders && !headers);
}

/** Whether the service makes a response of whatever a function returns: payload 2.0, which function URLs have as well. */
export function infersResponses(event: HttpEvent): boolean {
  return event.httpMethod === undefined;
}

/** @throws TypeError when it is no request of HTTP */
export function requestOf<Event extends HttpEvent>(event: Event): HttpRequest<Event> {
  const context: { readonly http?: { readonly method?: string } } | undefined = event?.requestContext;
  const method = event?.httpMethod ?? context?.http?.method;
  if (method === undefined) throw wrongEvent(event);
  const { text, parsedBody } = bodyOf(event);
  let payload: JsonPayload | undefined;
  return {
    event,
    method: method.toUpperCase(),
    path: event.rawPath ?? event.path ?? '/',
    text,
    parsedBody,
    get query() {
      return queryOf(event);
    },
    get body() {
      payload ??= payloadOf(text);
      return payload.json;
    },
    header: (name) => headerOf(event, name.toLowerCase()),
  };
}

function wrongEvent(event: unknown): TypeError {
  const { looksLike, advice } = shapeOf(event);
  return explainedError(
    TypeError,
    `expected an event of API Gateway, a function URL or a load balancer; this looks like ${looksLike}. Nothing was run. What to do: ${advice}`,
    'wrong-event',
  );
}

/** The body as it was sent; or what was made of it, where that is all there is. */
function bodyOf(event: HttpEvent): { readonly text: string; readonly parsedBody?: object | undefined } {
  const body: unknown = event.body;
  if (body === undefined || body === null) return { text: '' };
  if (typeof body === 'string') return { text: decoded(body, event) };
  // Other middlewares parse bodies in place. Numbers may have lost digits by then, so the text is better where it was kept.
  if (typeof event.rawBody === 'string') return { text: decoded(event.rawBody, event) };
  return { text: JSON.stringify(body), parsedBody: typeof body === 'object' ? body : undefined };
}

function decoded(body: string, { isBase64Encoded }: HttpEvent): string {
  if (!isBase64Encoded) return body;
  const bytes = Buffer.from(body, 'base64');
  return isUtf8(bytes) ? bytes.toString() : bytes.toString('base64');
}

function headerOf({ headers, multiValueHeaders }: HttpEvent, name: string): string | undefined {
  const values: string[] = [];
  // Of a header that was sent twice, `headers` has only the last value.
  for (const [given, value] of Object.entries(multiValueHeaders ?? headers ?? {})) {
    if (given.toLowerCase() === name && value !== undefined) values.push(...[value].flat());
  }
  return values.length === 0 ? undefined : values.join(', ');
}

function queryOf(event: HttpEvent): Record<string, string[]> {
  const query: [string, string[]][] = [];
  if (event.rawQueryString !== undefined) {
    const sent = new URLSearchParams(event.rawQueryString);
    for (const name of new Set(sent.keys())) query.push([name, sent.getAll(name)]);
  } else {
    const sent = event.multiValueQueryStringParameters ?? event.queryStringParameters ?? {};
    for (const [name, value] of Object.entries(sent)) if (value !== undefined) query.push([name, [value].flat()]);
  }
  // Not by assignment: `__proto__` is a name that any client may send.
  return Object.fromEntries(query);
}
