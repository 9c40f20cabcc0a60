import type { RequestListener } from 'node:http';
import { type HttpServer, startHttpServer } from '../http.ts';

/** Servers that stand for hosts of AWS. Each has its address before it knows what to do: a function may have the address in its environment. */
export interface Doors {
  /** Starts the server that stands for a host of AWS, and returns its address. */
  addressOf(host: string): Promise<string>;
  /** Says what a server does. */
  open(host: string, listener: RequestListener): HttpServer;
}

interface Door {
  readonly server: HttpServer;
  listener: RequestListener;
}

/** What a server does before it is opened. No function runs by then that could ask it. */
const answerClosed: RequestListener = (_, response) => response.writeHead(503).end();

export function createDoors(stopping: AsyncDisposableStack): Doors {
  const doors = new Map<string, Door>();
  return {
    async addressOf(host) {
      const server = await startHttpServer((request, response) => doors.get(host)?.listener(request, response));
      stopping.defer(() => server.stop());
      doors.set(host, { server, listener: answerClosed });
      return server.endpoint;
    },
    open(host, listener) {
      const door = doors.get(host);
      if (door === undefined) throw new Error(`No server stands for ${host}.`);
      door.listener = listener;
      return door.server;
    },
  };
}
