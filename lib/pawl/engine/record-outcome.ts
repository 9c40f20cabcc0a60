import { type RecordedError, recordedError } from '../kernel/recorded-error.ts';
import { answeredBy } from '../kernel/request.ts';
import type { Grant } from '../rules/grant.ts';
import type { Outcome } from '../rules/outcome.ts';
import type { ClaimRecord } from '../rules/record.ts';
import { completion } from '../rules/result.ts';
import { outcomeOfError, type Phase, setAside, settle } from '../rules/settle.ts';
import { changeClaim, type Engine, effectOf, emit, requestMs } from './engine.ts';
import { factsOf } from './events.ts';
import type { Recorded } from './run-result.ts';

/**
 * Records an outcome, as long as there is time. Never throws.
 *
 * @returns `'lost'` also where a worker that outlives its invocation goes on writing: its invocation must have its response, or the queue delivers the
 *   whole batch again
 */
export function recordOutcome(engine: Engine, grant: Grant, outcome: Outcome): Promise<Recorded> {
  const recording = writeOutcome(engine, grant, outcome);
  return grant.keptUntil === undefined ? recording : untilResponse(engine, grant, recording);
}

/** Waits for the record of an outcome as long as the invocation has time. */
async function untilResponse(engine: Engine, grant: Grant, recording: Promise<Recorded>): Promise<Recorded> {
  const { host } = engine.settings;
  const now = host.now();
  const until = responseAt(engine, grant);
  if (until === undefined || now >= until) return recording;
  try {
    return await answeredBy(host, until, recording, { now });
  } catch {
    return 'lost';
  }
}

/** Never throws. */
async function writeOutcome(engine: Engine, grant: Grant, outcome: Outcome): Promise<Recorded> {
  const { settings } = engine;
  const { identity } = grant;
  const { claimId } = grant.record;
  const { status } = outcome;
  const settled = (found: ClaimRecord | undefined, now: number) => settle(claimId, found, outcome, settings, now);
  try {
    const changed = await changeClaim(engine, grant, settled, { until: recordUntil(engine, grant) });
    const facts = factsOf(grant.record, outcome);
    emit(engine, identity, { type: changed === 'stale' ? 'stale-claim' : status, ...facts });
    return changed === 'stale' ? changed : status;
  } catch (failure) {
    const storeError = recordedError(failure);
    const type = status === 'completed' ? 'completion-lost' : 'outcome-lost';
    emit(engine, identity, { type, ...factsOf(grant.record, outcome), storeError });
    return 'lost';
  }
}

/** Until when a claim may still be written, in epoch milliseconds. */
export function recordUntil(engine: Engine, grant: Grant): number {
  const { keptUntil, record } = grant;
  // Nothing ends this worker, so its proof is never too late to be tried.
  if (keptUntil !== undefined) return Math.max(keptUntil, engine.settings.host.now() + requestMs);
  return responseAt(engine, grant) ?? record.leaseUntil;
}

/**
 * When an invocation has to respond, in epoch milliseconds, if it is known when it ends. Something is left for the answer to Lambda: an invocation that
 * ends without one brings back the whole batch.
 */
function responseAt({ settings: { marginMs } }: Engine, { deadline }: Grant): number | undefined {
  return deadline === undefined ? undefined : deadline - marginMs / 4;
}

/** Records that the effect happened. Whatever comes of the writing, it did. Never throws. */
export function succeed(engine: Engine, grant: Grant, value: unknown): Promise<Recorded> {
  const { maxResultBytes, recordResult } = engine.settings;
  const outcome = completion(value, maxResultBytes, recordResult);
  const reason = outcome.resultOmitted;
  if (reason !== undefined && reason !== 'by-choice') {
    emit(engine, grant.identity, { type: 'result-not-recorded', reason });
  }
  return recordOutcome(engine, grant, outcome);
}

/**
 * Records that a provider has said that the effect happened. Without a `result`, nobody has said what the handler would have returned: a duplicate must not
 * take `undefined` for it. As after an operator's word. Never throws.
 */
export function confirm(engine: Engine, grant: Grant, result: unknown): Promise<Recorded> {
  if (result !== undefined || !engine.settings.recordResult) return succeed(engine, grant, result);
  return recordOutcome(engine, grant, { status: 'completed', resultOmitted: 'not-returned' });
}

/** Whether nothing is recorded of a handler, because it may still be at work: its claim stays in flight. */
export function isLeftInFlight(engine: Engine, thrown: unknown, phase: Phase): boolean {
  // A handler that marks its effect and has not begun it cannot begin it any more. One that has had it, has had it.
  const isOpen = phase === 'unmarked' || phase === 'during';
  return isOpen && engine.mayStillRun?.(thrown) === true;
}

/** Records that a handler threw, by what its error and its phase say about the effect. Never throws. */
export async function fail(engine: Engine, grant: Grant, thrown: unknown, phase: Phase): Promise<Recorded> {
  if (isLeftInFlight(engine, thrown, phase)) return 'lost';
  const error = recordedError(thrown);
  if (phase === 'after') emit(engine, grant.identity, { type: 'failed-after-effect', error });
  const known = effectOf(engine.settings, thrown);
  return recordOutcome(engine, grant, outcomeOfError(error, known, phase, engine.settings));
}

/** Gives a claim back under which nothing has begun: that is no attempt. Never throws. */
export function giveBackUnstarted(engine: Engine, grant: Grant, thrown: unknown): Promise<Recorded> {
  return recordOutcome(engine, grant, { status: 'released', error: recordedError(thrown), unstarted: true });
}

/** Parks a claim that this worker has released, because its message is set aside. @returns whether it is parked */
export async function parkReleased(
  engine: Engine,
  grant: Grant,
  error: RecordedError,
  until: number,
): Promise<boolean> {
  const { claimId } = grant.record;
  try {
    const changed = await changeClaim(engine, grant, (found) => setAside(claimId, found, error), { until });
    if (changed === 'stale') return false;
  } catch (failure) {
    emit(engine, grant.identity, { type: 'store-unavailable', error: recordedError(failure) });
    return false;
  }
  emit(engine, grant.identity, { type: 'parked', ...factsOf(grant.record) });
  return true;
}
