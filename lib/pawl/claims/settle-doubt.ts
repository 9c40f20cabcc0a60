import { type RecordedError, recordedError } from '../kernel/recorded-error.ts';
import type { ClaimRules } from './decide.ts';
import { type Engine, emit } from './engine.ts';
import type { Grant } from './grant.ts';
import { openClaim } from './open-claim.ts';
import type { Outcome } from './outcome.ts';
import type { Reconcile } from './reconcile.ts';
import type { ClaimRecord } from './record.ts';
import { confirm, recordOutcome } from './record-outcome.ts';
import type { RunResult } from './run-result.ts';
import { type Said, verdictIn } from './verdict.ts';

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

/**
 * Settles the doubt about an earlier attempt.
 *
 * @returns nothing where there is no doubt, or no provider that can be asked; else a promise, of nothing when the handler may run
 */
export function settleDoubt<Input, R>(
  engine: Engine<Input>,
  grant: Grant,
  input: Input,
): Promise<RunResult<R> | undefined> | undefined {
  const { provider } = engine.settings;
  if (provider === undefined || grant.record.unknownAt === undefined) return undefined;
  return askAndSettle(engine, grant, provider, input);
}

async function askAndSettle<Input, R>(
  engine: Engine<Input>,
  grant: Grant,
  provider: Reconcile<Input>,
  input: Input,
): Promise<RunResult<R> | undefined> {
  const { identity, record } = grant;
  const asked = await ask(engine, grant, provider, input);
  const { verdict } = asked;
  // By the clock as it was before the provider was asked: what it has seen is no newer.
  const after = afterVerdict(verdict, record, engine.settings, recordedError(asked.thrown), asked.at);
  const settled = unsettledFor(record, engine.settings, asked.at) === 0;
  emit(engine, identity, { type: 'reconciled', verdict, settled });
  if (after.kind === 'run') {
    // It has spoken of the whole.
    grant.record = { ...grant.record, forgottenUntil: undefined };
    return undefined;
  }
  if (after.kind === 'applied') {
    const recorded = await confirm(engine, grant, asked.result);
    return { kind: 'reconciled', value: asked.result as R, recorded };
  }
  const { outcome, retryAfterMs } = after;
  const recorded = await recordOutcome(engine, grant, outcome);
  return { kind: 'in-doubt', error: recordedError(asked.thrown), recorded, retryAfterMs };
}

/** What a provider said of a claim. */
export interface Asked extends Pick<Said, 'verdict' | 'result'> {
  /** When it was asked, in epoch milliseconds. */
  readonly at: number;
  /** What its answer lacks, for people. */
  readonly thrown: unknown;
}

/** Asks the provider, under the lease of the claim. Never throws. */
export async function ask<Input>(
  engine: Engine<Input>,
  grant: Grant,
  provider: Reconcile<Input>,
  input: Input,
): Promise<Asked> {
  const at = engine.settings.host.now();
  const { claim, stop } = openClaim(engine, grant, Number.POSITIVE_INFINITY);
  const { signal } = claim;
  const late = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  try {
    const said = await Promise.race([late, provider.ask(input, claim)]);
    const { verdict, result, mistake } = verdictIn(said);
    return { at, verdict, result, thrown: mistake ?? 'the provider cannot say yet' };
  } catch (thrown) {
    return { at, verdict: 'inconclusive', thrown };
  } finally {
    stop();
  }
}
