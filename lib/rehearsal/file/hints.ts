import type { Consumer } from '../rehearsal.ts';
import type { Journal } from './journal.ts';
import type { EffectVerdict } from './judge.ts';
import type { Harmed, Hint } from './result.ts';
import type { Shortened } from './shorten.ts';

/** What the rules look at. */
export interface Facts {
  readonly harmed: readonly Harmed[];
  readonly verdicts: readonly EffectVerdict[];
  readonly journal: Journal;
  readonly consumers: readonly Consumer[];
  readonly hasClaims: boolean;
  readonly shortened: readonly Shortened[];
}

export function hintsFor(_facts: Facts): readonly Hint[] {
  return [];
}
