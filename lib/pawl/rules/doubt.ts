import type { RecordedError } from '../kernel/recorded-error.ts';
import type { ClaimRules } from './decide.ts';
import type { Outcome } from './outcome.ts';
import type { ClaimRecord } from './record.ts';

/** What a provider said of an attempt in doubt, and what follows from it. */
export type AfterVerdict =
  /** The effect has happened: the claim completes. */
  | { readonly kind: 'applied' }
  /** It has not, and it is late enough to believe that: the handler runs. */
  | { readonly kind: 'run' }
  /** It cannot be told yet. */
  | { readonly kind: 'ask-later'; readonly outcome: Outcome; readonly retryAfterMs: number };

/** How long an earlier question is wasted, in milliseconds: before that, the effect of the earlier attempt may still come to be seen. */
export function unsettledFor(
  { unknownAt = 0 }: Pick<ClaimRecord, 'unknownAt'>,
  { settleMs, skewMs }: Pick<ClaimRules, 'skewMs'> & { readonly settleMs: number },
  now: number,
): number {
  return Math.max(0, unknownAt + settleMs + skewMs - now);
}

/** What follows from a verdict. Pure, like `decide`. @param error what the provider's answer lacked, for people */
export function afterVerdict(
  verdict: string,
  record: Pick<ClaimRecord, 'unknownAt' | 'abandoned'>,
  rules: Pick<ClaimRules, 'skewMs' | 'maxAbandoned'> & { readonly settleMs: number },
  error: RecordedError,
  now: number,
): AfterVerdict {
  if (verdict === 'applied') return { kind: 'applied' };
  const retryAfterMs = unsettledFor(record, rules, now);
  const inconclusive = verdict !== 'not-applied';
  if (!inconclusive && retryAfterMs === 0) return { kind: 'run' };
  // "Not applied", asked too early, is no failure of the provider's: it only has to be asked again. If it is inconclusive once too often,
  // an operator has to decide.
  const tooOften = inconclusive && record.abandoned + 1 >= rules.maxAbandoned;
  const outcome: Outcome = tooOften ? { status: 'parked', error } : { status: 'released', error, inconclusive };
  return { kind: 'ask-later', outcome, retryAfterMs };
}
