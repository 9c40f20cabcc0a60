import { type Acquired, acquire } from '../engine/acquire.ts';
import { type Engine, emit } from '../engine/engine.ts';
import { type HandlerUse, useOf } from '../engine/handlers.ts';
import { type Settings, settingsOf } from '../engine/options.ts';
import { fallbackLease } from '../engine/renewed-lease.ts';
import { nodeHost } from '../host.ts';
import { remainingTime } from '../kernel/check.ts';
import { requestOptions } from '../kernel/door-options.ts';
import { expectKinds } from '../kernel/option-kinds.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { type FingerprintRule, ruleOf } from '../payload/fingerprint-rule.ts';
import type { ClaimRules, ParkedReason } from '../rules/decide.ts';
import type { Grant } from '../rules/grant.ts';
import type { ClaimRecord } from '../rules/record.ts';
import { admissionOf, checkReaders } from './admission.ts';
import { type HttpEvent, type HttpRequest, requestOf } from './event.ts';
import { headerKey } from './key.ts';
import type { HttpOptions } from './options.ts';
import { asKept, type HttpResponse, type OwnResponse, type ProblemReason, problemOf, replayOf } from './response.ts';
import { isStillRunning } from './still-running.ts';

/**
 * What `onceOverHttp` and `httpOnce` have in common.
 *
 * Owns: what is decided once, when a function is set up, and the way from a request to its claim, or to an answer of pawl's own. Does not own: what the
 * author's functions read from a request (`admission.ts`), running the handler and recording its response (`handle.ts`), and any rule about
 * claims (`rules/`).
 *
 * 1. Nothing is claimed before the request has been read: a request that can never run, or a bug of the author's, leaves no claim. (`enter`)
 * 2. Of two requests with one key, caller and intent, one runs. The other has an answer that says what became of the first. (`answerOf`)
 * 3. A request with another intent under a key never runs. (`answerOf`)
 * 4. Only a final response is recorded and replayed. (`handle`)
 * 5. While the handler may still be at work, its claim stays in flight. (`still-running.ts`)
 */
export interface Gate<Event extends HttpEvent> {
  readonly settings: HttpSettings<Event>;
  readonly engine: Engine<HttpRequest<Event>>;
  /** What of a request is its intent; nothing where intents are not compared. */
  readonly rule: FingerprintRule<HttpRequest<Event>> | undefined;
  /** Of its handler, where the door knows it. */
  readonly use: HandlerUse | undefined;
}

/** Of Lambda's context, the only thing that matters here: when it will be stopped. */
export interface RequestContext {
  readonly getRemainingTimeInMillis?: () => number;
}

/** A request that may run. */
export interface Admitted<Event> {
  readonly request: HttpRequest<Event>;
  readonly grant: Grant;
}

/** What becomes of a request at the gate. */
export type Entered<Event> =
  | { readonly kind: 'answered'; readonly answer: OwnResponse }
  | { readonly kind: 'admitted'; readonly admitted: Admitted<Event> }
  /** It has no key, and needs none: it runs without a claim. */
  | { readonly kind: 'without-key' };

/** A claim in flight may end at any moment, long before its lease: a client may ask again after this, in milliseconds. */
const askAgainMs = 5000;

const defaults = {
  host: nodeHost,
  key: headerKey(),
  required: true,
  fingerprint: { ignore: [] },
  // A client that has given up never asks again.
  watched: true,
  isFinal: ({ statusCode }: HttpResponse) => statusCode >= 200 && statusCode < 400,
  // A client that was refused twenty times may still send the right request; and to park its key would say that its effect is in doubt.
  refusalsMayRepeat: true,
};

type HttpSettings<Event extends HttpEvent> = Settings<HttpRequest<Event>> &
  HttpOptions<Event> &
  Required<Pick<HttpOptions<Event>, 'host' | 'key' | 'required' | 'fingerprint' | 'isFinal'>> &
  Required<Pick<ClaimRules, 'refusalsMayRepeat'>>;

/**
 * @param handler where the door knows it: a middleware does not
 * @throws OptionError when an option is missing or out of range
 */
export function createGate<Event extends HttpEvent>(options: HttpOptions<Event>, handler?: object): Gate<Event> {
  expectKinds(requestOptions, options);
  const settings = settingsOf(options, defaults) as HttpSettings<Event>;
  checkReaders(settings);
  const engine = { settings, fallback: fallbackLease(settings), mayStillRun: isStillRunning };
  const use = handler && useOf(settings.store, settings.operation, handler);
  return { settings, engine, rule: ruleOf<HttpRequest<Event>>(settings.fingerprint), use };
}

/**
 * Claims a request, or answers it.
 *
 * @throws what the author's functions throw, where that does not say that the request is bad; TypeError when it is no request of
 *   HTTP. Nothing has run then, and nothing is claimed
 */
export async function enter<Event extends HttpEvent>(
  gate: Gate<Event>,
  event: Event,
  context?: RequestContext,
): Promise<Entered<Event>> {
  const { settings, engine, rule, use } = gate;
  const { host } = settings;
  const request = requestOf(event);
  const admission = admissionOf(request, settings, rule, host);
  if (admission.kind === 'refused') {
    const { reason, toDo, error } = admission;
    emit(engine, undefined, { type: 'request-refused', reason, error: recordedError(error) });
    return { kind: 'answered', answer: problem(gate, event, reason, { toDo }) };
  }
  if (admission.kind === 'without-key') return admission;
  const { identity, prints, attributes } = admission;
  const said: unknown = context?.getRemainingTimeInMillis?.();
  const deadline = said === undefined ? undefined : host.now() + remainingTime('getRemainingTimeInMillis()', said);
  const acquired = await acquire(engine, { identity, ...prints, attributes, deadline });
  if (acquired.grant !== undefined) {
    use?.hasRun();
    return { kind: 'admitted', admitted: { request, grant: acquired.grant } };
  }
  if (acquired.kind === 'replayed') use?.foundDone();
  return { kind: 'answered', answer: answerOf(gate, event, acquired) };
}

/** Problem details of pawl's own. */
export function problem<Event extends HttpEvent>(
  { settings: { documentation } }: Gate<Event>,
  event: Event,
  reason: ProblemReason,
  facts: { readonly retryAfterMs?: number; readonly replayed?: boolean; readonly toDo?: string | undefined } = {},
): OwnResponse {
  return problemOf(event, reason, { ...facts, documentation });
}

/** The answer to a request while the claims cannot be reached. Spread out, so that clients which failed together do not come back together. */
export function unavailable<Event extends HttpEvent>(gate: Gate<Event>, event: Event): OwnResponse {
  return problem(gate, event, 'unavailable', { retryAfterMs: 1000 + gate.settings.host.random() * 4000 });
}

/** The answer to a request that was not granted its claim. */
function answerOf<Event extends HttpEvent>(
  gate: Gate<Event>,
  event: Event,
  acquired: Extract<Acquired, { readonly grant?: undefined }>,
): OwnResponse {
  switch (acquired.kind) {
    case 'unavailable':
      return unavailable(gate, event);
    case 'in-flight':
      return problem(gate, event, 'in-flight', { retryAfterMs: Math.min(askAgainMs, acquired.retryAfterMs) });
    case 'suspect':
      return problem(gate, event, 'in-flight', { retryAfterMs: askAgainMs });
    case 'key-reused':
      return problem(gate, event, 'key-reused');
    case 'parked':
      return problem(gate, event, isInDoubt(acquired.record) ? 'parked' : 'given-up');
    case 'replayed':
      if (acquired.record.status === 'rejected') return problem(gate, event, 'rejected', { replayed: true });
      return replayOf(event, recordedResponse(acquired.record));
  }
}

const givenUp: readonly string[] = ['attempts-used-up', 'never-started', 'retry-window-over'] satisfies ParkedReason[];

/** Whether a parked claim may have had its effect. A claim that only failed too often, and each time said that nothing was applied, has not. */
function isInDoubt({ unknownAt, forgottenUntil, error, resolution }: ClaimRecord): boolean {
  const gaveUp = error !== undefined && givenUp.includes(error.name);
  // An operator who said 'retry' did not know either. Nor does a table that was restored: an operator may have decided since, and the handler have run.
  return unknownAt !== undefined || forgottenUntil !== undefined || !gaveUp || resolution?.verdict === 'retry';
}

function recordedResponse({ result }: ClaimRecord) {
  return result === undefined ? undefined : asKept(JSON.parse(result));
}
