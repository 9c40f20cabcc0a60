import type { Decision } from '../../lib/core/decide.ts';
import { LeaseError } from '../../lib/core/errors.ts';
import type { Ran } from '../../lib/core/ran.ts';
import { type ClaimRecord, recordedError } from '../../lib/core/record.ts';
import { completion } from '../../lib/core/result.ts';
import { tooLate as productionTooLate } from '../../lib/core/run.ts';
import type { Outcome } from '../../lib/core/settle.ts';
import { again, type Fate, soon } from '../../lib/sqs/fate.ts';
import type { Phase } from './protocol.ts';
import { times, unitMs } from './time.ts';
import { at, type Model, settleMsOf, type Waits, type Worker } from './world.ts';

/**
 * The part of pawl that waits: `acquire`, `change` and `record` of `lib/core/claims.ts`, `run`, `reconcile`, and `eachMessage` with
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
  fates: [],
  outlives: false,
  mayTakeOver: false,
  claimId: '',
  onRecord: false,
  held: undefined,
  waits: { for: 'end' },
  answer: undefined,
  heardAt: undefined,
  beat: undefined,
  aborted: false,
  sent: false,
  trail: undefined,
};

/** Which of the keys a worker works on. */
export function keyOf({ config }: Model, { batch, fates }: Worker): number {
  return at(config.messages, at(batch, fates.length).message).key;
}

/** A handler is running, or its provider is being asked: the lease is kept meanwhile. */
export function isOpen({ waits }: Worker): boolean {
  const { for: what } = waits;
  return what === 'ask' || what === 'before' || what === 'effect' || what === 'after';
}

/** The next message of the batch, if nothing before it failed. */
export function begin(step: Step, worker: Worker): Worker {
  const { batch, fates } = worker;
  if (fates.length === batch.length) return conclude(step, worker, false);
  if (fates.some(({ fate }) => fate !== 'done')) return begin(step, { ...worker, fates: [...fates, soon] });
  return tryOne(step, { ...worker, mayTakeOver: false });
}

function tryOne(step: Step, worker: Worker): Worker {
  if (tooLate(step, worker, worker.deadline)) return ended(step, worker, soon);
  const asking = { ...worker, claimId: step.freshId, held: undefined, onRecord: false };
  const redelivered = at(worker.batch, worker.fates.length).receives > 1;
  return redelivered ? wait(asking, { for: 'read' }) : ask(step, asking, undefined);
}

/** One round of `acquire`. */
function ask(step: Step, worker: Worker, found: ClaimRecord | undefined): Worker {
  const { model, now } = step;
  const { claimId, policy, mayTakeOver } = worker;
  const { id } = at(model.identities, keyOf(model, worker));
  const { intent: fingerprint } = at(model.config.messages, at(worker.batch, worker.fates.length).message);
  const request = { id, claimId, fingerprint, leaseUntil: leaseEnd(step, worker) };
  const decided = model.protocol.decide(found, request, at(model.rules, policy), now);
  // A suspect: it runs again when it is alone, which it is in a batch of one.
  if (!mayTakeOver && decided.decision === 'taken-over') return tryOne(step, { ...worker, mayTakeOver: true });
  const { write } = decided;
  return write ? wait(worker, { for: 'claim', decided, write }) : acquired(step, worker, decided);
}

function acquired(step: Step, worker: Worker, decided: Decision): Worker {
  const { model } = step;
  if (decided.decision === 'taken-over' || decided.decision === 'parked') step.tell(keyOf(model, worker));
  if (!('reconcile' in decided)) {
    return ended(step, worker, model.protocol.fateOfRefused(decided, 'defer', settleMsOf(model, worker)));
  }
  return run(step, { ...worker, held: { record: decided.record, inDoubt: decided.reconcile } });
}

function run(step: Step, worker: Worker): Worker {
  const { record, inDoubt } = heldBy(worker);
  const settleMs = settleMsOf(step.model, worker);
  if (!inDoubt || settleMs === 0) return start(step, worker);
  const retryAfterMs = Math.max(0, (record.unknownAt ?? 0) + settleMs + step.model.skewMs - step.now);
  return open(step, worker, { for: 'ask', retryAfterMs });
}

function start(step: Step, worker: Worker): Worker {
  const error = tooLate(step, worker, heldBy(worker).record.leaseUntil);
  if (error) return fail(step, worker, 'before', { ran: 'not-started', error });
  return open(step, worker, { for: step.model.config.marksEffect ? 'before' : 'effect' });
}

/** Goes on with an answer. */
export function resume(step: Step, worker: Worker): Worker {
  const { model, now } = step;
  const { waits, answer } = worker;
  if (answer === undefined) throw new Error('nothing was answered');
  switch (waits.for) {
    case 'read':
      return answer.is === 'found' ? ask(step, worker, answer.found) : ended(step, worker, again);
    case 'claim': {
      if (answer.is !== 'written') return ended(step, worker, again);
      const { written } = answer;
      return written.applied ? acquired(step, worker, waits.decided) : ask(step, worker, written.found);
    }
    case 'ask': {
      const verdict = answer.is === 'verdict' ? answer.verdict : 'inconclusive';
      const { retryAfterMs } = waits;
      if (verdict === 'applied') {
        return record(step, worker, completion(true, 0, false), { ran: 'reconciled', applied: true });
      }
      if (verdict === 'not-applied' && retryAfterMs === 0) return start(step, worker);
      const error = recordedError('the provider cannot say yet');
      const ran = { ran: 'in-doubt', error, retryAfterMs } as const;
      return record(step, worker, inDoubt(step, worker, verdict !== 'not-applied'), ran);
    }
    case 'before': {
      if (answer.is === 'thrown') return threw(step, worker, answer.error, 'before');
      const over = worker.aborted || heldBy(worker).record.leaseUntil - model.marginMs - now <= 0;
      return over ? threw(step, worker, timeIsOver, 'before') : wait(worker, { for: 'effect' });
    }
    case 'effect':
      if (answer.is === 'thrown') {
        return threw(step, worker, answer.error, model.config.marksEffect ? 'during' : 'unmarked');
      }
      return model.config.marksEffect ? wait(worker, { for: 'after' }) : returned(step, worker);
    case 'after':
      return answer.is === 'thrown' ? threw(step, worker, answer.error, 'after') : returned(step, worker);
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
      return conclude(step, { ...worker, sent: answer.is === 'returned' }, true);
    case 'end':
      throw new Error('it has ended');
  }
}

function returned(step: Step, worker: Worker): Worker {
  return record(step, worker, completion(true, 0, false), { ran: 'returned', applied: true });
}

function threw(step: Step, worker: Worker, error: Error, phase: Phase): Worker {
  const settleMs = settleMsOf(step.model, worker);
  const retryAfterMs = settleMs && settleMs + step.model.skewMs;
  return fail(step, worker, phase, { ran: 'threw', error, applied: phase === 'after', retryAfterMs });
}

function fail(step: Step, worker: Worker, phase: Phase, ran: Omit<Ran<unknown>, 'recorded'>): Worker {
  const { model } = step;
  const parks = at(model.rules, worker.policy).onAbandoned === 'park';
  const outcome = model.protocol.outcomeOfThrow(ran.error, phase, parks);
  if (outcome.status === 'parked' || (outcome.status === 'released' && outcome.unknown)) {
    step.tell(keyOf(model, worker));
  }
  return record(step, worker, outcome, ran);
}

/** As `leaveInDoubt`. */
function inDoubt({ model }: Step, worker: Worker, inconclusive: boolean): Outcome {
  const tooOften = inconclusive && heldBy(worker).record.abandoned + 1 >= at(model.rules, worker.policy).maxAbandoned;
  const error = recordedError('the provider cannot say yet');
  return tooOften ? { status: 'parked', error } : { status: 'released', error, inconclusive };
}

function record(step: Step, worker: Worker, outcome: Outcome, ran: Omit<Ran<unknown>, 'recorded'>): Worker {
  // The heartbeat has been stopped by now.
  return change(step, { ...worker, beat: undefined }, heldBy(worker).record, outcome, ran);
}

/** One round of `change`. */
function change(
  step: Step,
  worker: Worker,
  seen: ClaimRecord | undefined,
  outcome: Outcome,
  ran: Omit<Ran<unknown>, 'recorded'>,
): Worker {
  const { protocol, rules } = step.model;
  const next = protocol.settle(worker.claimId, seen, outcome, at(rules, worker.policy), step.now);
  if (next === 'stale') {
    step.tell(keyOf(step.model, worker));
    return recorded(step, worker, next, ran);
  }
  if (next === 'applied') return recorded(step, seen ? holding(worker, seen) : worker, outcome.status, ran);
  return wait(worker, { for: 'record', write: { next, seen }, outcome, ran });
}

function recorded(
  step: Step,
  worker: Worker,
  how: Ran<unknown>['recorded'],
  ran: Omit<Ran<unknown>, 'recorded'>,
): Worker {
  return ended(step, worker, step.model.protocol.fateOfRun({ ...ran, recorded: how }));
}

function ended(step: Step, worker: Worker, fate: Fate): Worker {
  return begin(step, { ...worker, fates: [...worker.fates, fate] });
}

/** Sends to the dead-letter queue what belongs there, and then answers Lambda. */
function conclude({ model }: Step, worker: Worker, tried: boolean): Worker {
  const toSend = !tried && model.config.deadLetters && worker.fates.some(({ fate }) => fate === 'dead-letter');
  // What it knew of its claim is of no more use to it.
  const through = { ...worker, claimId: '', onRecord: false, held: undefined, mayTakeOver: false, aborted: false };
  return wait(through, { for: toSend ? 'dead-letter' : 'end' });
}

/** One beat: `change` with `renew`, which gives up at once when the store fails. */
export function beat(step: Step, worker: Worker, seen = heldBy(worker).record as ClaimRecord | undefined): Worker {
  const next = step.model.protocol.renew(
    worker.claimId,
    seen,
    leaseEnd(step, worker),
    at(step.model.rules, worker.policy),
  );
  if (next === 'stale') {
    step.tell(keyOf(step.model, worker));
    return { ...worker, beat: undefined, aborted: true };
  }
  const dueAt = step.now + times.beat * unitMs;
  if (next === 'applied') {
    const held = seen ? holding(worker, seen) : worker;
    return { ...held, beat: { dueAt, write: undefined, answer: undefined } };
  }
  return { ...worker, beat: { dueAt, write: { next, seen }, answer: undefined } };
}

/** The beat goes on with the store's answer. */
export function beaten(step: Step, worker: Worker): Worker {
  const { write, answer } = worker.beat ?? {};
  if (write === undefined || answer === undefined) throw new Error('no beat was answered');
  if (answer !== 'failed' && !answer.applied) return beat(step, worker, answer.found);
  const held = answer === 'failed' ? worker : holding(worker, write.next);
  return { ...held, beat: { dueAt: step.now + times.beat * unitMs, write: undefined, answer: undefined } };
}

function leaseEnd({ model, now }: Step, { deadline }: Worker): number {
  return Math.min(now + model.leaseMs, deadline);
}

function open(step: Step, worker: Worker, waits: Waits): Worker {
  const kept = step.model.config.renewed
    ? { dueAt: step.now + times.beat * unitMs, write: undefined, answer: undefined }
    : undefined;
  return { ...wait(worker, waits), beat: kept, aborted: false };
}

function tooLate({ model, now }: Step, worker: Worker, leaseUntil: number): LeaseError | undefined {
  const host = { now: () => now };
  const claims = { settings: { marginMs: model.marginMs, timeoutMs: 0, host }, emit: () => undefined };
  const identity = at(model.identities, keyOf(model, worker));
  return productionTooLate(claims as unknown as Parameters<typeof productionTooLate>[0], identity, leaseUntil);
}

function heldBy({ held }: Worker): NonNullable<Worker['held']> {
  if (held === undefined) throw new Error('it holds no claim');
  return held;
}

function holding(worker: Worker, record: ClaimRecord): Worker {
  return { ...worker, held: { ...heldBy(worker), record } };
}

function wait(worker: Worker, waits: Waits): Worker {
  return { ...worker, waits, answer: undefined, heardAt: undefined };
}

/** What `claim.effect` throws when its time is over. */
const timeIsOver = new LeaseError('the effect was not started: the time is over');
