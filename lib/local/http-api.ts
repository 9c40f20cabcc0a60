import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpServer, readBody, startHttpServer } from './http.ts';
import type { Outcome } from './sandbox.ts';
import { record } from './template.ts';

/** A stand-in for an HTTP API in front of one function: payload 2.0 in, its response out. Whatever else becomes of the function is a 502. */
export async function startHttpApi(invoke: (event: unknown) => Promise<Outcome>): Promise<HttpServer> {
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
    handle(request, response).catch(() => response.destroy());
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
