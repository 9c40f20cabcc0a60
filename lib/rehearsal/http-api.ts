import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpServer, readBody, startHttpServer } from './http.ts';
import type { Outcome } from './sandbox.ts';
import { record } from './template.ts';

/**
 * How many requests may be under way. As where a concurrency is set, any more are throttled: if they waited, they would be run for clients
 * that have given up, and those that ask again would wait behind them.
 */
const MOST_AT_ONCE = 30;

/**
 * A stand-in for an HTTP API in front of one function: payload 2.0 in, its response out. Whatever else becomes of the function is a 502, and
 * too many requests at once are a 503.
 */
export async function startHttpApi(invoke: (event: unknown) => Promise<Outcome>): Promise<HttpServer> {
  let underWay = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const outcome = await invoke(await eventOf(request));
    const answer = record(outcome.kind === 'response' ? outcome.value : undefined);
    if (typeof answer['statusCode'] !== 'number') {
      response.writeHead(502).end();
      return;
    }
    const body = String(answer['body'] ?? '');
    response.writeHead(answer['statusCode'], record(answer['headers']) as Record<string, string>);
    response.end(answer['isBase64Encoded'] === true ? Buffer.from(body, 'base64') : body);
  }

  return startHttpServer((request, response) => {
    if (underWay >= MOST_AT_ONCE) {
      response.writeHead(503).end();
      return;
    }
    underWay += 1;
    handle(request, response)
      .catch(() => response.destroy())
      .finally(() => {
        underWay -= 1;
      });
  });
}

async function eventOf(request: IncomingMessage) {
  const { pathname, searchParams, search } = new URL(request.url ?? '/', 'http://local');
  const method = request.method ?? 'GET';
  return {
    version: '2.0',
    routeKey: `${method} ${pathname}`,
    rawPath: pathname,
    rawQueryString: search.slice(1),
    queryStringParameters: Object.fromEntries(searchParams),
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    requestContext: { http: { method, path: pathname, sourceIp: '127.0.0.1' }, stage: '$default' },
    body: (await readBody(request)).toString('utf8'),
    isBase64Encoded: false,
  };
}
