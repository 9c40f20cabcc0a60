import { stepsInDoubt } from '../../lib/pawl/rules/checkpoints.ts';
import type { ClaimRecord, Resolution, ResolutionVerdict } from '../../lib/pawl/rules/record.ts';
import type { Move } from './move.ts';
import { written } from './store.ts';
import { ms } from './time.ts';
import { stepName } from './worker.ts';
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
    if (model.config.steps > 0) return [bySteps(model, world, index, key, record)];
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

/** Says of each step in doubt what became of it; of a claim without any, that it is to go on. */
function bySteps(model: Model, world: World, index: number, { steps }: Key, record: ClaimRecord): Move {
  const said = new Map<string, ResolutionVerdict>();
  for (const { name } of stepsInDoubt(record)) {
    const step = steps.findIndex((_, which) => stepName(which) === name);
    said.set(name, at(steps, step) > 0 ? 'applied' : 'not-applied');
  }
  const words = Object.fromEntries(said);
  return {
    says: () => `an operator decides a parked claim: ${JSON.stringify(words)}`,
    fair: false,
    go: () => {
      const now = ms(world.now);
      const verdict = said.size > 0 ? 'by-step' : 'retry';
      const decided: Resolution = { verdict, steps: words, by: 'operator', note: '', at: new Date(now).toISOString() };
      const next = model.protocol.resolution(
        record,
        { resolution: decided, steps: said },
        at(model.rules, world.deployed),
        now,
      );
      const resolving = { key: index, write: { next, seen: record } };
      return { ...world, resolving, resolvesLeft: world.resolvesLeft - 1, calm: false };
    },
  };
}

function verdicts({ applied }: Key): ResolutionVerdict[] {
  return applied > 0 ? ['applied'] : ['not-applied', 'retry'];
}

/** Whether an attempt may still apply the effect. */
function isUnderWay(world: World, key: number, claimId: string): boolean {
  const late = world.lateEffects.some((effect) => effect.key === key);
  return late || world.workers.some((worker) => worker.claimId === claimId && worker.waits.for !== 'record');
}
