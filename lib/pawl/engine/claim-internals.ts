import { explainedError } from '../kernel/errors.ts';
import type { Checkpoints } from '../rules/checkpoints.ts';
import type { Grant } from '../rules/grant.ts';
import type { Engine } from './engine.ts';
import type { Work } from './work.ts';

/** What stands behind the claim that a handler was given: what `step`, `commit` and `inPhases` need of it. */
export interface ClaimInternals {
  readonly engine: Engine;
  readonly grant: Grant;
  readonly work: Work;
  readonly steps: Steps;
  /** Made when it is first asked for: most handlers never do. */
  readonly signal: () => AbortSignal;
}

/** What a run of a handler knows of its steps. */
interface Steps {
  /** How far earlier attempts came. */
  readonly found: Checkpoints;
  /** The steps of this run, in the order of their calls. */
  readonly names: string[];
  /** The last write of a checkpoint: one after the other, each on the record that the one before has left. */
  last: Promise<unknown>;
}

/**
 * What stands behind a claim. By name: a project that loads pawl by `import` and by `require` has two copies, and a claim of one is a claim of the other.
 * With the number of its shape: a version of pawl that changes `ClaimInternals` takes the next one, and refuses the claims of this one.
 */
const internals: unique symbol = Symbol.for('pawl.claim/1');

/** Attaches its internals to a claim. No log and no copy has them: a copy would outlive the claim, and could still start a step. */
export function attachInternals(claim: object, behind: ClaimInternals): void {
  // In a function: many loggers can show hidden properties as well.
  Object.defineProperty(claim, internals, { value: () => behind });
}

/** Makes `internalsOf` throw for a claim behind which there is nothing. */
export function refuseInternals(claim: object, refusal: (what: string) => Error): void {
  const refuse = (what: string) => {
    throw refusal(what);
  };
  Object.defineProperty(claim, internals, { value: refuse });
}

/**
 * @param what asks for them, for the message
 * @throws TypeError when it is not the very object that the handler was given; OptionError when its handler is only observed
 */
export function internalsOf(claim: object, what: string): ClaimInternals {
  // Where a key is not required, a request without one has no claim at all.
  const behind = (claim as { readonly [internals]?: (what: string) => ClaimInternals } | null | undefined)?.[internals];
  if (behind === undefined) {
    throw explainedError(TypeError, 'expected the claim that the handler was given, and no copy of it', 'copied-claim');
  }
  return behind(what);
}
