import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonIn } from './engine/app/template.ts';
import { type HttpServer, readBody, sendJson, sendText } from './engine/http.ts';
import { sandboxOf, startCalledServer } from './engine/lambda/callers.ts';

/**
 * What may go wrong with one call that asks for an effect. `before` and `applied` say on which side of the effect it goes wrong. The
 * caller cannot tell the two apart, which is the whole difficulty.
 */
export type ProviderFault =
  | { readonly kind: 'late'; readonly delayMs: number }
  | { readonly kind: 'error-before'; readonly status: number }
  | { readonly kind: 'error-applied'; readonly status: number }
  | { readonly kind: 'hang-before' }
  | { readonly kind: 'hang-applied' }
  /** Applied, and the connection is destroyed before the response. */
  | { readonly kind: 'drop-applied' }
  /** Applied only after a while, when the caller may have given up. The caller gets no response. */
  | { readonly kind: 'hang-then-apply'; readonly delayMs: number }
  | { readonly kind: 'kill-before' }
  | { readonly kind: 'kill-applied' }
  | { readonly kind: 'kill-answered' };

export interface ProviderOptions<Effect extends string = string> {
  /** Called for each call for an effect; what it returns happens to this call. */
  readonly nextFault?: (effect: Effect, subject: string, call: ProviderCall) => ProviderFault | undefined;
  /** Kills the sandbox that is calling. */
  readonly kill?: (sandbox: string) => void;
}

export interface ProviderAnswer {
  readonly status: number;
  /** Sent as JSON, unless it has a type of its own. */
  readonly body: unknown;
  /** The media type of a body that is a text as it is, such as XML. @default JSON */
  readonly contentType?: string;
  /** The effect had happened before, under the same key, and did not happen again. @default false */
  readonly isRepeat?: boolean;
}

/** A request for an effect, understood but not carried out yet. */
export interface EffectRequest<Effect extends string = string> {
  readonly effect: Effect;
  /** The id of what the effect is for. */
  readonly subject: string;
  /** Carries the effect out. Called once at most. */
  apply(): ProviderAnswer;
  /** What a failure looks like in the protocol of the caller. @default JSON with a message */
  failure?(status: number): ProviderAnswer;
}

export interface ProviderCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** What comes behind the `?`, without it. */
  readonly query: string;
  /** The JSON of the request, or `undefined`. */
  readonly body: unknown;
  /** The same as it was sent. */
  readonly text: string;
  readonly sandbox: string | undefined;
}

/** A provider's own part: it reads a call, and returns a response, or the effect that the call asks for. */
export type ProviderRoutes<Effect extends string = string> = (
  call: ProviderCall,
) => ProviderAnswer | EffectRequest<Effect>;

/** What a provider says of a failure that a fault has made. */
export const problem = 'The provider had a problem.';

/** Starts a stand-in for a provider whose effects can go wrong in every way in which effects do. */
export async function startProvider<Effect extends string>(
  routes: ProviderRoutes<Effect>,
  options: ProviderOptions<Effect> = {},
): Promise<HttpServer> {
  return startCalledServer((request, response) => {
    handle(routes, options, request, response).catch(() => response.destroy());
  });
}

async function handle<Effect extends string>(
  routes: ProviderRoutes<Effect>,
  { nextFault, kill }: ProviderOptions<Effect>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, search } = new URL(request.url ?? '/', 'http://provider');
  const text = (await readBody(request)).toString('utf8');
  const call: ProviderCall = {
    method: request.method ?? '',
    path: pathname,
    query: search.slice(1),
    headers: request.headers,
    body: jsonIn(text),
    text,
    sandbox: sandboxOf(request),
  };
  const understood = routes(call);
  if (!('apply' in understood)) return sendAnswer(response, understood);
  const fault = nextFault?.(understood.effect, understood.subject, call);
  const killCaller = () => {
    if (call.sandbox !== undefined) kill?.(call.sandbox);
  };
  await perform(understood, fault, response, killCaller);
}

async function perform(
  request: EffectRequest,
  fault: ProviderFault | undefined,
  response: ServerResponse,
  killCaller: () => void,
): Promise<void> {
  switch (fault?.kind) {
    case 'hang-before':
      return;
    case 'error-before':
      return fail(request, response, fault.status);
    case 'kill-before':
      killCaller();
      response.destroy();
      return;
    case 'hang-then-apply':
      await sleep(fault.delayMs);
      request.apply();
      return;
  }
  const answer = request.apply();
  switch (fault?.kind) {
    case 'hang-applied':
      return;
    case 'drop-applied':
      response.destroy();
      return;
    case 'error-applied':
      return fail(request, response, fault.status);
    case 'kill-applied':
      killCaller();
      response.destroy();
      return;
    case 'late':
      await sleep(fault.delayMs);
      return sendAnswer(response, answer);
    case 'kill-answered':
      await sendAnswer(response, answer);
      return killCaller();
    default:
      return sendAnswer(response, answer);
  }
}

function fail(request: EffectRequest, response: ServerResponse, status: number): Promise<void> {
  return sendAnswer(response, request.failure?.(status) ?? { status, body: { message: problem } });
}

function sendAnswer(response: ServerResponse, { status, body, contentType }: ProviderAnswer): Promise<void> {
  return contentType === undefined
    ? sendJson(response, status, body)
    : sendText(response, status, String(body), contentType);
}
