import type { Claim } from '../engine/claim.ts';
import { internalsOf } from '../engine/claim-internals.ts';
import { emit } from '../engine/engine.ts';
import { expectFinished } from '../engine/returned.ts';
import { run } from '../engine/run.ts';
import { expectRun } from '../kernel/callable.ts';
import { effectKind, errorKind, retryAfterOf } from '../kernel/error-kind.ts';
import { explainedError, OptionError, RetryableError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { letFail } from '../kernel/unknown.ts';
import type { Grant } from '../rules/grant.ts';
import type { HttpEvent } from './event.ts';
import { type Admitted, type Gate, problem, unavailable } from './gate.ts';
import { rememberResponse } from './remember.ts';
import {
  asKept,
  type HttpResponse,
  type Kept,
  keptOf,
  type OwnResponse,
  replayOf,
  responseOf,
  saysNothingApplied,
} from './response.ts';
import { StillRunningError, warnOfEarlyAnswers } from './still-running.ts';

/** How a handler ended, as its caller hears it. What is recorded may differ: the error of a marked effect decides about the claim. */
type HandlerEnd<Response> =
  | { readonly kind: 'none' }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'final'; readonly response: Response; readonly kept: Kept }
  | { readonly kind: 'not-final'; readonly response: Response };

/** A request while its handler runs. */
interface Handling<Event extends HttpEvent, Response> {
  readonly gate: Gate<Event>;
  readonly event: Event;
  readonly grant: Grant;
  end: HandlerEnd<Response>;
}

/**
 * Runs a handler under the claim of its request.
 *
 * @returns its response once that is recorded, or an answer of pawl's own
 * @throws what the handler threw, once that is recorded, unless that says when to come again
 */
export async function handle<Event extends HttpEvent, Response>(
  gate: Gate<Event>,
  { request, grant }: Admitted<Event>,
  handler: (claim: Claim) => Promise<Response> | Response,
): Promise<Response | OwnResponse> {
  const { event } = request;
  const handling: Handling<Event, Response> = { gate, event, grant, end: { kind: 'none' } };
  const result = await run(gate.engine, grant, (_, claim) => respond(handling, handler, claim), request);
  const { end } = handling;
  switch (result.kind) {
    case 'returned':
      if (end.kind !== 'final')
        throw explainedError(TypeError, 'a handler has returned without a final response', 'not-final');
      if (result.recorded === 'completed') await rememberResponse(gate.engine, grant, end.kept);
      return end.response;
    case 'reconciled':
      return replayOf(event, asKept(result.value));
    case 'not-started':
      return problem(gate, event, 'not-started', { retryAfterMs: 1000 });
    case 'in-doubt':
      if (result.recorded === 'parked') return problem(gate, event, 'parked');
      return problem(gate, event, 'in-doubt', { retryAfterMs: result.retryAfterMs });
    case 'threw':
      if (end.kind === 'not-final') return end.response;
      if (result.recorded === 'rejected') return problem(gate, event, 'rejected');
      if (end.kind !== 'threw') throw result.error;
      if (result.recorded !== 'released') throw end.error;
      return busyAnswer(gate, event, end.error);
  }
}

/**
 * The answer to an error that says that nothing was applied, and what it waits for: resources that another request has locked, say. As an error, the
 * service would make a 500 of it, by which a client cannot tell whether and when to send it again.
 *
 * @throws the error, if it says no such thing
 */
function busyAnswer<Event extends HttpEvent>(gate: Gate<Event>, event: Event, error: unknown): OwnResponse {
  const retryAfterMs = retryAfterOf(error);
  if (retryAfterMs !== undefined) return problem(gate, event, 'busy', { retryAfterMs });
  if (couldNotReachStore(error)) return unavailable(gate, event);
  throw error;
}

/** Whether a store failed before anything was applied, as a lock says it: an error of that name, whose brand says that nothing was applied. */
function couldNotReachStore(error: unknown): boolean {
  return errorKind(error) === 'retryable' && recordedError(error).name === 'StoreUnavailableError';
}

/** Calls the handler. @returns its response, if that is final. @throws what says that the request is not done */
async function respond<Event extends HttpEvent, Response>(
  handling: Handling<Event, Response>,
  handler: (claim: Claim) => Promise<Response> | Response,
  claim: Claim,
): Promise<Kept> {
  const { gate, event, grant } = handling;
  const { maxResultBytes } = gate.settings;
  let answered: Response;
  try {
    const called = handler(claim);
    answered = expectRun(await called, 'the handler');
    // Before a response is made of it: a service takes any value for the body of one.
    internalsOf(claim, 'onceOverHttp').work.followAll(expectFinished(gate.settings.operation, called, answered));
  } catch (error) {
    handling.end = { kind: 'threw', error };
    // An error of pawl's is the handler's own; any other, in the last moments, may be an early time-out's.
    if (effectKind(error) !== undefined || !mayBeRunning(gate, grant)) throw error;
    throw leftInFlight(gate, error);
  }
  const response = responseOf(event, answered);
  if (response !== undefined && isFinalResponse(gate, response)) {
    const kept = keptOf(response, maxResultBytes);
    handling.end = { kind: 'final', response: answered, kept };
    if (kept.bodyOmitted) emit(gate.engine, grant.identity, { type: 'result-not-recorded', reason: 'too-large' });
    return kept;
  }
  handling.end = { kind: 'not-final', response: answered };
  const error = unfinished(response);
  throw mayBeRunning(gate, grant) ? leftInFlight(gate, error) : error;
}

/** Whether a response is final, in the author's judgement. @throws OptionError when that is neither true nor false */
export function isFinalResponse<Event extends HttpEvent>({ settings }: Gate<Event>, response: HttpResponse): boolean {
  const final: unknown = settings.isFinal(response);
  if (typeof final === 'boolean') return final;
  letFail(final);
  throw new OptionError(`isFinal: expected true or false; got ${typeof final}. Make it a function that is not async`);
}

/** What a response that is not final says of its request. */
export function unfinished(response: HttpResponse | undefined): Error {
  const message = `the response was ${response?.statusCode ?? 'none'}`;
  if (response === undefined || !saysNothingApplied(response))
    return explainedError(Error, message, 'not-final', { cause: response });
  return explainedError(RetryableError, message, 'not-final', { cause: response });
}

/** Whether what ended may have been an early time-out and not the handler: in the last moments of an invocation this cannot be told. */
function mayBeRunning<Event extends HttpEvent>({ settings }: Gate<Event>, { deadline }: Grant): boolean {
  // Not all of the margin: at its beginning `claim.signal` is aborted, and handlers end because of that.
  return deadline !== undefined && settings.host.now() >= deadline - settings.marginMs / 2;
}

/** The error that leaves the claim in flight, because what ended may not have been the handler. Warns of that. */
function leftInFlight({ settings }: Gate<never>, cause: unknown): StillRunningError {
  warnOfEarlyAnswers(settings.operation);
  return new StillRunningError(recordedError(cause).message, { cause });
}
