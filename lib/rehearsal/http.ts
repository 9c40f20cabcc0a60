import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';

/** A running HTTP server of 127.0.0.1. */
export interface HttpServer {
  readonly endpoint: string;
  /** Ends the server and every connection to it. Calling it again does nothing. */
  stop(): Promise<void>;
}

export async function startHttpServer(listener: RequestListener): Promise<HttpServer> {
  const server: Server = createServer(listener);
  // Node closes an idle connection after 5 seconds. A frozen sandbox cannot see that, and would lose its first call after the thaw.
  server.keepAliveTimeout = 300_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  let stopped: Promise<void> | undefined;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop() {
      stopped ??= new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return stopped;
    },
  };
}

export async function readBody(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** Resolves when the whole response was handed to the network, or the connection is gone. */
export async function sendJson(response: ServerResponse, status: number, value: unknown): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value), () => resolve());
  });
}

/** Which sandbox is calling: by the access key of the signature, or by the header that the sandbox puts on anything else. */
export function sandboxOf(request: IncomingMessage): string | undefined {
  const signed = /Credential=([^/,\s]+)\//.exec(request.headers.authorization ?? '')?.[1];
  const header = request.headers['x-local-sandbox'];
  return signed ?? (typeof header === 'string' ? header : undefined);
}
