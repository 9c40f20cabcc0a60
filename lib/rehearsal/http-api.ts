import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type HttpServer, readBody, startHttpServer } from './http.ts';
import { createRouter, type Match } from './http-routes.ts';
import type { Outcome } from './sandbox.ts';
import { record } from './template.ts';

/** A route of an HTTP API, and the function behind it. */
export interface HttpRoute {
  /** As API Gateway has it: `POST /invoices/{id}`, `ANY /files/{proxy+}`, or `$default`. */
  readonly key: string;
  /** Without it, a request gets a 501: what is behind the route is not run. */
  readonly invoke?: (event: unknown) => Promise<Outcome>;
}

/**
 * How many requests may be under way. As where a concurrency is set, any more are throttled: if they waited, they would be run for clients
 * that have given up, and the retries of those clients would wait behind them.
 */
const MOST_AT_ONCE = 30;

/** An API from the inside of this file. */
interface State {
  readonly match: (method: string, path: string) => Match<HttpRoute> | undefined;
  underWay: number;
}

/**
 * Starts a stand-in for an HTTP API: a request becomes an event of payload 2.0, and the function's response the response. Without a route
 * for it, a request is a 404. If a function gives no response, the request is a 502. Too many requests at once are a 503.
 */
export async function startHttpApi(routes: readonly HttpRoute[]): Promise<HttpServer> {
  return startHttpServer(httpApiListener(routes));
}

export function httpApiListener(routes: readonly HttpRoute[]): RequestListener {
  const state: State = { match: createRouter(routes), underWay: 0 };
  return (request, response) => {
    if (state.underWay >= MOST_AT_ONCE) {
      response.writeHead(503).end();
      return;
    }
    state.underWay += 1;
    handle(state, request, response)
      .catch(() => response.destroy())
      .finally(() => {
        state.underWay -= 1;
      });
  };
}

async function handle({ match }: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = urlOf(request);
  const found = match(request.method ?? 'GET', pathname);
  if (found === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not Found"}');
    return;
  }
  if (found.route.invoke === undefined) {
    response.writeHead(501).end('{"message":"A rehearsal does not run what is behind this route."}');
    return;
  }
  const outcome = await found.route.invoke(await eventOf(request, found));
  const answer = record(outcome.kind === 'response' ? outcome.value : undefined);
  if (typeof answer['statusCode'] !== 'number') {
    response.writeHead(502).end();
    return;
  }
  const body = String(answer['body'] ?? '');
  const headers = Object.entries(record(answer['headers'])).map(([name, value]) => [name, String(value)]);
  response.writeHead(answer['statusCode'], Object.fromEntries(headers));
  response.end(answer['isBase64Encoded'] === true ? Buffer.from(body, 'base64') : body);
}

async function eventOf(request: IncomingMessage, { route, parameters }: Match<HttpRoute>) {
  const { pathname, searchParams, search } = urlOf(request);
  const method = request.method ?? 'GET';
  return {
    version: '2.0',
    routeKey: route.key,
    rawPath: pathname,
    rawQueryString: search.slice(1),
    queryStringParameters: Object.fromEntries(searchParams),
    ...(Object.keys(parameters).length > 0 ? { pathParameters: parameters } : {}),
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    requestContext: { http: { method, path: pathname, sourceIp: '127.0.0.1' }, stage: '$default' },
    body: (await readBody(request)).toString('utf8'),
    isBase64Encoded: false,
  };
}

function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? '/', 'http://local');
}
