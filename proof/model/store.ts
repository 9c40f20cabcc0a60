import { appliesWithCompletion } from '../../lib/pawl/rules/record.ts';
import type { ClaimWrite, WriteResult } from '../../lib/pawl/rules/store.ts';
import { checkEffect, checkWrite } from './promises.ts';
import { at, type Key, type Model, replaced, type World, type Writer } from './world.ts';

/** The claims table: a compare-and-set, by production's own `unchanged`. */
export function written(
  model: Model,
  world: World,
  key: number,
  write: ClaimWrite,
  by: Writer,
): { readonly world: World; readonly result: WriteResult } {
  const before = at(world.keys, key);
  const found = before.record;
  if (!model.protocol.unchanged(write.seen, found)) return { world, result: { applied: false, found } };
  const there = committing(model, world, before, write, by);
  checkWrite(model, { ...world, keys: replaced(world.keys, key, there) }, key, write, by);
  const next = found?.status === 'completed' && write.next.status === 'in-flight' ? forgetting(there) : there;
  const granted = by.why === 'claim' && write.next.status === 'in-flight';
  const workers = granted
    ? world.workers.map((worker) => (worker.claimId === by.claimId ? { ...worker, onRecord: true } : worker))
    : world.workers;
  return {
    world: { ...world, keys: replaced(world.keys, key, { ...next, record: write.next }), workers },
    result: { applied: true },
  };
}

/** A transaction applies its effect with the write that completes its claim. */
function committing(model: Model, world: World, key: Key, { next, seen }: ClaimWrite, by: Writer): Key {
  const commits = by.why === 'own' && next.status === 'completed' && seen?.status === 'in-flight';
  if (!commits || !appliesWithCompletion(next)) return key;
  const after: Key = { ...key, applied: key.applied + 1 };
  checkEffect(model, world, after);
  return after;
}

/** What a completed record promised is over with its retention: the effect may happen once more. */
export function forgetting(key: Key): Key {
  return { ...key, forgotten: key.forgotten + 1, intent: undefined };
}
