import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { lineOf, OptionError, pageAt, propertyOf, recordedError } from 'pawl/kernel';
import { type ActLine, type ConsoleState, type QueueName, type RehearsalSource, tableParameter } from './api.ts';
import { type HistorySource, liveHistory, noHistory } from './history.ts';
import { type LiveFeed, type LiveStream, openFeed } from './live.ts';
import { assetsOf, pageHtml, readPage } from './page-files.ts';
import { type Call, type Desk, ownRoutes, type Route, routesOf } from './routes.ts';
import { createSession, type Refusal, refusedByOrigin, type Session, securityHeaders } from './security.ts';
import { BadRequest } from './wanted.ts';

export type { LiveEvent } from './api.ts';
export type { LiveFeed } from './live.ts';

/** What a console is over. */
export interface Shown {
  readonly queues: readonly QueueName[];
  /** What the page does with each table of claims, by the table's name. */
  readonly desks: ReadonlyMap<string, Desk>;
}

export interface ConsoleOptions extends Shown {
  readonly title: string;
  readonly write: boolean;
  /** The name that the page proposes for `by`. */
  readonly user: string;
  /** @default a free one */
  readonly port?: number | undefined;
  /** The counts over time. @default those of `feed` */
  readonly history?: HistorySource | undefined;
  readonly feed?: LiveFeed | undefined;
  /** The works under locks whose progress is shown, by name. @default none */
  readonly works?: readonly string[] | undefined;
  /** @default the console is over no rehearsal */
  readonly rehearsal?: RehearsalSource | undefined;
}

/** A console that serves. */
export interface RunningConsole {
  /** Opens the page, in one browser, once. */
  readonly url: string;
  readonly port: number;
  /** Is over something else from now on. A page that is open follows. */
  show(shown: Shown): void;
  /** Begins nothing new, and resolves when what was under way has ended. */
  stop(): Promise<void>;
}

/** The port that was asked for is not to be had. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';

  constructor(port: number) {
    super(`Port ${port} of 127.0.0.1 is in use. Name another one with --port, or leave it out for a free one.`);
  }
}

/** The longest body of a request. It holds the ids of a few thousand claims; for more, an act has a filter. */
const mostBytes = 1_000_000;

/** What a server answers with. */
interface Serving {
  readonly port: number;
  readonly session: Session;
  readonly write: boolean;
  readonly own: ReadonlyMap<string, Route>;
  /** The routes of each table of claims. */
  routes: ReadonlyMap<string, ReadonlyMap<string, Route>>;
  readonly assets: ReturnType<typeof assetsOf>;
  readonly live: LiveStream | undefined;
  /** What is being answered: it may hold messages. */
  readonly underWay: Set<Promise<void>>;
}

/**
 * Serves the console on 127.0.0.1.
 *
 * @throws PortInUseError when the port is taken
 */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const { feed, write, title, user, rehearsal, works = [], port: wantedPort = 0 } = options;
  const now = Date.now;
  const assets = assetsOf(await readPage());
  const counted = liveHistory(now);
  const history =
    options.history ??
    (feed
      ? counted
      : noHistory(`The console has no metrics of the consumers. See ${pageAt('docs/guides/console.md')}.`));
  const ending = new AbortController();
  const { signal } = ending;
  const routesOver = ({ queues, desks }: Shown) =>
    new Map(
      Array.from(desks, ([table, desk]) => [
        table,
        routesOf({ ...desk, queues, works, history, now, newId: randomUUID, signal }),
      ]),
    );
  let shown: Shown = options;
  let version = 0;
  const state = (): ConsoleState => ({
    ...{ title, write, user, version, works },
    queues: shown.queues,
    tables: [...shown.desks.keys()],
    live: feed !== undefined,
    rehearsal: rehearsal !== undefined,
    remedies: [...shown.desks.values()].some(({ settlement }) => settlement !== undefined),
  });
  const underWay = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    void serve(serving, request, response).catch((error: unknown) => fail(response, error));
  });
  await listen(server, wantedPort);
  // Not before the port is known to be free: no caller could end it.
  const live = feed && openFeed(feed, counted.count);
  const { port } = server.address() as AddressInfo;
  const session = createSession(port, () => randomBytes(32).toString('base64url'));
  const own = ownRoutes(state, rehearsal);
  const serving: Serving = { port, session, write, own, routes: routesOver(shown), assets, live, underWay };
  return {
    url: `http://127.0.0.1:${port}/?token=${session.token}`,
    port,
    show(next) {
      shown = next;
      version += 1;
      serving.routes = routesOver(next);
    },
    async stop() {
      live?.stop();
      server.close();
      // An act ends after what it has begun, and gives back the messages that it hides: without its clients it could not.
      ending.abort(new Error('The console was ended.'));
      await Promise.allSettled(underWay);
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw propertyOf(error, 'code') === 'EADDRINUSE' ? new PortInUseError(port) : error;
  }
}

async function serve(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  const { method = '', headers } = request;
  // A proxy would be asked for a whole URL, and `//host/path` would be read as one.
  const at = request.url?.startsWith('/') ? URL.parse(`http://console${request.url}`) : null;
  if (at === null) return void refuse(response, { status: 400, why: 'The URL is none.' });
  const path = at.pathname;
  const { session, assets, live, write, port } = serving;
  const refused = refusedByOrigin({ method, path, headers }, port);
  if (refused !== undefined) return void refuse(response, refused);
  if (path === '/' && method === 'GET') return void servePage(session, at.searchParams.get('token'), request, response);
  const isApi = path.startsWith('/api/');
  if (!(isApi ? session.isOpen(headers) : session.hasCookie(headers))) {
    return void refuse(response, { status: 401, why: 'The console is open in another browser, or was started again.' });
  }
  const asset = method === 'GET' ? assets.get(path) : undefined;
  if (asset !== undefined) {
    response.setHeader('content-type', asset.type);
    response.end(asset.text);
    return;
  }
  if (path === '/api/live' && method === 'GET' && live !== undefined) return void live.serve(response);
  const route = routeOf(serving, `${method} ${path}`, at.searchParams.get(tableParameter));
  if (route === undefined) return void refuse(response, { status: 404, why: 'The console has no such page.' });
  if (route.writes && !write) {
    return void refuse(response, { status: 403, why: 'This console only reads. Start it with --write.' });
  }
  const body = method === 'POST' ? await readJson(request) : undefined;
  const answering = answer(route, { query: at.searchParams, body }, response);
  serving.underWay.add(answering);
  await answering.finally(() => serving.underWay.delete(answering));
}

function routeOf({ own, routes }: Serving, call: string, table: string | null): Route | undefined {
  const [first] = routes.keys();
  return own.get(call) ?? routes.get(table ?? first ?? '')?.get(call);
}

function servePage(
  session: Session,
  token: string | null,
  { headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const opens = token !== null && session.open(token);
  if (!opens && !session.hasCookie(headers)) {
    return void refuse(response, {
      status: 401,
      why: 'This link does not open the console, or it was used already. Start pawl console again, and open its link.',
    });
  }
  if (opens) response.setHeader('set-cookie', session.setCookie);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(pageHtml(opens ? session.key : undefined));
}

async function answer(route: Route, call: Call, response: ServerResponse): Promise<void> {
  const result = await route.run(call);
  if (result.kind === 'value') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(result.value));
    return;
  }
  response.setHeader('content-type', 'application/x-ndjson');
  const write = (line: ActLine) => response.write(`${JSON.stringify(line)}\n`);
  try {
    for await (const line of result.lines) {
      // The page is gone: the act ends after the item that is under way.
      if (response.destroyed) break;
      write(line);
    }
  } catch (error) {
    write({ kind: 'failed', error: lineOf(recordedError(error)) });
  }
  response.end();
}

/** @throws BadRequest */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new TooLarge();
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new BadRequest('The body is not JSON.');
  }
}

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

function refuse(response: ServerResponse, { status, why }: Refusal): void {
  response.statusCode = status;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  // What is left of the request is not read.
  response.setHeader('connection', 'close');
  response.end(why);
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof TooLarge) return void refuse(response, { status: 413, why: 'The request is too large.' });
  if (error instanceof BadRequest || error instanceof OptionError) {
    return void refuse(response, { status: 400, why: error.message });
  }
  // AWS's error, or the store's: its name and its message are for the operator.
  refuse(response, { status: 502, why: lineOf(recordedError(error)) });
}
