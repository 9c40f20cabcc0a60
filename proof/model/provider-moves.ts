import { RejectedError, RetryableError } from '../../lib/pawl/kernel/errors.ts';
import { answered, canFail, failing, type Move, name } from './move.ts';
import { checkEffect, checkStart, checkStep } from './promises.ts';
import { times } from './time.ts';
import { keyOf } from './worker.ts';
import { at, type Key, type Model, replaced, type Worker, type World } from './world.ts';

const unknown = { is: 'thrown', error: new Error('socket hang up') } as const;
const forNow = { is: 'thrown', error: new RetryableError('429') } as const;
const forGood = { is: 'thrown', error: new RejectedError('410') } as const;

/** The provider is asked for an effect. */
export function effects(model: Model, world: World, index: number, worker: Worker): Move[] {
  const key = keyOf(model, worker);
  // The time of an outcome counts where it is in doubt, or where it will be forgotten.
  const aged = model.config.retention !== Infinity;
  const moves: Move[] = [
    {
      says: () => `the provider applies the effect, and answers ${name(index)}`,
      fair: true,
      slow: aged,
      go: () =>
        answered(applied(model, started(model, world, worker), key, worker.step), index, worker, { is: 'returned' }),
    },
  ];
  if (canFail(model, world, 'provider-fails')) {
    moves.push(
      {
        says: () => `the provider applies the effect, and ${name(index)} gets an error`,
        fair: false,
        slow: true,
        go: () =>
          answered(applied(model, started(model, failing(world), worker), key, worker.step), index, worker, unknown),
      },
      {
        says: () => `the request of ${name(index)} to the provider is lost`,
        fair: false,
        slow: true,
        go: () => answered(started(model, failing(world), worker), index, worker, unknown),
      },
      {
        says: () => `${name(index)} gives its request to the provider up, which is still on its way`,
        fair: false,
        slow: true,
        go: () => answered(stillOnItsWay(model, failing(world), worker), index, worker, unknown),
      },
    );
  }
  // Who honours the effect key answers a second request as it answered the first.
  if (canFail(model, world, 'provider-refuses') && !(model.config.honoursKey && hasHappened(at(world.keys, key)))) {
    for (const [refusal, how] of [
      [forNow, 'for now'],
      [forGood, 'for good'],
    ] as const) {
      moves.push({
        says: () => `the provider refuses ${name(index)} ${how}`,
        fair: false,
        slow: aged,
        go: () => answered(started(model, failing(world), worker), index, worker, refusal),
      });
    }
  }
  return moves;
}

/** The handler has started, whatever comes of it. */
function started(model: Model, world: World, worker: Worker): World {
  checkStart(model, world, worker);
  const key = keyOf(model, worker);
  const there = at(world.keys, key);
  const { message } = at(worker.batch, worker.dispositions.length);
  const { intent = at(model.config.messages, message).intent } = there;
  return { ...world, keys: replaced(world.keys, key, { ...there, intent, policy: worker.policy }) };
}

/** The provider applies an effect; the same one again only if it does not honour the effect key. */
export function applied(model: Model, world: World, key: number, step: number): World {
  const before = at(world.keys, key);
  if (model.config.steps > 0) {
    const steps = replaced(before.steps, step, at(before.steps, step) + 1);
    checkStep(at(steps, step), step);
    return { ...world, keys: replaced(world.keys, key, { ...before, steps, applied: Math.min(...steps) }) };
  }
  if (model.config.honoursKey && hasHappened(before)) return world;
  const after: Key = { ...before, applied: before.applied + 1, seenFrom: world.now + times.settle };
  checkEffect(model, world, after);
  return { ...world, keys: replaced(world.keys, key, after) };
}

/** A request that goes on without its worker. */
export function stillOnItsWay(model: Model, world: World, worker: Worker): World {
  const late = { key: keyOf(model, worker), step: worker.step, until: world.now + times.settle };
  return { ...started(model, world, worker), lateEffects: [...world.lateEffects, late] };
}

function hasHappened({ applied, forgotten }: Key): boolean {
  return applied > forgotten;
}

/** The provider is asked about an effect. Until the effect has settled, a look-up may see it or not. */
export function asksProvider(model: Model, world: World, index: number, worker: Worker): Move[] {
  const key = at(world.keys, keyOf(model, worker));
  const verdicts: ('applied' | 'not-applied')[] = [];
  if (hasHappened(key)) verdicts.push('applied');
  if (!hasHappened(key) || world.now < key.seenFrom) verdicts.push('not-applied');
  const moves = verdicts.map<Move>((verdict) => ({
    says: () => `the provider answers ${name(index)}: ${verdict}`,
    fair: true,
    slow: true,
    go: () => {
      checkStart(model, world, worker);
      return answered(world, index, worker, { is: 'verdict', verdict });
    },
  }));
  if (canFail(model, world, 'inconclusive')) {
    moves.push({
      says: () => `the provider cannot tell ${name(index)}`,
      fair: false,
      slow: model.config.retention !== Infinity,
      go: () => answered(failing(world), index, worker, { is: 'verdict', verdict: 'inconclusive' }),
    });
  }
  return moves;
}

/** What a handler that marks its effect does before and after it. */
export function ownWork(model: Model, world: World, index: number, worker: Worker): Move[] {
  const { for: when } = worker.waits;
  const moves: Move[] = [
    {
      says: () => `the handler of ${name(index)} does its work ${when} the effect`,
      fair: true,
      slow: when === 'before',
      go: () => answered(world, index, worker, { is: 'returned' }),
    },
  ];
  if (canFail(model, world, 'handler-fails')) {
    moves.push({
      says: () => `the handler of ${name(index)} fails ${when} the effect`,
      fair: false,
      go: () => answered(failing(world), index, worker, unknown),
    });
  }
  return moves;
}
