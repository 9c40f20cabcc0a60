import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { type HttpServer, readBody, startHttpServer } from '../../lib/rehearsal/engine/http.ts';

/** What happens to one try of a request, at the level of HTTP. */
export type HttpFault =
  | { readonly kind: 'reset-before' }
  /** Applied, and the connection ends in the middle of the response, without one, or right behind it. */
  | { readonly kind: 'reset-within' }
  | { readonly kind: 'reset-after'; readonly responds: boolean }
  /** Applied, and half of the response comes with a length that says it is all. */
  | { readonly kind: 'half-body' }
  | { readonly kind: 'wrong-crc' }
  /** A body that a proxy made. */
  | { readonly kind: 'no-json' }
  /** Applied, and a byte of the response comes every now and then. */
  | { readonly kind: 'trickle' }
  /** Never responds. */
  | { readonly kind: 'silence' }
  | { readonly kind: 'status'; readonly status: number; readonly name?: string; readonly applied?: boolean };

/** A request as it arrives. */
export interface Arrival {
  readonly operation: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** How many requests this connection has carried before. */
  readonly earlier: number;
}

export interface FaultyHttp extends HttpServer {
  readonly arrivals: readonly Arrival[];
}

export interface FaultyService {
  /** Of the service that serves the requests. */
  readonly endpoint: string;
  /** The service's own clock. */
  readonly now?: () => number;
  /** SQS sends no checksum. */
  readonly hasChecksum?: boolean;
}

/** A service behind an unreliable way: each request that arrives meets what `faultOf` says, and is served otherwise. */
export async function startFaultyHttp(
  { endpoint, now = Date.now, hasChecksum = true }: FaultyService,
  faultOf: (arrival: Arrival) => HttpFault | undefined,
): Promise<FaultyHttp> {
  const arrivals: Arrival[] = [];
  const carried = new WeakMap<object, number>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await readBody(request)).toString('utf8');
    const earlier = carried.get(request.socket) ?? 0;
    carried.set(request.socket, earlier + 1);
    const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '');
    const arrival = { operation, body, headers: request.headers, earlier };
    arrivals.push(arrival);
    const fault = faultOf(arrival);
    if (fault?.kind === 'reset-before') return void request.socket.destroy();
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'status' && !fault.applied) return failWith(response, fault);
    const served = await forward(request, body);
    switch (fault?.kind) {
      case undefined:
        return end(response, served);
      case 'status':
        return failWith(response, fault);
      case 'reset-within':
        response.writeHead(200, headersOf(served.body));
        response.write(served.body.subarray(0, served.body.length >> 1), () => request.socket.destroy());
        return;
      case 'reset-after':
        if (!fault.responds) return void request.socket.destroy();
        end(response, served);
        response.once('finish', () => request.socket.destroy());
        return;
      case 'half-body': {
        const half = served.body.subarray(0, served.body.length >> 1);
        response.writeHead(200, { ...headersOf(served.body), 'content-length': half.length }).end(half);
        return;
      }
      case 'wrong-crc':
        response.writeHead(200, { ...headersOf(served.body), 'x-amz-crc32': '1' }).end(served.body);
        return;
      case 'no-json':
        response.writeHead(200, {}).end('<html>');
        return;
      case 'trickle':
        return trickle(response, served.body);
    }
  }

  async function forward(request: IncomingMessage, body: string) {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(
        ([name]) => name === 'content-type' || /^x-amz-target|^authoriz/.test(name),
      ),
    ) as Record<string, string>;
    const real = await fetch(endpoint, { method: 'POST', headers, body });
    const queryError = real.headers.get('x-amzn-query-error');
    const about = queryError === null ? {} : { 'x-amzn-query-error': queryError };
    return { status: real.status, about, body: Buffer.from(await real.arrayBuffer()) };
  }

  const dated = () => ({ date: new Date(now()).toUTCString() });
  const headersOf = (body: Buffer) => ({
    ...dated(),
    'content-type': 'application/x-amz-json-1.0',
    'content-length': body.length,
    ...(hasChecksum && { 'x-amz-crc32': String(crc32(body)) }),
  });

  function end(
    response: ServerResponse,
    { status, about, body }: { readonly status: number; readonly about?: object; readonly body: Buffer },
  ): void {
    response.writeHead(status, { ...headersOf(body), ...about }).end(body);
  }

  function failWith(response: ServerResponse, { status, name }: Extract<HttpFault, { kind: 'status' }>): void {
    const said = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'injected' };
    end(response, { status, body: Buffer.from(name === undefined ? 'unavailable' : JSON.stringify(said)) });
  }

  function trickle(response: ServerResponse, body: Buffer): void {
    let at = 0;
    response.writeHead(200, headersOf(body));
    const timer = setInterval(() => {
      if (at >= body.length || response.destroyed) return void clearInterval(timer);
      response.write(body.subarray(at, ++at));
    }, 20);
    response.once('close', () => clearInterval(timer));
  }

  const server = await startHttpServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  return { ...server, arrivals };
}
