import type { ClientRequest } from 'node:http';

/** One try of a request, signed. */
export interface HttpTry {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** What became of a try. */
export type HttpResult =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: {
        readonly date?: string | undefined;
        readonly crc32?: string | undefined;
        /** The error's name in the service's older protocol, and whose fault it is: `AWS.SimpleQueueService.NonExistentQueue;Sender`. */
        readonly queryError?: string | undefined;
      };
      readonly body: Buffer;
    }
  | {
      /** The connection failed. The request may have been applied. */
      readonly kind: 'failed';
      readonly error: Error;
      /** The connection had served another request before: the service may have closed it in between. */
      readonly wasIdle: boolean;
    };

/** The way to one endpoint. `signedRequests` decides what is sent again, and when a try is given up. */
export interface Http {
  /** @returns gives the try up. `done` is not called after that */
  send(request: HttpTry, done: (result: HttpResult) => void): () => void;
  /** Closes the connections that no request uses. */
  dropIdle(): void;
  /** Closes all connections. */
  destroy(): void;
}

/** For so long a connection may take, in milliseconds. */
const connectMs = 1000;
/** As many connections as the SDK opens. */
const maxSockets = 50;

/**
 * Node's own client. Not by `import`: an ES module reads each export of `node:http`, also those that load all of `fetch`. That is half of what a
 * function without the SDK takes to be imported.
 */
export function clientFor({ protocol }: URL): Pick<typeof import('node:http'), 'Agent' | 'request'> {
  if (protocol === 'http:') return process.getBuiltinModule('node:http');
  return process.getBuiltinModule('node:https');
}

/** The way to an endpoint by Node's own client, over connections that are kept. */
export function nodeHttp(endpoint: URL): Http {
  const { Agent, request } = clientFor(endpoint);
  const agent = new Agent({ keepAlive: true, maxSockets });
  const target = {
    agent,
    method: 'POST',
    hostname: endpoint.hostname.replace(/^\[|\]$/g, ''),
    port: endpoint.port,
    path: '/',
  };

  return {
    send({ headers, body }, done) {
      let isOver = false;
      const end = (result: HttpResult) => {
        if (isOver) return;
        isOver = true;
        done(result);
      };
      const sent = request({ ...target, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', (error) => end({ kind: 'failed', error, wasIdle: false }));
        response.on('end', () => {
          const [first] = chunks;
          end({
            kind: 'response',
            status: response.statusCode ?? 0,
            headers: {
              date: response.headers.date,
              crc32: textOf(response.headers['x-amz-crc32']),
              queryError: textOf(response.headers['x-amzn-query-error']),
            },
            body: first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks),
          });
        });
      });
      sent.on('error', (error) => end({ kind: 'failed', error, wasIdle: sent.reusedSocket }));
      giveUpConnecting(sent);
      sent.end(body);
      return () => {
        isOver = true;
        sent.destroy();
      };
    },
    dropIdle() {
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    },
    destroy: () => agent.destroy(),
  };
}

/** A host that drops packets would hold the whole try. */
function giveUpConnecting(sent: ClientRequest): void {
  sent.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => {
      sent.destroy(Object.assign(new Error(`no connection after ${connectMs} ms`), { code: 'ETIMEDOUT' }));
    }, connectMs);
    const cancel = () => clearTimeout(timer);
    socket.once('connect', cancel);
    socket.once('close', cancel);
  });
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
