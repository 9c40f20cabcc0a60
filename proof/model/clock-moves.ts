import type { Move } from './move.ts';
import { applied } from './provider-moves.ts';
import { forgetting, written } from './store.ts';
import { times, unit } from './time.ts';
import { mustEnd } from './worker-moves.ts';
import { type Key, type Model, replaced, type World, without } from './world.ts';

/** Time, and what it brings. */
export function clockMoves(model: Model, world: World): Move[] {
  const moves: Move[] = [];
  if (!world.workers.some((worker) => mustEnd(model, world, worker)) && isAwaited(model, world)) {
    moves.push({ says: () => `it is ${world.now + 1} o'clock`, fair: true, go: () => tick(world) });
  }
  for (const [index, { write, key, by }] of world.lateWrites.entries()) {
    moves.push({
      says: () => `the late copy of a write (${write.next.status}) arrives`,
      fair: false,
      go: () => written(model, { ...world, lateWrites: without(world.lateWrites, index) }, key, write, by).world,
    });
  }
  for (const [index, { key, step }] of world.lateEffects.entries()) {
    moves.push({
      says: () => 'a request that nobody waits for any more reaches the provider, which applies it',
      fair: false,
      go: () => applied(model, { ...world, lateEffects: without(world.lateEffects, index) }, key, step),
    });
  }
  if (model.config.retention !== Infinity) moves.push(...collections(world));
  const next = model.config.policies[world.deployed + 1];
  if (next !== undefined) {
    moves.push({
      says: () => `a version with the policy '${next}' is deployed`,
      fair: false,
      go: () => ({ ...world, deployed: world.deployed + 1 }),
    });
  }
  return moves;
}

function tick(world: World): World {
  const now = world.now + 1;
  const isLeft = ({ until }: { readonly until: number }) => until > now;
  return {
    ...world,
    now,
    // What is slow may be late, and that is a reason for things to come again.
    calm: world.calm && world.workers.length === 0,
    lateWrites: world.lateWrites.filter(isLeft),
    lateEffects: world.lateEffects.filter(isLeft),
  };
}

/** Whether anything changes by waiting. Without this there would be no end to a run in which nobody does anything. */
function isAwaited(model: Model, world: World): boolean {
  const { now, keys, messages, workers, lateWrites, lateEffects } = world;
  if (keys.some((key) => expiresAt(key) + times.skew > now)) return true;
  if (
    workers.some((worker) => worker.endsAt > now || worker.heardAt === now) ||
    lateWrites.length + lateEffects.length > 0
  )
    return true;
  if (messages.some(({ status, visibleFrom }) => status === 'queued' && visibleFrom > now)) return true;
  return (
    (workers.length > 0 || messages.some(({ status }) => status === 'queued')) &&
    keys.some(({ record }) => record !== undefined && undecidedUntil(record) > now)
  );

  function expiresAt({ record }: Key): number {
    const { expiresAt = -Infinity } = record ?? {};
    return model.config.retention === Infinity ? -Infinity : unit(expiresAt * 1000);
  }

  function undecidedUntil({ status, leaseUntil, unknownAt, firstSeenAt }: NonNullable<Key['record']>): number {
    if (status !== 'in-flight' && status !== 'released') return -Infinity;
    const asked = unknownAt === undefined ? 0 : unit(unknownAt) + times.settle + times.skew;
    const settled = status === 'in-flight' ? unit(leaseUntil) + times.skew : asked;
    const { retryWindow } = model.config;
    return retryWindow === Infinity ? settled : Math.max(settled, unit(firstSeenAt) + retryWindow);
  }
}

/**
 * DynamoDB's TTL. Only of outcomes: a claim without one whose retention is over means that a message outlived what the
 * retention must outlast by contract.
 */
function collections(world: World): Move[] {
  return [...world.keys.entries()].flatMap(([index, key]) => {
    const { status, expiresAt = Infinity } = key.record ?? {};
    if ((status !== 'completed' && status !== 'rejected') || unit(expiresAt * 1000) > world.now) return [];
    const forgotten = status === 'completed' ? forgetting(key) : key;
    return {
      says: () => `DynamoDB's TTL collects a record (${status})`,
      fair: false,
      go: () => ({ ...world, keys: replaced(world.keys, index, { ...forgotten, record: undefined }) }),
    };
  });
}
