import { readBody, startHttpServer } from '../../lib/rehearsal/engine/http.ts';
import { apiGatewayV2 } from './http-events.ts';
import { context } from './lambda.ts';

type V2Event = ReturnType<typeof apiGatewayV2>;

/** A real HTTP server in front of a handler, as an HTTP API is: payload 2.0, and 502 for what the handler throws. */
export async function startHttpApi(handler: (event: V2Event, context: ReturnType<typeof lambdaContext>) => unknown) {
  const thrown: unknown[] = [];
  const server = await startHttpServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://api');
    const event = apiGatewayV2({
      method: request.method ?? 'GET',
      path: pathname,
      query: search.slice(1),
      // As Node joins them: with commas.
      headers: Object.fromEntries(Object.entries(request.headersDistinct).map(([n, v]) => [n, v?.join(', ') ?? ''])),
      body: (await readBody(request)).toString() || undefined,
    });
    try {
      const answered = Object((await handler(event, lambdaContext())) ?? null);
      const { statusCode = 200, headers = {}, body = '', isBase64Encoded } = answered;
      response.writeHead(statusCode, headers).end(isBase64Encoded ? Buffer.from(body, 'base64') : body);
    } catch (error) {
      thrown.push(error);
      response.writeHead(502).end();
    }
  });
  return {
    thrown,
    stop: server.stop,
    /** A request of a client; `key` is sent as it is given. */
    send(key: string | undefined, body: unknown, more: { headers?: Record<string, string>; path?: string } = {}) {
      return fetch(`${server.endpoint}${more.path ?? '/refunds'}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key !== undefined && { 'idempotency-key': key }),
          ...more.headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    },
  };
}

function lambdaContext() {
  return { ...context(20_000) };
}
