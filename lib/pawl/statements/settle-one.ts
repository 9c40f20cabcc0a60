import type { ClaimFact } from '../engine/events.ts';
import type { OnceOutcome } from '../engine/once-result.ts';
import { callListener } from '../kernel/listener.ts';
import { type RecordedError, recordedError } from '../kernel/recorded-error.ts';
import { identify } from '../rules/identity.ts';
import { type BegunRemedy, isIdentity, type NoRemedy, remedyStep } from '../rules/remedy.ts';
import { exceeded, type RemedyAmounts, type RemedyLimit } from '../rules/reservations.ts';
import { settleReservation, settleReservations } from './end-remedy.ts';
import { changeFinding, type Finding, isOpenFinding, readFinding } from './finding.ts';
import { outOfDate } from './out-of-date.ts';
import { remedyKey } from './remedy-key.ts';
import type { RemedySettings, SettledRemedy } from './remedy-options.ts';
import { reserveIn } from './reservation-note.ts';

/**
 * One finding, and its remedy.
 *
 * Owns: the order of the writes. Does not own: what may be written (`remedy.ts`, `reservations.ts`), or that the effect happens once (the claim).
 *
 * 1. Reserved, begun on the finding, claimed, applied; then completed, written on the finding, counted. A process may die between any two.
 * 2. The effect happens under the reservation that the finding names. A reservation that lost that race is given back.
 */

/** Why a finding keeps standing. */
export type FindingStays =
  | NoRemedy
  /** The claim or the line that was missing has come. The next comparison looks again. */
  | 'out-of-date'
  /** Another finding about its line, or about the first line of its claim, has had its remedy. */
  | 'line-settled'
  /** There is no remedy for its kind, or it is of another operation. */
  | 'no-remedy'
  | 'unknown-finding'
  /** `amountOf` has returned no whole number. */
  | 'no-amount'
  /** It needs an approval, and nobody says who asks. */
  | 'no-identity'
  /** A worker runs its remedy. */
  | 'in-flight'
  /** Its remedy may have happened. The next run goes on, as `onAbandoned` says. */
  | 'in-doubt'
  /** Its remedy may have happened, and an operator has to resolve its claim. */
  | 'parked';

/** What became of one finding. */
export type RemedyResult = { readonly id: string } & (
  | {
      readonly outcome: 'settled';
      readonly how: 'remedy' | 'by-hand';
      readonly claimId?: string | undefined;
      readonly amount?: number | undefined;
    }
  /** A second person has to approve it. */
  | { readonly outcome: 'asked'; readonly amount: number }
  | { readonly outcome: 'limit'; readonly limit: RemedyLimit }
  /** `claimId`: of its remedy, if that has begun. */
  | { readonly outcome: 'stays'; readonly whyNot: FindingStays; readonly claimId?: string | undefined }
  /** The remedy, or the store, has failed. If its remedy has begun, the next run goes on with it. */
  | { readonly outcome: 'failed'; readonly error: RecordedError; readonly claimId?: string | undefined }
);

/** One run. */
export interface RemedyRun {
  readonly by: string;
  readonly note: string;
  /** What this run has done, or may have done. */
  used: RemedyAmounts;
}

/** @throws the store's error; what `identity` throws */
export async function settleOne(settings: RemedySettings, run: RemedyRun, id: string): Promise<RemedyResult> {
  const { store, host, limits } = settings;
  const stays = (whyNot: FindingStays): RemedyResult => ({ id, outcome: 'stays', whyNot });
  let hasTidied = false;
  for (;;) {
    const finding = await readFinding(store, id);
    if (finding === undefined) return stays('unknown-finding');
    const remedy = finding.operation === settings.operation ? settings.remedyFor(finding.kind) : undefined;
    if (remedy === undefined) return stays('no-remedy');
    const amount = remedy.amountOf(finding);
    if (amount === undefined) return stays('no-amount');
    const wanted = { operation: remedy.operation, amount, needsApproval: remedy.needsApproval };
    const step = remedyStep(finding, isOpenFinding(finding), wanted);
    if (step.kind === 'stay') return stays(step.why);
    const over = step.kind === 'go-on' ? undefined : await outOfDate(settings, finding);
    if (over !== undefined) return stays(over);
    if (step.kind === 'ask') return ask(settings, run, id, wanted);
    const overRun = exceeded(run.used, amount, limits.perRun, 'run');
    if (overRun !== undefined) return { id, outcome: 'limit', limit: overRun };
    if (step.kind === 'go-on') return apply(settings, run, finding, remedy, step.remedy);
    const reserved = await reserveIn(settings, { id: host.randomId(), finding: id, amount }, limits);
    if (reserved.kind === 'amount-changed') return stays('amount-changed');
    if (reserved.kind === 'limit') {
      if (hasTidied) return { id, outcome: 'limit', limit: reserved.limit };
      // Some of what is reserved may be what a run has left that died.
      await settleReservations(settings);
      hasTidied = true;
      continue;
    }
    const { reservation } = reserved;
    const begun: BegunRemedy = {
      ...{ operation: remedy.operation, amount, reservation: reservation.id, by: run.by, note: run.note },
      ...{ claimId: identify(remedy.operation, remedyKey(finding), host).id, at: host.now() },
    };
    const stored = await changeFinding(
      store,
      id,
      (found) =>
        remedyStep(found, isOpenFinding(found), wanted).kind === 'begin' ? { ...found, remedy: begun } : undefined,
      host.now(),
    );
    // Another run was first, or an operator: what it has reserved is not this.
    if (stored?.remedy?.reservation !== reservation.id) await settleReservation(settings, reservation);
  }
}

/** Writes that the remedy of a finding is asked for. */
async function ask(
  { store, host, identity }: RemedySettings,
  { by, note }: RemedyRun,
  id: string,
  wanted: { readonly operation: string; readonly amount: number; readonly needsApproval: boolean },
): Promise<RemedyResult> {
  const who = await identity?.();
  if (!isIdentity(who)) return { id, outcome: 'stays', whyNot: 'no-identity' };
  const { operation, amount } = wanted;
  const request = { id: host.randomId(), operation, amount, identity: who, by, note, at: host.now() };
  const stored = await changeFinding(
    store,
    id,
    (found) =>
      remedyStep(found, isOpenFinding(found), wanted).kind === 'ask'
        ? { ...found, request, approval: undefined }
        : undefined,
    host.now(),
  );
  if (stored?.request?.id === request.id) return { id, outcome: 'asked', amount };
  return { id, outcome: 'stays', whyNot: stored && isOpenFinding(stored) ? 'waits-for-approval' : 'not-open' };
}

/** Runs the remedy under its claim, and ends it if the claim is decided. */
async function apply(
  settings: RemedySettings,
  run: RemedyRun,
  finding: Finding,
  remedy: SettledRemedy,
  { claimId, amount, reservation }: BegunRemedy,
): Promise<RemedyResult> {
  const { id } = finding;
  let outcome: OnceOutcome<unknown>['outcome'] | undefined;
  let thrown: unknown;
  try {
    ({ outcome } = await remedy.call.outcome(finding));
  } catch (error) {
    thrown = error;
  }
  if (remedy.hasRun(finding)) run.used = { count: run.used.count + 1, amount: run.used.amount + amount };
  await settleReservation(settings, { id: reservation, finding: id, amount, at: 0 });
  const { remedied, remedy: after } = (await readFinding(settings.store, id)) ?? {};
  if (remedied !== undefined) {
    const fact = { type: 'finding-settled', finding: id, how: remedied.how, amount } satisfies ClaimFact;
    if (outcome !== undefined && remedy.hasRun(finding)) report(settings, fact, claimId);
    return { id, outcome: 'settled', how: remedied.how, claimId, amount: remedied.amount };
  }
  if (after?.failed !== undefined) return { id, outcome: 'stays', whyNot: 'rejected', claimId };
  if (outcome === undefined) return { id, outcome: 'failed', error: recordedError(thrown), claimId };
  return {
    ...{ id, outcome: 'stays', claimId },
    whyNot: outcome === 'in-flight' || outcome === 'parked' ? outcome : 'in-doubt',
  };
}

/** Reports to the listener of a run. Never throws. */
export function report({ operation, host, onEvent }: RemedySettings, fact: ClaimFact, id = ''): void {
  callListener(onEvent, { operation, id, at: host.now(), ...fact });
}
