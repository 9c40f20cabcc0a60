import type { Fault } from './config.ts';
import { ms } from './time.ts';
import type { Step } from './worker.ts';
import { type Answer, at, type Model, replaced, type Trail, type Worker, type World } from './world.ts';

/** One thing that may happen next. */
export interface Move {
  /** What a story says of it. Asked only of the few that are told. */
  readonly says: () => string;
  /** It happens by itself sooner or later, without anything going wrong. */
  readonly fair: boolean;
  /** A worker is answered, and it makes a difference when it goes on with that. */
  readonly slow?: boolean;
  /** @throws Broken when it breaks a promise */
  readonly go: () => World;
}

export function name(worker: number): string {
  return `worker ${'ABC'[worker]}`;
}

export function canFail({ config }: Model, { faultsLeft }: World, fault: Fault): boolean {
  return faultsLeft > 0 && config.faults.includes(fault);
}

/** The world with one fault less to come. */
export function failing(world: World): World {
  return { ...world, faultsLeft: world.faultsLeft - 1, calm: false };
}

/** A worker's own clock, in epoch milliseconds. */
export function clockOf(world: World, { offset }: Worker): number {
  return ms(world.now + offset);
}

export function withWorker(world: World, index: number, worker: Worker): World {
  return { ...world, workers: replaced(world.workers, index, worker) };
}

export function answered(world: World, index: number, worker: Worker, answer: Answer): World {
  return withWorker(world, index, { ...worker, answer });
}

/** What a worker's step is given, and the keys of which it reported something. */
export function stepOf(model: Model, world: World, now: number): { readonly step: Step; readonly told: number[] } {
  const told: number[] = [];
  const step = { model, now, freshId: `claim-${world.claimIds + 1}`, tell: (key: number) => void told.push(key) };
  return { step, told };
}

/** The world after such a step. */
export function withTold(world: World, told: readonly number[]): World {
  const keys = told.reduce<World['keys']>(
    (before, key) => replaced(before, key, { ...at(before, key), told: true }),
    world.keys,
  );
  return { ...world, keys, claimIds: world.claimIds + 1 };
}

/** Notes what a worker met, to be compared with the production code. */
export function trailed(worker: Worker, before: Worker | undefined, step: Step, event: Trail['event']): Worker {
  return { ...worker, trail: { before: before?.trail, at: step.now, freshId: step.freshId, event } };
}
