import type { Resolution, ResolutionVerdict } from '../../lib/core/record.ts';
import type { Move } from './move.ts';
import { written } from './store.ts';
import { ms } from './time.ts';
import { at, type Key, type Model, type World } from './world.ts';

/**
 * An operator who decides parked claims, truthfully, and not while anybody could still change the truth: whoever looks too early
 * finds no protection in a framework.
 */
export function operatorMoves(model: Model, world: World): Move[] {
  const { resolving } = world;
  if (resolving !== undefined) {
    const { key, write } = resolving;
    return [
      {
        says: () => `the operator's decision (${write.next.resolution?.verdict}) reaches the store`,
        fair: false,
        go: () => written(model, { ...world, resolving: undefined }, key, write, { why: 'operator' }).world,
      },
    ];
  }
  if (world.resolvesLeft === 0) return [];
  return [...world.keys.entries()].flatMap(([index, key]) => {
    const { record } = key;
    if (record?.status !== 'parked' || isUnderWay(world, index, record.claimId)) return [];
    return verdicts(key).map((verdict) => ({
      says: () => `an operator decides a parked claim: ${verdict}`,
      fair: false,
      go: () => {
        const now = ms(world.now);
        const decided: Resolution = { verdict, by: 'operator', note: '', at: new Date(now).toISOString() };
        const said = { resolution: decided, steps: new Map() };
        const next = model.protocol.resolution(record, said, at(model.rules, world.deployed), now);
        const resolving = { key: index, write: { next, seen: record } };
        return { ...world, resolving, resolvesLeft: world.resolvesLeft - 1, calm: false };
      },
    }));
  });
}

function verdicts({ applied }: Key): ResolutionVerdict[] {
  return applied > 0 ? ['applied'] : ['not-applied', 'retry'];
}

/** Whether an attempt may still apply the effect. */
function isUnderWay(world: World, key: number, claimId: string): boolean {
  const late = world.lateEffects.some((effect) => effect.key === key);
  return late || world.workers.some((worker) => worker.claimId === claimId && worker.waits.for !== 'record');
}
