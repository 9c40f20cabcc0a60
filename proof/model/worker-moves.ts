import { beatMoves, renewalOf } from './heartbeat-moves.ts';
import { answered, canFail, clockOf, failing, type Move, name, stepOf, trailed, withTold, withWorker } from './move.ts';
import { asksProvider, effects, ownWork, stillOnItsWay } from './provider-moves.ts';
import { deadLetters, ends } from './queue-moves.ts';
import { onItsWay, reads, type Sent, writes } from './store-moves.ts';
import { isOpen, resume } from './worker.ts';
import { at, type Model, type Worker, type World, without } from './world.ts';

/** What a worker may do next, and what may be done to it. */
export function workerMoves(model: Model, world: World, index: number): Move[] {
  const worker = at(world.workers, index);
  const moves = worker.answer === undefined ? answers(model, world, index, worker) : later(model, world, index, worker);
  if (worker.beat !== undefined) moves.push(...beatMoves(model, world, index, worker));
  if (canFail(model, world, 'crash')) moves.push(...crashes(model, world, index, worker));
  if (canFail(model, world, 'outlives') && mustEnd(model, world, worker)) {
    moves.push({
      says: () => `${name(index)} is frozen, and goes on after the end of its time`,
      fair: false,
      go: () => ({ ...withWorker(failing(world), index, { ...worker, outlives: true }), beyond: true }),
    });
  }
  if (canFail(model, world, 'clock-jumps') && worker.waits.for !== 'end') {
    for (const by of [-model.config.jump, model.config.jump]) {
      moves.push({
        says: () => `the clock of ${name(index)} jumps by ${by}`,
        fair: false,
        go: () => ({
          ...withWorker(failing(world), index, { ...worker, offset: worker.offset + by, heardAt: undefined }),
          beyond: true,
        }),
      });
    }
  }
  return moves;
}

/** Whether time may not pass before this worker has gone on, has ended, or is said to outlive its time. */
export function mustEnd(model: Model, world: World, worker: Worker): boolean {
  if (worker.outlives) return false;
  if (world.now >= worker.endsAt) return true;
  // A lease that is renewed ends earlier. Its heartbeat has had time enough by then, and the handler has been told.
  const leaseEnds = worker.grant?.record.leaseUntil ?? Infinity;
  return model.config.renewed && isOpen(worker) && clockOf(world, worker) >= leaseEnds;
}

/**
 * It gets an answer. It goes on with it at once, or else after some time: that others do something in between, at the same time,
 * makes no difference, because all that it looks at when it goes on is its clock.
 */
function answers(model: Model, world: World, index: number, worker: Worker): Move[] {
  const asked = asks(model, world, index, worker);
  if (worker.waits.for === 'end') return asked;
  const heardAt = world.now;
  const mayWait = !mustEnd(model, world, worker);
  return asked.flatMap((move) => {
    const { says, fair, slow, go } = move;
    const atOnce: Move = {
      says,
      fair,
      go: () => {
        const after = go();
        const waits = at(after.workers, index).answer === undefined;
        return waits ? after : goesOn(model, after, index);
      },
    };
    if (!slow || !mayWait) return [atOnce];
    const inTime: Move = {
      says: () => `${says()}, which is slow to go on`,
      fair,
      go: () => {
        const after = go();
        return withWorker(after, index, { ...at(after.workers, index), heardAt });
      },
    };
    return [atOnce, inTime];
  });
}

/** What it asked for is done, or goes wrong. */
function asks(model: Model, world: World, index: number, worker: Worker): Move[] {
  switch (worker.waits.for) {
    case 'read':
      return reads(model, world, index, worker);
    case 'claim':
    case 'checkpoint':
    case 'record':
      return sentBy(model, index, worker).flatMap((sent) => writes(model, world, index, worker, sent));
    case 'ask':
      return asksProvider(model, world, index, worker);
    case 'effect':
      return effects(model, world, index, worker);
    case 'before':
    case 'after':
      return ownWork(model, world, index, worker);
    case 'dead-letter':
      return deadLetters(model, world, index, worker);
    case 'end':
      return ends(model, world, index, worker);
  }
}

/** The write that it waits for, if it does. */
function sentBy(model: Model, index: number, worker: Worker): Sent[] {
  const { waits, answer, claimId } = worker;
  if (answer !== undefined || !('write' in waits)) return [];
  const { write, for: what } = waits;
  const why = what === 'claim' ? 'claim' : 'own';
  // Under a renewed lease time passes often enough on the way of a checkpoint; to have it pass on the way back as well is too much.
  const slow = what === 'claim' || (what === 'checkpoint' && !model.config.renewed);
  const told: Sent['told'] = (world, result) => {
    const now = at(world.workers, index);
    return answered(world, index, now, result === 'failed' ? { is: result } : { is: 'written', written: result });
  };
  return [{ what, write, by: { why, claimId }, slow, told }];
}

/** It has had its answer for some time, and goes on. */
function later(model: Model, world: World, index: number, worker: Worker): Move[] {
  if (worker.heardAt === world.now) return [];
  return [{ says: () => `${name(index)} goes on`, fair: true, go: () => goesOn(model, world, index) }];
}

function goesOn(model: Model, world: World, index: number): World {
  const worker = at(world.workers, index);
  const { step, told } = stepOf(model, world, clockOf(world, worker));
  const { answer = { is: 'failed' } } = worker;
  const after = trailed(resume(step, worker), worker, step, answer);
  return withWorker(withTold(world, told), index, after);
}

/** It dies, and what it had sent is lost, or still arrives. */
function crashes(model: Model, world: World, index: number, worker: Worker): Move[] {
  const { waits, answer } = worker;
  const gone = (before: World): World => ({ ...failing(before), workers: without(before.workers, index) });
  const doing = answer === undefined ? 'waits' : 'has its answer';
  const moves: Move[] = [
    { says: () => `${name(index)} dies while it ${doing} (${waits.for})`, fair: false, go: () => gone(world) },
  ];
  if (answer === undefined && waits.for === 'effect') {
    moves.push({
      says: () => `${name(index)} dies, and its request to the provider is still on its way`,
      fair: false,
      go: () => gone(stillOnItsWay(model, world, worker)),
    });
  }
  if (!model.config.faults.includes('late-writes')) return moves;
  for (const sent of [...sentBy(model, index, worker), ...renewalOf(model, index, worker)]) {
    moves.push({
      says: () => `${name(index)} dies, and its ${sent.what} (${sent.write.next.status}) is still on its way`,
      fair: false,
      go: () => gone(onItsWay(model, world, worker, sent)),
    });
  }
  return moves;
}
