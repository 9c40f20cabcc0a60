import { clockOf, type Move, name, stepOf, trailed, withTold, withWorker } from './move.ts';
import { type Sent, writes } from './store-moves.ts';
import { beat, beaten, isOpen } from './worker.ts';
import { at, type Model, type Trail, type Worker, type World } from './world.ts';

/** What the heartbeat of a renewed lease may do next. It beats while the handler runs, and goes on at once when it is answered. */
export function beatMoves(model: Model, world: World, index: number, worker: Worker): Move[] {
  const { dueAt = 0, write } = worker.beat ?? {};
  if (write !== undefined) {
    return renewalOf(model, index, worker).flatMap((sent) => writes(model, world, index, worker, sent));
  }
  if (clockOf(world, worker) < dueAt || !isOpen(worker)) return [];
  return [
    {
      says: () => `the heartbeat of ${name(index)} beats`,
      fair: true,
      go: () => goesOn(model, world, index, worker, { is: 'beats' }),
    },
  ];
}

function goesOn(model: Model, world: World, index: number, worker: Worker, event: Trail['event']): World {
  const { step, told } = stepOf(model, world, clockOf(world, worker));
  const after = event.is === 'beats' ? beat(step, worker) : beaten(step, worker);
  return withWorker(withTold(world, told), index, trailed(after, worker, step, event));
}

/** The renewal that is under way, if one is. */
export function renewalOf(model: Model, index: number, { beat }: Worker): Sent[] {
  if (beat?.write === undefined) return [];
  const { claimId } = beat.write.next;
  const told: Sent['told'] = (world, answer) => {
    const worker = { ...at(world.workers, index), beat: { ...beat, answer } };
    return goesOn(model, world, index, worker, { is: 'beaten', answer });
  };
  return [{ what: 'renewal', write: beat.write, by: { why: 'own', claimId }, slow: false, told }];
}
