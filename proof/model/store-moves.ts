import type { ClaimWrite, WriteResult } from '../../lib/pawl/rules/store.ts';
import { answered, canFail, failing, type Move, name } from './move.ts';
import { written } from './store.ts';
import { times } from './time.ts';
import { keyOf } from './worker.ts';
import { at, type Model, type Worker, type World, type Writer } from './world.ts';

/** A worker's read is carried out. */
export function reads(model: Model, world: World, index: number, worker: Worker): Move[] {
  const { record: found } = at(world.keys, keyOf(model, worker));
  const moves: Move[] = [
    {
      says: () => `the store answers ${name(index)}: ${found?.status ?? 'nothing'}`,
      fair: true,
      slow: true,
      go: () => answered(world, index, worker, { is: 'found', found }),
    },
  ];
  if (canFail(model, world, 'store-fails')) {
    moves.push({
      says: () => `the read of ${name(index)} fails`,
      fair: false,
      go: () => answered(failing(world), index, worker, { is: 'failed' }),
    });
  }
  return moves;
}

/** A write that a worker waits for. `told` hands the worker its answer. */
export interface Sent {
  readonly what: string;
  readonly write: ClaimWrite;
  readonly by: Writer;
  /** When the worker goes on makes a difference even if the write was applied. */
  readonly slow: boolean;
  readonly told: (world: World, result: WriteResult | 'failed') => World;
}

/** A worker's write is carried out, or goes wrong. */
export function writes(model: Model, world: World, index: number, worker: Worker, sent: Sent): Move[] {
  const key = keyOf(model, worker);
  const { what, write, by, slow, told } = sent;
  const applies = model.protocol.unchanged(write.seen, at(world.keys, key).record);
  const wish = `the ${what} of ${name(index)} (${write.next.status})`;
  const moves: Move[] = [
    {
      says: () => `${wish} reaches the store${applies ? '' : ', and is refused'}`,
      fair: true,
      slow: slow || !applies,
      go: () => {
        const { world: after, result } = written(model, world, key, write, by);
        return told(after, result);
      },
    },
  ];
  if (canFail(model, world, 'store-fails')) {
    moves.push(
      {
        says: () => `${wish} fails, and was not applied`,
        fair: false,
        slow: true,
        go: () => told(failing(world), 'failed'),
      },
      {
        says: () => `${wish} fails, and was applied if it could be`,
        fair: false,
        slow: true,
        go: () => told(failing(written(model, world, key, write, by).world), 'failed'),
      },
    );
  }
  if (canFail(model, world, 'late-writes')) {
    moves.push({
      says: () => `the answer to ${wish} is late, and the SDK sends it again`,
      fair: false,
      go: () => onItsWay(model, failing(world), worker, sent),
    });
  }
  return moves;
}

/** A copy of a write goes on without anybody who waits for it. */
export function onItsWay(model: Model, world: World, worker: Worker, sent: Sent): World {
  return onItsWayTo(world, keyOf(model, worker), sent);
}

export function onItsWayTo(world: World, key: number, { write, by }: Sent): World {
  const late = { write, by, key, until: world.now + times.network };
  return { ...world, lateWrites: [...world.lateWrites, late] };
}
