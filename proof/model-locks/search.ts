import { keyOf } from './key.ts';
import { firstWorld, type ModelOptions, nextWorlds, type World } from './model.ts';

export interface Searched {
  readonly worlds: number;
  readonly transitions: number;
  /** Worlds from which no way leads to one in which every worker has ended, although time could go on. */
  readonly stuck: readonly World[];
  /** Worlds in which every worker has ended and the work of both holders is done. */
  readonly finished: number;
  readonly resourcesLocked: number;
}

/** Every world that can be reached, breadth first. @throws Violation */
export function search(options: ModelOptions): Searched {
  const first = firstWorld(options);
  const numbers = new Map<string, number>([[keyOf(first), 0]]);
  const worlds: World[] = [first];
  const before: number[][] = [[]];
  let transitions = 0;
  for (let at = 0; at < worlds.length; at++) {
    for (const next of nextWorlds(worlds[at] as World, options)) {
      transitions++;
      const key = keyOf(next);
      const known = numbers.get(key);
      if (known !== undefined) {
        before[known]?.push(at);
        continue;
      }
      numbers.set(key, worlds.length);
      worlds.push(next);
      before.push([at]);
    }
  }

  const ended = worlds.flatMap((world, at) => (world.workers.every(({ at }) => at.kind === 'ended') ? [at] : []));
  const reaches = new Set(ended);
  for (const at of reaches) for (const from of before[at] ?? []) reaches.add(from);
  const doneBy = ({ workers }: World) =>
    new Set(workers.flatMap(({ at, holder }) => (at.kind === 'ended' && at.end === 'done' ? [holder] : [])));
  const finished = ended.filter((at) => doneBy(worlds[at] as World).size === options.wanted.length);
  return {
    worlds: worlds.length,
    transitions,
    stuck: worlds.filter((world, at) => !reaches.has(at) && world.now < options.ticks),
    finished: finished.length,
    resourcesLocked: finished.filter((at) => isLocked(worlds[at] as World)).length,
  };
}

/** Whether a worker that has ended for good has left a resource locked whose lease is not over. */
function isLocked({ records, now }: World): boolean {
  return Object.values(records).some((record) => {
    const lock = record.kind === 'resource' ? records[record.lockId] : undefined;
    return lock?.kind === 'lock' && lock.status !== 'ended' && lock.leaseUntil > now;
  });
}
