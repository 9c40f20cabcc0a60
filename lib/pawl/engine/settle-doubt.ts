import { recordedError } from '../kernel/recorded-error.ts';
import { afterVerdict, unsettledFor } from '../rules/doubt.ts';
import type { Grant } from '../rules/grant.ts';
import type { ClaimRecord } from '../rules/record.ts';
import { type Said, verdictIn } from '../rules/verdict.ts';
import type { Claim } from './claim.ts';
import { type Engine, emit } from './engine.ts';
import { openClaim } from './open-claim.ts';
import type { Doubt, Reconcile } from './reconcile.ts';
import { confirm, recordOutcome } from './record-outcome.ts';
import type { RunResult } from './run-result.ts';

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

/** The step in doubt of a claim, where it is not all of it. */
export type DoubtedPart = Pick<Doubt, 'step' | 'effectKey' | 'inDoubtSince'>;

/** What a provider is told of an attempt in doubt. */
export function doubtAbout(claim: Omit<Claim, 'effect'>, record: ClaimRecord, part?: DoubtedPart): Doubt {
  const { operation, key, effectKey, attempt, fence, signal } = claim;
  const { attributes, unknownAt = 0 } = record;
  const whole = { effectKey, step: undefined, inDoubtSince: unknownAt };
  return { operation, key, attempt, fence, signal, attributes, ...(part ?? whole) };
}

/** Asks the provider, under the lease of the claim. Never throws. @param part the step in doubt. @default the whole effect */
export async function ask<Input>(
  engine: Engine<Input>,
  grant: Grant,
  provider: Reconcile<Input>,
  input: Input,
  part?: DoubtedPart,
): Promise<Asked> {
  const at = engine.settings.host.now();
  const { claim, stop } = openClaim(engine, grant, Infinity);
  const { signal } = claim;
  const late = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  try {
    const said = await Promise.race([late, provider.ask(doubtAbout(claim, grant.record, part), input)]);
    const { verdict, result, mistake } = verdictIn(said);
    return { at, verdict, result, thrown: mistake ?? 'the provider cannot say yet' };
  } catch (thrown) {
    return { at, verdict: 'inconclusive', thrown };
  } finally {
    stop();
  }
}
