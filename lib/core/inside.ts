import type { Engine, Held } from './held.ts';

/** What stands behind a claim that a handler was given. */
export interface Inside {
  readonly engine: Engine;
  readonly held: Held;
}

/** Beside the claim and not on it: who logs a claim must not log an engine. */
export const insides = new WeakMap<object, Inside>();

/** @throws TypeError when it is not the very object that the handler was given */
export function insideOf(claim: object): Inside {
  const inside = insides.get(claim);
  if (inside === undefined) throw new TypeError('expected the claim that the handler was given, and no copy of it');
  return inside;
}
