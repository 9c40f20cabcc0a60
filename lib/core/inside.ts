import type { Checkpoints } from './checkpoints.ts';
import type { Engine, Held } from './held.ts';
import type { Work } from './work.ts';

/** What stands behind a claim that a handler was given. */
export interface Inside {
  readonly engine: Engine;
  readonly held: Held;
  readonly work: Work;
  readonly steps: Steps;
}

/** What a run of a handler knows of its steps. */
export interface Steps {
  /** How far earlier attempts came. */
  readonly found: Checkpoints;
  /** The steps of this run, in the order of their calls. */
  readonly names: string[];
  /** The last write of a checkpoint: one after the other, each on the record that the one before has left. */
  last: Promise<unknown>;
}

/** Beside the claim and not on it: who logs a claim must not log an engine. */
export const insides = new WeakMap<object, Inside>();

/** @throws TypeError when it is not the very object that the handler was given */
export function insideOf(claim: object): Inside {
  const inside = insides.get(claim);
  if (inside === undefined) throw new TypeError('expected the claim that the handler was given, and no copy of it');
  return inside;
}
