import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { list, record } from '../../engine/app/template.ts';
import { type HttpServer, startHttpServer } from '../../engine/http.ts';
import type { Outcome } from '../../engine/lambda/sandbox.ts';
import { eventOfPayload1, eventOfPayload2, type RoutedRequest, urlOf } from './http-events.ts';
import { createRouter, type Match } from './http-routes.ts';

/** A route of an API, and the function behind it. */
export interface HttpRoute {
  /** As API Gateway has it: `POST /invoices/{id}`, `ANY /files/{proxy+}`, or `$default`. */
  readonly key: string;
  /** Without it, a request gets a 501: what is behind the route is not run. */
  readonly invoke?: (event: unknown) => Promise<Outcome>;
  /** @default '2.0' */
  readonly payload?: '1.0' | '2.0';
  /** How long the caller waits for the function. @default 30000 */
  readonly timeoutMs?: number;
}

/** What an API does around its routes. */
export interface ApiBehaviour {
  readonly kind: 'http' | 'rest' | 'function-url';
  /** The stages that come first in a path; without any, the whole path is the route's. */
  readonly stages?: readonly string[];
  readonly apiId?: string;
  readonly binary?: readonly string[];
}

/**
 * How many requests may be under way. As where a concurrency is set, any more are throttled: if they waited, they would be run for clients
 * that have given up, and the retries of those clients would wait behind them.
 */
const mostAtOnce = 30;

interface Failure {
  readonly status: number;
  readonly message: string;
}

/** What a caller gets when the function gives no response that the API understands, gives it too late, or is throttled. */
const failureResponses = {
  http: {
    failed: { status: 500, message: 'Internal Server Error' },
    late: { status: 503, message: 'Service Unavailable' },
    throttled: { status: 503, message: 'Service Unavailable' },
  },
  rest: {
    failed: { status: 502, message: 'Internal server error' },
    late: { status: 504, message: 'Endpoint request timed out' },
    throttled: { status: 500, message: 'Internal server error' },
  },
  'function-url': {
    failed: { status: 502, message: 'Internal Server Error' },
    late: { status: 502, message: 'Internal Server Error' },
    throttled: { status: 429, message: 'Rate exceeded' },
  },
} as const satisfies Record<ApiBehaviour['kind'], Record<string, Failure>>;

const notRun: Failure = { status: 501, message: 'A rehearsal does not run what is behind this route.' };

/** An API from the inside of this file. */
interface ApiState {
  readonly behaviour: ApiBehaviour;
  readonly match: (method: string, path: string) => Match<HttpRoute> | undefined;
  underWay: number;
}

/**
 * Starts a stand-in for an API: a request becomes an event, and the function's response the response. Without a route for it, a request
 * is a 404, at a REST API a 403.
 */
export async function startHttpApi(routes: readonly HttpRoute[]): Promise<HttpServer> {
  return startHttpServer(httpApiListener(routes));
}

export function httpApiListener(
  routes: readonly HttpRoute[],
  behaviour: ApiBehaviour = { kind: 'http' },
): RequestListener {
  const state: ApiState = { behaviour, match: createRouter(routes), underWay: 0 };
  return (request, response) => {
    if (state.underWay >= mostAtOnce) {
      fail(response, failureResponses[behaviour.kind].throttled);
      return;
    }
    state.underWay += 1;
    handle(state, request, response)
      .catch(() => response.destroy())
      .finally(() => {
        state.underWay -= 1;
      });
  };
}

async function handle(state: ApiState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { behaviour, match } = state;
  const failures = failureResponses[behaviour.kind];
  const { stage, path } = staged(behaviour, urlOf(request).pathname);
  const found = stage === undefined ? undefined : match(request.method ?? 'GET', path);
  if (stage === undefined || found === undefined) {
    if (behaviour.kind === 'rest') fail(response, { status: 403, message: 'Missing Authentication Token' });
    else fail(response, { status: 404, message: 'Not Found' });
    return;
  }
  const { invoke, payload = '2.0', timeoutMs = 30_000, key } = found.route;
  if (invoke === undefined) {
    fail(response, notRun);
    return;
  }
  const { apiId = 'local', binary = [] } = behaviour;
  const routed: RoutedRequest = { request, key, parameters: found.parameters, stage, path, apiId, binary };
  const event = payload === '1.0' ? await eventOfPayload1(routed) : await eventOfPayload2(routed);
  const patience = new AbortController();
  const outcome = await Promise.race([
    invoke(event).finally(() => patience.abort()),
    sleep(timeoutMs, 'late' as const, { signal: patience.signal }).catch(() => 'late' as const),
  ]);
  if (outcome === 'late') fail(response, failures.late);
  else respond(response, outcome, payload, failures.failed);
}

/** The stage that a path begins with. */
function staged({ stages = [] }: ApiBehaviour, pathname: string): { stage: string | undefined; path: string } {
  if (stages.length === 0) return { stage: '$default', path: pathname };
  const [, first = '', ...rest] = pathname.split('/');
  return { stage: stages.find((stage) => stage === first), path: `/${rest.join('/')}` };
}

function respond(response: ServerResponse, outcome: Outcome, payload: '1.0' | '2.0', failed: Failure): void {
  const answer = outcome.kind === 'response' ? answerOf(outcome.value, payload) : undefined;
  if (answer === undefined) {
    fail(response, failed);
    return;
  }
  const body = String(answer['body'] ?? '');
  const headers = Object.entries(record(answer['headers'])).map(([name, value]) => [name, String(value)] as const);
  const several = Object.entries(record(answer['multiValueHeaders'])).map(
    ([name, values]) => [name, list(values).map(String)] as const,
  );
  const cookies = list(answer['cookies']).map(String);
  response.writeHead(Number(answer['statusCode']), {
    ...Object.fromEntries([...headers, ...several]),
    ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}),
  });
  response.end(answer['isBase64Encoded'] === true ? Buffer.from(body, 'base64') : body);
}

/** What a function returned, as a response; `undefined` if the API does not understand it. */
function answerOf(value: unknown, payload: '1.0' | '2.0'): Readonly<Record<string, unknown>> | undefined {
  const given = record(value);
  if (typeof given['statusCode'] === 'number') return given;
  if (payload === '1.0' || 'statusCode' in given || value === undefined || value === null) return undefined;
  // With payload 2.0, a value without a status is the body.
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body };
}

function fail(response: ServerResponse, { status, message }: Failure): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
}
