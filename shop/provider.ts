import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpServer, readBody, sandboxOf, sendJson, startHttpServer } from '../lib/rehearsal/http.ts';
import type { EffectKind } from './ledger.ts';

/**
 * What may go wrong with one call that asks for an effect. `applied` and `before` say on which side of the effect it goes wrong; the
 * caller cannot tell the two apart, which is the whole difficulty.
 */
export type ProviderFault =
  | { readonly kind: 'late'; readonly delayMs: number }
  | { readonly kind: 'error-before'; readonly status: number }
  | { readonly kind: 'error-applied'; readonly status: number }
  | { readonly kind: 'hang-before' }
  | { readonly kind: 'hang-applied' }
  /** Applied only after a while, when the caller may have given up, and never answered. */
  | { readonly kind: 'hang-then-apply'; readonly delayMs: number }
  | { readonly kind: 'kill-before' }
  | { readonly kind: 'kill-applied' }
  | { readonly kind: 'kill-answered' };

export interface ProviderOptions<Effect extends string = EffectKind> {
  /** Asked at each call for an effect; what it gives happens to this call. */
  readonly nextFault?: (effect: Effect, orderId: string) => ProviderFault | undefined;
  /** Kills the sandbox that is calling. */
  readonly kill?: (sandbox: string) => void;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A request for an effect, understood but not carried out yet. */
export interface EffectRequest<Effect extends string = EffectKind> {
  readonly effect: Effect;
  /** What it is about: an order, or a change. */
  readonly orderId: string;
  /** Carries it out. Called once at most. */
  apply(): ProviderAnswer;
}

export interface ProviderCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The JSON of the request, or `undefined`. */
  readonly body: unknown;
  readonly sandbox: string | undefined;
}

/** A provider's own part: understands a call, and answers it, or says what effect it asks for. */
export type ProviderRoutes<Effect extends string = EffectKind> = (
  call: ProviderCall,
) => ProviderAnswer | EffectRequest<Effect>;

/** Starts a stand-in for a provider whose effects can go wrong in every way in which effects do. */
export async function startProvider<Effect extends string>(
  routes: ProviderRoutes<Effect>,
  options: ProviderOptions<Effect>,
): Promise<HttpServer> {
  function kill(call: ProviderCall): void {
    if (call.sandbox !== undefined) options.kill?.(call.sandbox);
  }

  async function perform(request: EffectRequest<Effect>, call: ProviderCall, response: ServerResponse): Promise<void> {
    const fault = options.nextFault?.(request.effect, request.orderId);
    switch (fault?.kind) {
      case 'hang-before':
        return;
      case 'error-before':
        return sendJson(response, fault.status, { message: 'The provider had a problem.' });
      case 'kill-before':
        kill(call);
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
      case 'error-applied':
        return sendJson(response, fault.status, { message: 'The provider had a problem.' });
      case 'kill-applied':
        kill(call);
        response.destroy();
        return;
      case 'late':
        await sleep(fault.delayMs);
        return sendJson(response, answer.status, answer.body);
      case 'kill-answered':
        await sendJson(response, answer.status, answer.body);
        return kill(call);
      default:
        return sendJson(response, answer.status, answer.body);
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await readBody(request)).toString('utf8');
    const call: ProviderCall = {
      method: request.method ?? '',
      path: new URL(request.url ?? '/', 'http://provider').pathname,
      headers: request.headers,
      body: parse(text),
      sandbox: sandboxOf(request),
    };
    const understood = routes(call);
    if ('apply' in understood) await perform(understood, call, response);
    else await sendJson(response, understood.status, understood.body);
  }

  return startHttpServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
