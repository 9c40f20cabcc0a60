import { type Acquired, acquire } from '../claims/acquire.ts';
import type { Claim } from '../claims/claim.ts';
import type { ClaimRules } from '../claims/decide.ts';
import { type Engine, emit } from '../claims/engine.ts';
import type { Grant } from '../claims/grant.ts';
import { type Settings, settingsOf } from '../claims/options.ts';
import type { ClaimRecord } from '../claims/record.ts';
import { fallbackLease } from '../claims/renewed-lease.ts';
import { run } from '../claims/run.ts';
import { nodeHost } from '../host.ts';
import { expect } from '../kernel/check.ts';
import {
  effectKind,
  errorKind,
  letFail,
  OptionError,
  RetryableError,
  retryAfterOf,
  StoreUnavailableError,
} from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { ruleOf } from '../payload/fingerprint-rule.ts';
import { admissionOf, checkReaders } from './admission.ts';
import { type HttpEvent, type HttpRequest, requestOf } from './event.ts';
import { headerKey } from './key.ts';
import type { HttpOptions } from './options.ts';
import { rememberResponse } from './remember.ts';
import {
  asKept,
  type HttpResponse,
  type Kept,
  keptOf,
  type OwnResponse,
  type ProblemReason,
  problemOf,
  replayOf,
  responseOf,
  saysNothingApplied,
} from './response.ts';
import { StillRunningError, warnOfEarlyAnswers } from './still-running.ts';

/** Of Lambda's context, the only thing that matters here: when it will be stopped. */
export interface RequestContext {
  readonly getRemainingTimeInMillis?: () => number;
}

/** A request that may run. */
interface Admitted<Event> {
  readonly request: HttpRequest<Event>;
  readonly grant: Grant;
}

/** What becomes of a request at the gate: an answer, or leave to run under a claim; or without one, if it needs none. */
export type Entered<Event> =
  | { readonly answer: OwnResponse; readonly admitted?: undefined }
  | { readonly answer?: undefined; readonly admitted: Admitted<Event> | undefined };

/** A claim in flight may end at any moment, long before its lease: a client may ask again after this, in milliseconds. */
const askAgainMs = 5000;

const defaults = {
  host: nodeHost,
  key: headerKey(),
  required: true,
  fingerprint: { ignore: [] },
  isFinal: ({ statusCode }: HttpResponse) => statusCode >= 200 && statusCode < 400,
  // A client that was refused twenty times may still send the right request; and to park its key would say that nobody knows.
  refusalsMayRepeat: true,
};

type HttpSettings<Event extends HttpEvent> = Settings<HttpRequest<Event>> &
  HttpOptions<Event> &
  Required<Pick<HttpOptions<Event>, 'host' | 'key' | 'required' | 'fingerprint' | 'isFinal'>> &
  Required<Pick<ClaimRules, 'refusalsMayRepeat'>>;

/** What the two ways of serving HTTP have in common: from a request to its claim, and from what was answered to a response. */
export function createGate<Event extends HttpEvent>(options: HttpOptions<Event>) {
  const settings = settingsOf(options, defaults) as HttpSettings<Event>;
  const { host, isFinal, documentation, maxResultBytes, marginMs } = settings;
  checkReaders(settings);
  expect(typeof isFinal === 'function', 'isFinal', 'a function of the response', isFinal);
  const mayStillRun = (error: unknown) => error instanceof StillRunningError;
  const engine: Engine<HttpRequest<Event>> = { settings, fallback: fallbackLease(settings), mayStillRun };
  const rule = ruleOf<HttpRequest<Event>>(settings.fingerprint);

  const problem = (event: Event, reason: ProblemReason, retryAfterMs?: number, replayed = false) =>
    problemOf(event, reason, { retryAfterMs, documentation, replayed });

  /**
   * Claims a request, or answers it.
   *
   * @throws what the author's functions throw, where that does not say that the request is bad; TypeError when it is no request of
   *   HTTP. Nothing has run then, and nothing is claimed
   */
  async function enter(event: Event, context?: RequestContext): Promise<Entered<Event>> {
    const request = requestOf(event);
    const admission = admissionOf(request, settings, rule, host);
    if (admission.kind === 'refused') return { answer: problem(event, admission.reason) };
    if (admission.kind === 'without-key') return { admitted: undefined };
    const { identity, prints, attributes } = admission;
    const remainingMs = context?.getRemainingTimeInMillis?.();
    const deadline = remainingMs === undefined ? undefined : host.now() + remainingMs;
    const acquired = await acquire(engine, { identity, ...prints, attributes, deadline });
    if (acquired.grant !== undefined) return { admitted: { request, grant: acquired.grant } };
    return { answer: answerOf(event, acquired) };
  }

  /** The answer to a request that was not granted its claim. */
  function answerOf(event: Event, acquired: Extract<Acquired, { readonly grant?: undefined }>): OwnResponse {
    if (acquired.kind === 'unavailable') return problem(event, 'unavailable', 1000 + host.random() * 4000);
    const { kind, record } = acquired;
    if (kind === 'in-flight') return problem(event, kind, Math.min(askAgainMs, acquired.retryAfterMs));
    if (kind === 'suspect') return problem(event, 'in-flight', askAgainMs);
    if (kind === 'key-reused') return problem(event, kind);
    if (kind === 'parked') return problem(event, isInDoubt(record) ? kind : 'given-up');
    if (record.status === 'rejected') return problem(event, 'rejected', undefined, true);
    return replayOf(event, recordedResponse(record));
  }

  /** Whether a response is final, in the author's judgement. @throws OptionError when that is neither true nor false */
  function judged(response: HttpResponse): boolean {
    const final: unknown = isFinal(response);
    if (typeof final === 'boolean') return final;
    letFail(final);
    throw new OptionError(`isFinal: expected true or false; got ${typeof final}`);
  }

  /**
   * Runs a handler under the claim of its request, and answers with its response once that is recorded.
   *
   * @throws what the handler threw, once that is recorded, unless that says when to come again
   */
  async function handle({ request, grant }: Admitted<Event>, handler: (claim: Claim) => unknown): Promise<unknown> {
    const { event } = request;
    let answered: unknown;
    let kept: Kept | undefined;
    let refused = false;
    /** What the handler threw: its caller hears that, also where the error of its effect decided. */
    let thrown: { readonly error: unknown } | undefined;

    async function respond(_: unknown, claim: Claim): Promise<Kept> {
      try {
        answered = await handler(claim);
      } catch (error) {
        thrown = { error };
        // An error of pawl's is the handler's own; any other, in the last moments, may be an early time-out's.
        if (effectKind(error) !== undefined || !mayBeRunning(grant)) throw error;
        throw new StillRunningError(recordedError(error).message, { cause: error });
      }
      const response = responseOf(event, answered);
      if (response && judged(response)) {
        kept = keptOf(response, maxResultBytes);
        if (kept.bodyOmitted) emit(engine, grant.identity, { type: 'result-not-recorded', reason: 'too-large' });
        return kept;
      }
      refused = true;
      const error = unfinished(response);
      throw mayBeRunning(grant) ? new StillRunningError(error.message, { cause: error }) : error;
    }

    const ran = await run(engine, grant, respond, request);
    if (ran.kind === 'returned') {
      if (kept && ran.recorded === 'completed') await rememberResponse(engine, grant, kept);
      return answered;
    }
    if (ran.kind === 'reconciled') return replayOf(event, asKept(ran.value));
    if (ran.kind === 'not-started') return problem(event, 'not-started', 1000);
    if (ran.kind === 'in-doubt') {
      return ran.recorded === 'parked' ? problem(event, 'parked') : problem(event, 'in-doubt', ran.retryAfterMs);
    }
    if (refused) return answered;
    if (ran.recorded === 'rejected') return problem(event, 'rejected');
    if (thrown && ran.recorded === 'released') {
      const busy = busyAnswer(event, thrown.error);
      if (busy) return busy;
    }
    throw thrown ? thrown.error : ran.error;
  }

  /**
   * The answer to an error that says that nothing was applied, and what it waits for: resources that others have locked, say. As an error, the
   * service would make a 500 of it, by which a client cannot tell whether and when to send it again.
   */
  function busyAnswer(event: Event, error: unknown): OwnResponse | undefined {
    const retryAfterMs = retryAfterOf(error);
    if (retryAfterMs !== undefined) return problem(event, 'busy', retryAfterMs);
    const isStores = error instanceof StoreUnavailableError && errorKind(error) === 'retryable';
    return isStores ? problem(event, 'unavailable', 1000 + host.random() * 4000) : undefined;
  }

  /** Whether what ended may have been an early time-out and not the handler: in the last moments of an invocation this cannot be told. */
  function mayBeRunning({ deadline }: Grant): boolean {
    // Not all of the margin: at its beginning `claim.signal` is aborted, and handlers end because of that.
    const late = deadline !== undefined && host.now() >= deadline - marginMs / 2;
    if (late) warnOfEarlyAnswers();
    return late;
  }

  return { enter, handle };
}

/** What a response that is not final says of its request. */
function unfinished(response: HttpResponse | undefined): Error {
  const message = `the response was ${response?.statusCode ?? 'none'}`;
  const SaidError = response && saysNothingApplied(response) ? RetryableError : Error;
  return new SaidError(message, { cause: response });
}

/** Whether a parked claim may have had its effect. One that only failed too often, and each time said that nothing was applied, has not. */
function isInDoubt({ unknownAt, error, resolution }: ClaimRecord): boolean {
  const gaveUp = error?.name === 'attempts-used-up' || error?.name === 'retry-window-over';
  // An operator who said 'retry' did not know either.
  return unknownAt !== undefined || !gaveUp || resolution?.verdict === 'retry';
}

function recordedResponse({ result }: ClaimRecord): Kept | undefined {
  return result === undefined ? undefined : asKept(JSON.parse(result));
}
