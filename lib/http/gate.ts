import { checkedAttributes } from '../core/attributes.ts';
import { expect } from '../core/check.ts';
import type { Claim } from '../core/claim.ts';
import { type Acquired, type Claims, createClaims } from '../core/claims.ts';
import { InvalidMessageError, RetryableError } from '../core/errors.ts';
import { fingerprintOf } from '../core/fingerprint.ts';
import type { Held } from '../core/held.ts';
import { type Identity, identify } from '../core/identity.ts';
import { type Settings, settingsOf } from '../core/options.ts';
import type { ClaimRecord } from '../core/record.ts';
import { renewedLease } from '../core/renewed-lease.ts';
import { run } from '../core/run.ts';
import { nodeHost } from '../host.ts';
import { type HttpEvent, type HttpRequest, requestOf } from './event.ts';
import { intentOf } from './intent.ts';
import { headerKey } from './key.ts';
import type { HttpOptions } from './options.ts';
import {
  type HttpResponse,
  type Kept,
  keptOf,
  type ProblemReason,
  problemOf,
  replayOf,
  responseOf,
} from './response.ts';

/** Of Lambda's context, the only thing that matters here: when it will be stopped. */
export interface RequestContext {
  readonly getRemainingTimeInMillis?: () => number;
}

/** A request that may run. */
interface Admitted<Event> {
  readonly request: HttpRequest<Event>;
  readonly claims: Claims<HttpRequest<Event>>;
  readonly held: Held;
}

/** What becomes of a request at the gate: an answer, or leave to run under a claim; or without one, if it needs none. */
export type Entered<Event> =
  | { readonly answer: HttpResponse; readonly admitted?: undefined }
  | { readonly answer?: undefined; readonly admitted: Admitted<Event> | undefined };

/** A claim in flight may end at any moment, long before its lease: a client may ask again after this, in milliseconds. */
const askAgainMs = 5000;

const defaults = {
  host: nodeHost,
  key: headerKey(),
  required: true,
  fingerprint: { ignore: [] },
  isFinal: ({ statusCode }: HttpResponse) => statusCode >= 200 && statusCode < 400,
};

type HttpSettings<Event extends HttpEvent> = Settings<HttpRequest<Event>> &
  HttpOptions<Event> &
  Required<Pick<HttpOptions<Event>, keyof typeof defaults>>;

/** What the two ways of serving HTTP have in common: from a request to its claim, and from what was answered to a response. */
export function createGate<Event extends HttpEvent>(options: HttpOptions<Event>) {
  const settings = settingsOf(options, defaults) as HttpSettings<Event>;
  const { host, operation, key, caller, required, isFinal, fingerprint, attributes, documentation } = settings;
  const { maxResultBytes, timeoutMs, marginMs } = settings;
  expect(typeof key === 'function', 'key', 'a function of the request', key);
  const scoped = caller === 'anyone' || typeof caller === 'function';
  expect(scoped, 'caller', "'anyone', or a function from the event to who sent it", caller);
  expect(typeof isFinal === 'function', 'isFinal', 'a function of the response', isFinal);
  const fallback = renewedLease(Math.max(60_000, 2 * (timeoutMs + marginMs)));
  const claims = createClaims(settings, fallback);

  const problem = (event: Event, reason: ProblemReason, retryAfterMs?: number, replayed = false) =>
    problemOf(event, reason, { retryAfterMs, documentation, replayed });

  /** @throws whatever the author's functions throw; TypeError when it is no request of HTTP. Nothing has run then */
  async function enter(event: Event, context?: RequestContext): Promise<Entered<Event>> {
    const request = requestOf(event);
    const identity = identityOf(request);
    if (typeof identity !== 'object') return identity ? { answer: problem(event, identity) } : { admitted: undefined };
    const intent =
      typeof fingerprint === 'function' ? fingerprint(request) : fingerprint && intentOf(request, fingerprint.ignore);
    const remainingMs = context?.getRemainingTimeInMillis?.();
    const acquired = await claims.acquire({
      identity,
      attributes: attributes && checkedAttributes(attributes(request)),
      fingerprint: intent === false ? undefined : fingerprintOf(intent, host),
      deadline: remainingMs === undefined ? undefined : host.now() + remainingMs,
    });
    if (acquired.held) return { admitted: { request, claims, held: acquired.held } };
    return { answer: answerOf(event, acquired) };
  }

  /** Who a claim is; or why it can be nobody's; or nothing, if the request needs none. */
  function identityOf(request: HttpRequest<Event>): Identity | ProblemReason | undefined {
    let problem: ProblemReason = 'invalid-key';
    try {
      const given = key(request);
      if (given == null || given === '') {
        const refused = typeof required === 'function' ? required(request) : required;
        return refused ? 'missing-key' : undefined;
      }
      const own = identify(operation, given, host).key;
      if (caller === 'anyone') return identify(operation, scopedKey(caller, own), host);
      problem = 'no-caller';
      const who = identify(operation, caller(request.event), host).key;
      return identify(operation, scopedKey({ caller: who }, own), host);
    } catch (error) {
      if (!(error instanceof InvalidMessageError)) throw error;
      return error.problem === 'invalid-message' ? 'invalid-request' : problem;
    }
  }

  /** The answer to a request that was not granted its claim. */
  function answerOf(event: Event, acquired: Acquired): HttpResponse {
    if (acquired.decision === 'unavailable') return problem(event, 'unavailable', 1000 + host.random() * 4000);
    if (acquired.decision === 'in-flight') {
      return problem(event, 'in-flight', Math.min(askAgainMs, acquired.retryAfterMs));
    }
    const { decision, record } = acquired;
    if (decision === 'parked' || decision === 'key-reused') return problem(event, decision);
    if (record.status === 'rejected') return problem(event, 'rejected', undefined, true);
    return replayOf(event, recordedResponse(record));
  }

  /**
   * Runs a handler under the claim of its request, and answers with its response once that is recorded.
   *
   * @throws what the handler threw, once that is recorded
   */
  async function handle(
    { request, claims, held }: Admitted<Event>,
    handler: (claim: Claim) => unknown,
  ): Promise<unknown> {
    const { event } = request;
    let answered: unknown;
    let final = true;

    async function respond(_: unknown, claim: Claim): Promise<Kept> {
      let effect: Promise<unknown> | undefined;
      const watched: Claim = Object.create(claim, {
        effect: {
          value: (start: () => unknown) => {
            effect = claim.effect(start);
            return effect;
          },
        },
      });
      answered = await handler(watched);
      const response = responseOf(event, answered);
      final = response !== undefined && isFinal(response);
      if (response && final) {
        const kept = keptOf(response, maxResultBytes);
        if (kept.bodyOmitted) claims.emit(held.identity, 'result-not-recorded', { reason: 'too-large' });
        return kept;
      }
      // What the effect threw decides, whatever response the handler made of it.
      await effect;
      throw unfinished(response);
    }

    const ran = await run(claims, held, respond, request);
    if (ran.ran === 'returned') return answered;
    if (ran.ran === 'reconciled') return replayOf(event, asKept(ran.value));
    if (ran.ran === 'not-started') return problem(event, 'not-started', 1000);
    if (ran.ran === 'in-doubt') {
      return ran.recorded === 'parked' ? problem(event, 'parked') : problem(event, 'in-doubt', ran.retryAfterMs);
    }
    if (!final) return answered;
    if (ran.recorded === 'rejected') return problem(event, 'rejected');
    throw ran.error;
  }

  return { enter, handle };
}

/** What a response that is not final says of its request. */
function unfinished(response: HttpResponse | undefined): Error {
  const message = `the response was ${response?.statusCode ?? 'none'}`;
  const refused = response && response.statusCode < 500;
  return refused ? new RetryableError(message, { cause: response }) : new Error(message, { cause: response });
}

/**
 * A key as the claims table has it: the caller's own, apart from everybody else's. For `parkedClaims(…).resolve`.
 *
 * @example
 * await parked.resolve(scopedKey({ caller: 'customer-17' }, '8e03978e'), 'applied', { by: 'maria', note: 'it was paid' });
 */
export function scopedKey(caller: 'anyone' | { readonly caller: string }, key: string): string {
  const own = encodeURIComponent(key);
  return caller === 'anyone' ? own : `${encodeURIComponent(caller.caller)}/${own}`;
}

function recordedResponse({ result }: ClaimRecord): Kept | undefined {
  return result === undefined ? undefined : asKept(JSON.parse(result));
}

/** A verdict's result is whatever the author answered: it may be no response. */
function asKept(value: unknown): Kept | undefined {
  return Object(value).statusCode === undefined ? undefined : (value as Kept);
}
