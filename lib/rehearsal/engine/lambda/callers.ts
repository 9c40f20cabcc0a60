import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { type HttpServer, portOf, startHttpServer } from '../http.ts';

/*
 * Who is calling.
 *
 * Owns: an address of its own for each sandbox, at each server that wants to know its callers. A sandbox finds it in its environment, in place of
 * the address of all. So a request belongs to a sandbox whatever client has sent it, also one that writes to a socket by itself, and nothing in the
 * author's code is touched.
 * Does not own: what the servers do, and what a sandbox is.
 */

/** The servers of this process that want to know their callers, by the port that all know. */
const servers = new Map<number, CalledServer>();

/** Which sandbox a connection is of. */
const callers = new WeakMap<Socket, string>();

interface CalledServer {
  /** Opens an address for one sandbox. */
  open(sandbox: string): Promise<Server>;
}

/** Starts a server that knows which sandbox is calling: `sandboxOf`. */
export async function startCalledServer(listener: RequestListener): Promise<HttpServer> {
  const started = await startHttpServer(listener);
  const stop = serveCallers(Number(new URL(started.endpoint).port), (socket, sandbox) => {
    callers.set(socket, sandbox);
    started.accept(socket);
  });
  return {
    endpoint: started.endpoint,
    stop() {
      stop();
      return started.stop();
    },
  };
}

/**
 * Gives each sandbox an address of its own for the server at this port, of any protocol. Returns what ends that.
 *
 * @param accept gets the connections to these addresses
 */
export function serveCallers(port: number, accept: (socket: Socket, sandbox: string) => void): () => void {
  const addresses = new Set<Server>();
  servers.set(port, {
    async open(sandbox) {
      const address = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => accept(socket, sandbox));
      await new Promise<void>((resolve, reject) => {
        address.once('error', reject);
        address.listen(0, '127.0.0.1', resolve);
      });
      addresses.add(address);
      address.once('close', () => addresses.delete(address));
      return address;
    },
  });
  return () => {
    servers.delete(port);
    for (const address of addresses) address.close();
  };
}

/** Which sandbox is calling: by the address that it has called. One that runs elsewhere, as in an emulator, by the access key of its signature. */
export function sandboxOf(request: IncomingMessage): string | undefined {
  return callers.get(request.socket) ?? /Credential=([^/,\s]+)\//.exec(request.headers.authorization ?? '')?.[1];
}

/** What a sandbox gets as its environment. */
export interface OwnAddresses {
  readonly environment: Readonly<Record<string, string>>;
  /** The sandbox has ended. */
  release(): void;
}

/** An address may outlive its sandbox: a function may have passed it on, in a message or in a record. */
const kept = 100;

/** The addresses of the last sandboxes that have ended, oldest first. */
const released: (readonly Server[])[] = [];

const address = /\b(127\.0\.0\.1|localhost):(\d{1,5})\b/g;

/** Opens the addresses of a sandbox, for all the servers that its environment names, and puts them there. */
export async function ownAddresses(
  sandbox: string,
  environment: Readonly<Record<string, string>>,
): Promise<OwnAddresses> {
  const named = new Set<number>();
  for (const text of Object.values(environment)) {
    for (const [, , port] of text.matchAll(address)) named.add(Number(port));
  }
  const own = new Map<number, Server>();
  await Promise.all(
    [...named].map(async (port) => {
      const address = await servers.get(port)?.open(sandbox);
      if (address !== undefined) own.set(port, address);
    }),
  );
  const replaced = (text: string) =>
    text.replaceAll(address, (all, host: string, port: string) => {
      const address = own.get(Number(port));
      return address === undefined ? all : `${host}:${portOf(address)}`;
    });
  return {
    environment: Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, replaced(text)])),
    release() {
      released.push([...own.values()]);
      if (released.length <= kept) return;
      for (const address of released.shift() ?? []) address.close();
    },
  };
}
