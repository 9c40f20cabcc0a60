import { freshMs } from '../../lib/pawl/engine/acquire.ts';
import { effectOf } from '../../lib/pawl/engine/engine.ts';
import { tooLate as productionTooLate, type TooLate } from '../../lib/pawl/engine/run.ts';
import type { Recorded } from '../../lib/pawl/engine/run-result.ts';
import { errorKind } from '../../lib/pawl/kernel/error-kind.ts';
import { explainedError, InDoubtError, LeaseError, RetryableError } from '../../lib/pawl/kernel/errors.ts';
import { recordedError } from '../../lib/pawl/kernel/recorded-error.ts';
import { type Checkpoint, checkpointsOf } from '../../lib/pawl/rules/checkpoints.ts';
import type { Decision } from '../../lib/pawl/rules/decide.ts';
import type { Outcome } from '../../lib/pawl/rules/outcome.ts';
import type { ClaimRecord } from '../../lib/pawl/rules/record.ts';
import { completion } from '../../lib/pawl/rules/result.ts';
import type { Phase } from '../../lib/pawl/rules/settle.ts';
import type { ClaimWrite } from '../../lib/pawl/rules/store.ts';
import { type Disposition, missedItsTurn, returned } from '../../lib/pawl/sqs/disposition.ts';
import { times, unitMs } from './time.ts';
import { type Answer, at, type Model, settleMsOf, type Unrecorded, type Waits, type Worker } from './world.ts';

/**
 * The part of pawl that waits: `lib/pawl/engine/acquire.ts`, `run.ts`, `record-outcome.ts` and `settle-doubt.ts`, and `eachMessage` with
 * its `conclude`, line by line, as a machine that stands still at every `await` that leaves the process. What decides is production's
 * own, called from here. That this machine and the production code do the same is not believed but compared: see `conformance.ts`.
 */

/** What a worker finds when it goes on: its own clock, and a claim id, should it need one. */
export interface Step {
  readonly model: Model;
  readonly now: number;
  readonly freshId: string;
  /** Something is reported that tells a person that the effect of this key may happen twice. */
  readonly tell: (key: number) => void;
}

/** A worker before its invocation. */
export const nobody: Omit<Worker, 'batch' | 'policy' | 'offset' | 'endsAt' | 'deadline'> = {
  dispositions: [],
  outlives: false,
  mayTakeOver: false,
  claimId: '',
  onRecord: false,
  grant: undefined,
  waits: { for: 'end', tells: false },
  answer: undefined,
  heardAt: undefined,
  beat: undefined,
  step: 0,
  found: undefined,
  aborted: false,
  buried: [],
  trail: undefined,
};

/** Which of the keys a worker works on; once it is through, which it worked on last: a beat of that may still be under way. */
export function keyOf({ config }: Model, { batch, dispositions }: Worker): number {
  return at(config.messages, at(batch, Math.min(dispositions.length, batch.length - 1)).message).key;
}

/** A handler is running, or its provider is being asked: the lease is kept meanwhile. */
export function isOpen({ waits }: Worker): boolean {
  const { for: what } = waits;
  return what === 'ask' || what === 'before' || what === 'effect' || what === 'checkpoint' || what === 'after';
}

/** The next message of the batch, if nothing before it failed. */
export function begin(step: Step, worker: Worker): Worker {
  const { batch, dispositions } = worker;
  if (dispositions.length === batch.length) return conclude(step, worker, false);
  // What can never run makes way for those behind it, once it is safe.
  if (
    dispositions.at(-1)?.kind === 'dead-lettered' &&
    !worker.buried.includes(dispositions.length - 1) &&
    canBury(step, worker)
  ) {
    return wait(through(worker), { for: 'dead-letter' });
  }
  return isFree(worker) ? tryOne(step, { ...worker, mayTakeOver: false }) : notItsTurn(step, worker);
}

function canBury({ model, now }: Step, { deadline }: Worker): boolean {
  return now < deadline && model.config.deadLetters;
}

/** Whether nothing of the group before is left to wait for. */
function isFree({ dispositions, buried }: Worker): boolean {
  return dispositions.every(({ kind }, index) => kind === 'acknowledged' || buried.includes(index));
}

function notItsTurn(step: Step, worker: Worker): Worker {
  return begin(step, { ...worker, dispositions: [...worker.dispositions, missedItsTurn] });
}

/** What it knew of its claim is of no more use to it. */
function through(worker: Worker): Worker {
  return { ...worker, claimId: '', onRecord: false, grant: undefined, mayTakeOver: false, aborted: false };
}

function tryOne(step: Step, worker: Worker): Worker {
  if (tooLate(step, worker.deadline)) return ended(step, worker, missedItsTurn);
  const asking = { ...worker, claimId: step.freshId, grant: undefined, onRecord: false };
  const redelivered = at(worker.batch, worker.dispositions.length).receives > 1;
  if (!redelivered) return ask(step, asking, undefined);
  // Outside of a message group, it is looked at before its turn. A suspect that runs alone looks anew, in its turn.
  const isAhead = !step.model.config.fifo && !worker.mayTakeOver;
  return isAhead ? wait({ ...asking, claimId: '' }, { for: 'read', aheadAt: step.now }) : wait(asking, { for: 'read' });
}

/** It has been looked at. If that was ahead of its turn, its turn begins now, and an old look is repeated. */
function looked(step: Step, worker: Worker, answer: Answer, { aheadAt }: Extract<Waits, { for: 'read' }>): Worker {
  const inTurn = aheadAt === undefined ? worker : { ...worker, claimId: step.freshId };
  if (aheadAt !== undefined) {
    if (tooLate(step, worker.deadline)) return ended(step, worker, missedItsTurn);
    if (step.now - aheadAt >= freshMs) return wait(inTurn, { for: 'read' });
  }
  return answer.is === 'found' ? ask(step, inTurn, answer.found) : ended(step, worker, returned);
}

/** One round of `acquire`. */
function ask(step: Step, worker: Worker, found: ClaimRecord | undefined): Worker {
  const { model, now } = step;
  const { claimId, policy, mayTakeOver } = worker;
  const { id } = at(model.identities, keyOf(model, worker));
  const { intent: fingerprint } = at(model.config.messages, at(worker.batch, worker.dispositions.length).message);
  const request = { id, claimId, fingerprint, leaseUntil: leaseEnd(step, worker) };
  const decided = model.protocol.decide(found, request, at(model.rules, policy), now);
  // A suspect: it runs again when it is alone, which it is in a batch of one.
  if (!mayTakeOver && decided.kind === 'taken-over') return tryOne(step, { ...worker, mayTakeOver: true });
  const { write } = decided;
  return write ? wait(worker, { for: 'claim', decided, write }) : acquired(step, worker, decided);
}

function acquired(step: Step, worker: Worker, decided: Decision): Worker {
  const { model } = step;
  if (decided.kind === 'taken-over' || decided.kind === 'parked') step.tell(keyOf(model, worker));
  if (decided.kind !== 'granted' && decided.kind !== 'taken-over') {
    return ended(step, worker, model.protocol.dispositionOfRefused(decided, 'defer', settleMsOf(model, worker)));
  }
  return run(step, { ...worker, grant: { record: decided.record } });
}

function run(step: Step, worker: Worker): Worker {
  const { record } = grantOf(worker);
  const settleMs = settleMsOf(step.model, worker);
  const asks = at(step.model.rules, worker.policy).onAbandoned === 'reconcile' && record.unknownAt !== undefined;
  if (!asks || settleMs === 0) return start(step, worker);
  const retryAfterMs = Math.max(0, (record.unknownAt ?? 0) + settleMs + step.model.skewMs - step.now);
  return open(step, worker, { for: 'ask', retryAfterMs, askedAt: step.now });
}

function start(step: Step, worker: Worker): Worker {
  const late = tooLate(step, grantOf(worker).record.leaseUntil);
  if (late) {
    const outcome: Outcome = { status: 'released', error: recordedError(late.error), unstarted: true };
    return record(step, worker, outcome, { kind: 'not-started', error: late.error });
  }
  if (at(step.model.rules, worker.policy).atomic) return commitAll(step, worker);
  if (step.model.config.steps > 0) {
    return takeSteps(
      step,
      open(step, { ...worker, step: 0, found: grantOf(worker).record.checkpoints }, { for: 'effect' }),
    );
  }
  return open(step, worker, { for: step.model.config.marksEffect ? 'before' : 'effect' });
}

/** Its effect and its completion are one write. If that fails, the handler has thrown what says so. */
function commitAll(step: Step, worker: Worker): Worker {
  const ran = { kind: 'threw', error: notCommitted, applied: false, retryAfterMs: 0 } as const;
  return record(step, worker, completion(undefined, 0, false), ran);
}

/** Goes on with an answer. */
export function resume(step: Step, worker: Worker): Worker {
  const { model, now } = step;
  const { waits, answer } = worker;
  if (answer === undefined) throw new Error('nothing was answered');
  switch (waits.for) {
    case 'read':
      return looked(step, worker, answer, waits);
    case 'claim': {
      if (answer.is !== 'written') return ended(step, worker, returned);
      const { written } = answer;
      return written.applied ? acquired(step, worker, waits.decided) : ask(step, worker, written.found);
    }
    case 'ask': {
      const verdict = answer.is === 'verdict' ? answer.verdict : 'inconclusive';
      const { record: asked } = grantOf(worker);
      const error = recordedError('the provider cannot say yet');
      const rules = { ...at(model.rules, worker.policy), settleMs: settleMsOf(model, worker) };
      const after = model.protocol.afterVerdict(verdict, asked, rules, error, waits.askedAt);
      if (after.kind === 'applied') {
        return record(step, worker, completion(true, 0, false), { kind: 'reconciled', value: true });
      }
      if (after.kind === 'run') return start(step, worker);
      return record(step, worker, after.outcome, { kind: 'in-doubt', error, retryAfterMs: after.retryAfterMs });
    }
    case 'before': {
      if (answer.is === 'thrown') return threw(step, worker, answer.error, 'before');
      const over = remainingMs(step, worker) <= 0;
      return over ? threw(step, worker, timeIsOver, 'before') : wait(worker, { for: 'effect' });
    }
    case 'effect':
      if (model.config.steps > 0)
        return answer.is === 'thrown' ? stepFailed(step, worker, answer.error) : reach(step, worker, 'done');
      if (answer.is === 'thrown') {
        return threw(step, worker, answer.error, model.config.marksEffect ? 'during' : 'unmarked');
      }
      return model.config.marksEffect ? wait(worker, { for: 'after' }) : handlerReturned(step, worker);
    case 'after':
      return answer.is === 'thrown' ? threw(step, worker, answer.error, 'after') : handlerReturned(step, worker);
    case 'checkpoint': {
      if (answer.is !== 'written') {
        if (now < waits.until) return changeCheckpoint(step, worker, waits.write.seen, waits);
        return threw(step, worker, waits.error ?? new Error('down'), 'unmarked');
      }
      const { written } = answer;
      if (!written.applied) return changeCheckpoint(step, worker, written.found, waits);
      return reached(step, holding(worker, waits.write.next), waits);
    }
    case 'record': {
      const { outcome, write, ran } = waits;
      if (answer.is === 'written') {
        const { written } = answer;
        if (!written.applied) return change(step, worker, written.found, outcome, ran);
        return recorded(step, holding(worker, write.next), outcome.status, ran);
      }
      // Between two tries is less than a unit of time.
      if (now >= worker.deadline) return recorded(step, worker, 'lost', ran);
      return change(step, worker, write.seen, outcome, ran);
    }
    case 'dead-letter':
      return buriedOrNot(step, worker, answer.is === 'returned');
    case 'end':
      throw new Error('it has ended');
  }
}

/** `step`, under 'park', for each of them: until there is one that has not been taken. */
function takeSteps(step: Step, worker: Worker): Worker {
  const { config } = step.model;
  const found = checkpointsOf({ checkpoints: worker.found });
  for (let index = worker.step; index < config.steps; index++) {
    const before = found[index];
    if (before?.state === 'done') continue;
    const at = { ...worker, step: index };
    if (before?.state === 'started') {
      const error = explainedError(
        InDoubtError,
        `step ${stepName(index)} was started, and did not say how it ended`,
        'step-in-doubt',
      );
      return threw(step, at, error, 'unmarked');
    }
    return remainingMs(step, at) > 0 ? reach(step, at, 'started') : threw(step, at, notStarted(index), 'unmarked');
  }
  return handlerReturned(step, worker);
}

/** How far it comes, written down. @param error what the step throws after it */
function reach(step: Step, worker: Worker, state: Checkpoint['state'], error?: Error): Worker {
  const { record } = grantOf(worker);
  const result = state === 'done' ? { result: 'true' } : {};
  const checkpoint = { name: stepName(worker.step), state, at: step.now, fence: record.fence, ...result };
  return changeCheckpoint(step, worker, record, { checkpoint, until: step.now + remainingMs(step, worker), error });
}

type Reaching = Pick<Extract<Waits, { for: 'checkpoint' }>, 'checkpoint' | 'until' | 'error'>;

/** One round of `change`. */
function changeCheckpoint(step: Step, worker: Worker, seen: ClaimRecord | undefined, reaching: Reaching): Worker {
  const { checkpoint, until, error } = reaching;
  const next = step.model.protocol.checkpointed(worker.claimId, seen, worker.step, checkpoint);
  if (next === 'stale') {
    const lost = new LeaseError(
      `the claim is somebody else's: step ${checkpoint.name} is not ${checkpoint.state} in its record`,
    );
    return threw(step, worker, error ?? lost, 'unmarked');
  }
  if (next === 'applied') return reached(step, seen ? holding(worker, seen) : worker, reaching);
  return wait(worker, { for: 'checkpoint', write: { next, seen }, checkpoint, until, error });
}

function reached(step: Step, worker: Worker, { checkpoint, error }: Reaching): Worker {
  if (error) return threw(step, worker, error, 'unmarked');
  if (checkpoint.state === 'done') return takeSteps(step, { ...worker, step: worker.step + 1 });
  if (checkpoint.state === 'open') return threw(step, worker, notStarted(worker.step), 'unmarked');
  return remainingMs(step, worker) > 0 ? wait(worker, { for: 'effect' }) : reach(step, worker, 'open');
}

function stepFailed(step: Step, worker: Worker, error: Error): Worker {
  const kind = errorKind(error);
  if (kind === 'retryable' || kind === 'rejected') return reach(step, worker, 'open', error);
  return reach(
    step,
    worker,
    'started',
    explainedError(InDoubtError, `step ${stepName(worker.step)}: ${error.message}`, 'step-in-doubt'),
  );
}

export const stepName = (index: number) => `step-${index + 1}`;

function notStarted(index: number): LeaseError {
  return new LeaseError(`step ${stepName(index)} was not started: the time is over`);
}

function remainingMs({ model, now }: Step, worker: Worker): number {
  return worker.aborted ? 0 : Math.max(0, grantOf(worker).record.leaseUntil - model.marginMs - now);
}

function handlerReturned(step: Step, worker: Worker): Worker {
  return record(step, worker, completion(true, 0, false), { kind: 'returned', value: true });
}

function threw(step: Step, worker: Worker, error: Error, phase: Phase): Worker {
  const settleMs = settleMsOf(step.model, worker);
  const retryAfterMs = settleMs && settleMs + step.model.skewMs;
  return fail(step, worker, phase, { kind: 'threw', error, applied: phase === 'after', retryAfterMs });
}

function fail(step: Step, worker: Worker, phase: Phase, ran: Extract<Unrecorded, { readonly error: unknown }>): Worker {
  const { model } = step;
  const known = effectOf({}, ran.error);
  const outcome = model.protocol.outcomeOfError(recordedError(ran.error), known, phase, at(model.rules, worker.policy));
  if (outcome.status === 'parked' || (outcome.status === 'released' && outcome.unknown)) {
    step.tell(keyOf(model, worker));
  }
  return record(step, worker, outcome, ran);
}

function record(step: Step, worker: Worker, outcome: Outcome, ran: Unrecorded): Worker {
  // The heartbeat has been stopped by now. What it has under way goes on, and nobody waits for it.
  const beat = worker.beat?.write && { ...worker.beat, stopped: true };
  return change(step, { ...worker, beat }, grantOf(worker).record, outcome, ran);
}

/** One round of `change`. */
function change(step: Step, worker: Worker, seen: ClaimRecord | undefined, outcome: Outcome, ran: Unrecorded): Worker {
  const { protocol, rules } = step.model;
  const next = protocol.settle(worker.claimId, seen, outcome, at(rules, worker.policy), step.now);
  if (next === 'stale') {
    step.tell(keyOf(step.model, worker));
    return recorded(step, worker, next, ran);
  }
  if (next === 'applied') return recorded(step, seen ? holding(worker, seen) : worker, outcome.status, ran);
  return wait(worker, { for: 'record', write: { next, seen }, outcome, ran });
}

function recorded(step: Step, worker: Worker, how: Recorded, ran: Unrecorded): Worker {
  return ended(step, worker, step.model.protocol.dispositionOfRun({ ...ran, recorded: how }));
}

function ended(step: Step, worker: Worker, disposition: Disposition): Worker {
  return begin(step, { ...worker, dispositions: [...worker.dispositions, disposition] });
}

/** Sends to the dead-letter queue what belongs there, and then answers Lambda. */
function conclude(step: Step, worker: Worker, tried: boolean): Worker {
  const left = worker.dispositions.some(
    ({ kind }, index) => kind === 'dead-lettered' && !worker.buried.includes(index),
  );
  if (left && !tried && canBury(step, worker)) return wait(through(worker), { for: 'dead-letter' });
  // The last moment of an invocation is kept for the answer itself.
  return wait(through(worker), { for: 'end', tells: step.now < worker.deadline });
}

/** The dead-letter queue has answered, about the first message that was to go there. */
function buriedOrNot(step: Step, worker: Worker, isSafe: boolean): Worker {
  const { batch, dispositions } = worker;
  const buried = isSafe ? [...worker.buried, toBury(worker)] : worker.buried;
  const after = { ...worker, buried };
  if (dispositions.length === batch.length) return conclude(step, after, true);
  return isSafe ? begin(step, after) : notItsTurn(step, after);
}

/** Which message it is about to put into the dead-letter queue. */
export function toBury({ dispositions, buried }: Worker): number {
  return dispositions.findIndex(({ kind }, index) => kind === 'dead-lettered' && !buried.includes(index));
}

/** One beat: `change` with `renew`, which gives up at once when the store fails. */
export function beat(step: Step, worker: Worker, seen = grantOf(worker).record as ClaimRecord | undefined): Worker {
  const { stopped = false, write: before } = worker.beat ?? {};
  const next = step.model.protocol.renew(
    before?.next.claimId ?? worker.claimId,
    seen,
    leaseEnd(step, worker),
    at(step.model.rules, worker.policy),
  );
  if (stopped) return { ...worker, beat: typeof next === 'string' ? undefined : stoppedBeat({ next, seen }) };
  if (next === 'stale') {
    step.tell(keyOf(step.model, worker));
    return { ...worker, beat: undefined, aborted: true };
  }
  const dueAt = step.now + times.beat * unitMs;
  if (next === 'applied') {
    const holder = seen ? holding(worker, seen) : worker;
    return { ...holder, beat: { dueAt, write: undefined, answer: undefined, stopped } };
  }
  return { ...worker, beat: { dueAt, write: { next, seen }, answer: undefined, stopped } };
}

/** The beat goes on with the store's answer. */
export function beaten(step: Step, worker: Worker): Worker {
  const { write, answer, stopped = false } = worker.beat ?? {};
  if (write === undefined || answer === undefined) throw new Error('no beat was answered');
  if (answer !== 'failed' && !answer.applied) return beat(step, worker, answer.found);
  if (stopped) return { ...worker, beat: undefined };
  const holder = answer === 'failed' ? worker : holding(worker, write.next);
  return { ...holder, beat: { dueAt: step.now + times.beat * unitMs, write: undefined, answer: undefined, stopped } };
}

function stoppedBeat(write: ClaimWrite): Worker['beat'] {
  return { dueAt: Infinity, write, answer: undefined, stopped: true };
}

function leaseEnd({ model, now }: Step, { deadline }: Worker): number {
  return Math.min(now + model.leaseMs, deadline);
}

function open(step: Step, worker: Worker, waits: Waits): Worker {
  const kept = step.model.config.renewed
    ? { dueAt: step.now + times.beat * unitMs, write: undefined, answer: undefined, stopped: false }
    : undefined;
  return { ...wait(worker, waits), beat: kept, aborted: false };
}

function tooLate({ model: { marginMs }, now }: Step, leaseUntil: number): TooLate | undefined {
  return productionTooLate({ marginMs, timeoutMs: 0, host: { now: () => now } }, leaseUntil);
}

function grantOf({ grant }: Worker): NonNullable<Worker['grant']> {
  if (grant === undefined) throw new Error('it holds no claim');
  return grant;
}

/** As `moveOn`: an answer that comes late must not set back what is known. */
function holding(worker: Worker, record: ClaimRecord): Worker {
  if (record.rev < grantOf(worker).record.rev) return worker;
  return { ...worker, grant: { ...grantOf(worker), record } };
}

function wait(worker: Worker, waits: Waits): Worker {
  return { ...worker, waits, answer: undefined, heardAt: undefined };
}

const notCommitted = new RetryableError('nothing is known to be committed');

/** What `claim.effect` throws when its time is over. */
const timeIsOver = new LeaseError('the effect was not started: the time is over');
