import type { Checkpoints } from './checkpoints.ts';
import type { Engine, Held } from './held.ts';
import type { Work } from './work.ts';

/** What stands behind a claim that a handler was given. */
export interface Inside {
  readonly engine: Engine;
  readonly held: Held;
  readonly work: Work;
  readonly steps: Steps;
  /** Made when somebody asks for it: most handlers never do. */
  readonly signal: () => AbortSignal;
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

const behind = Symbol('what stands behind a claim');

/** Has a claim know what stands behind it. Nothing of it is in a log, or in a copy: a copy would outlive the claim, and could still start a step. */
export function putInside(claim: object, inside: Inside): void {
  // In a function: to show hidden properties as well is an option of many loggers.
  Object.defineProperty(claim, behind, { value: () => inside });
}

/** @throws TypeError when it is not the very object that the handler was given */
export function insideOf(claim: object): Inside {
  // Where a key is not required, a request without one has no claim at all.
  const inside = (claim as { readonly [behind]?: () => Inside } | null | undefined)?.[behind];
  if (inside === undefined) throw new TypeError('expected the claim that the handler was given, and no copy of it');
  return inside();
}
