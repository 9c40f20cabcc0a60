import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

/** A running HTTP server of 127.0.0.1. */
export interface HttpServer {
  readonly endpoint: string;
  /** Ends the server and every connection to it. Calling it again does nothing. */
  stop(): Promise<void>;
}

/** A server that takes connections from elsewhere as well. */
export interface AcceptingServer extends HttpServer {
  /** Serves a connection that was made to another address. */
  accept(socket: Socket): void;
}

export async function startHttpServer(listener: RequestListener): Promise<AcceptingServer> {
  const server = createServer(listener);
  // Node closes an idle connection after 5 seconds. A frozen sandbox cannot see that, and would lose its first call after the thaw.
  server.keepAliveTimeout = 300_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  let stopped: Promise<void> | undefined;
  return {
    endpoint: `http://127.0.0.1:${portOf(server)}`,
    accept: (socket) => void server.emit('connection', socket),
    stop() {
      stopped ??= new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return stopped;
    },
  };
}

export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export async function readBody(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

export function sendJson(response: ServerResponse, status: number, value: unknown): Promise<void> {
  return sendText(response, status, JSON.stringify(value), 'application/json');
}

/** Resolves when the whole response was handed to the network, or the connection is gone. */
export async function sendText(response: ServerResponse, status: number, text: string, type: string): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.writeHead(status, { 'content-type': type }).end(text, () => resolve());
  });
}
