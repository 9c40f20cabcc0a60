import { clockMoves } from './clock-moves.ts';
import type { Move } from './move.ts';
import { operatorMoves } from './operator-moves.ts';
import { queueMoves } from './queue-moves.ts';
import { workerMoves } from './worker-moves.ts';
import type { Model, World } from './world.ts';

/** Everything that may happen next, always in the same order: that is how a path is told again from its numbers. */
export function movesOf(model: Model, world: World): readonly Move[] {
  const moves = queueMoves(model, world);
  for (let index = 0; index < world.workers.length; index++) moves.push(...workerMoves(model, world, index));
  moves.push(...clockMoves(model, world), ...operatorMoves(model, world));
  return moves;
}
