import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { rehearsedAccount } from '../../engine/app/template.ts';
import { readBody } from '../../engine/http.ts';

/** A request that has found its route. */
export interface RoutedRequest {
  readonly request: IncomingMessage;
  readonly key: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly stage: string;
  /** The path behind the stage. */
  readonly path: string;
  readonly apiId: string;
  /** The media types that are handed over in base64 by a REST API. */
  readonly binary: readonly string[];
}

/** The event of payload 2.0: of HTTP APIs and function URLs. */
export async function eventOfPayload2(routed: RoutedRequest) {
  const { request, key, parameters, stage, apiId } = routed;
  const { pathname, searchParams, search } = urlOf(request);
  const { cookie, ...headers } = headersOf(request);
  const body = await readBody(request);
  const isBase64Encoded = body.length > 0 && !isText(headers['content-type']);
  const queries = [...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name).join(',')]);
  return {
    version: '2.0',
    routeKey: key,
    rawPath: pathname,
    rawQueryString: search.slice(1),
    ...(cookie === undefined ? {} : { cookies: cookie.split(/;\s*/) }),
    headers,
    // What a request does not have is not in its event.
    ...(queries.length > 0 ? { queryStringParameters: Object.fromEntries(queries) } : {}),
    ...(Object.keys(parameters).length > 0 ? { pathParameters: parameters } : {}),
    requestContext: {
      ...contextOf(routed),
      apiId,
      routeKey: key,
      stage,
      http: {
        method: request.method ?? 'GET',
        path: pathname,
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
    },
    ...(body.length > 0 ? { body: body.toString(isBase64Encoded ? 'base64' : 'utf8') } : {}),
    isBase64Encoded,
  };
}

/** The event of payload 1.0: of REST APIs, and of HTTP APIs that ask for it. */
export async function eventOfPayload1(routed: RoutedRequest) {
  const { request, key, parameters, stage, path, apiId, binary } = routed;
  const { searchParams, pathname } = urlOf(request);
  const headers = headersOf(request);
  const body = await readBody(request);
  const isBase64Encoded = body.length > 0 && binary.some((type) => type === '*/*' || type === headers['content-type']);
  const queries = [...new Set(searchParams.keys())];
  const [, resource = path] = key.split(' ');
  return {
    version: '1.0',
    resource,
    path,
    httpMethod: request.method ?? 'GET',
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters:
      queries.length === 0 ? null : Object.fromEntries(queries.map((name) => [name, searchParams.getAll(name).at(-1)])),
    multiValueQueryStringParameters:
      queries.length === 0 ? null : Object.fromEntries(queries.map((name) => [name, searchParams.getAll(name)])),
    pathParameters: Object.keys(parameters).length > 0 ? parameters : null,
    stageVariables: null,
    requestContext: {
      ...contextOf(routed),
      apiId,
      stage,
      httpMethod: request.method ?? 'GET',
      path: pathname,
      resourcePath: resource,
      protocol: 'HTTP/1.1',
      identity: { sourceIp: '127.0.0.1', userAgent: headers['user-agent'] ?? '' },
    },
    body: body.length === 0 ? null : body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  };
}

function contextOf({ request }: RoutedRequest) {
  return {
    accountId: rehearsedAccount,
    domainName: request.headers.host ?? '',
    requestId: randomUUID(),
    time: new Date().toUTCString(),
    timeEpoch: Date.now(),
  };
}

function headersOf(request: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}

const texts = new Set(['application/json', 'application/javascript', 'application/xml']);

/** An HTTP API hands over as text what says that it is one. Without a type, a body is a text. */
function isText(contentType: string | undefined): boolean {
  if (contentType === undefined) return true;
  const [type = ''] = contentType.toLowerCase().split(';');
  return type.startsWith('text/') || texts.has(type.trim()) || type.endsWith('+json') || type.endsWith('+xml');
}

export function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? '/', 'http://local');
}
