import { tooSlow } from '../../lib/rehearsal/file/conclude.ts';
import type { RehearsalResult } from '../../lib/rehearsal/file/result.ts';
import type { StoreFaultStats } from '../faults/faults.ts';
import { type ChainEffect, chainEffects } from '../plan/chain-plan.ts';
import type { Protection, Store } from '../protection/changed-bundle.ts';
import type { Decided } from './operator.ts';
import type { Verdicts } from './pawl-events.ts';
import { isPosted, type PaymentsVerdict } from './payments.ts';
import { isRepaid, type RepaymentsVerdict } from './repayments.ts';
import { type EffectVerdict, isClean } from './verdict.ts';

/** What the result of a rehearsal is needed for. */
export type Rehearsed = Pick<
  RehearsalResult,
  'good' | 'noVerdict' | 'effects' | 'empty' | 'untested' | 'harmed' | 'findings' | 'hints' | 'story'
>;

/** Everything that a run of the traffic found out. */
export interface TrafficResult {
  readonly orders: number;
  readonly messages: number;
  readonly producerDuplicates: number;
  readonly sqsRedeliveries: number;
  readonly providerFaults: number;
  readonly storeFaults: StoreFaultStats;
  /** How often a relay was killed that sent what lay in the outbox. */
  readonly relaysKilled: number;
  /** The planned deaths that have not happened: claims by their ids, and messages of the outbox by their keys. */
  readonly spared: readonly string[];
  readonly deliveries: number;
  readonly batches: number;
  readonly suppressed: number;
  readonly deferred: number;
  readonly takeovers: number;
  /** What the provider said of effects in doubt. */
  readonly verdicts: Verdicts;
  /** Parked claims that the operator decided; what is `parked` in the end does not count them. */
  readonly decided: readonly Decided[];
  readonly deadLettered: number;
  readonly sandboxes: { readonly started: number; readonly killed: number; readonly timedOut: number };
  /** Whether the machine was too slow to go on: what is missing was not waited for. */
  readonly isCutOff: boolean;
  readonly emails: EffectVerdict;
  readonly giftCards: EffectVerdict;
  readonly payments: PaymentsVerdict;
  readonly repayments: RepaymentsVerdict;
  /** Messages that were still in the outbox in the end. */
  readonly outboxLeft: number;
  /** What the rehearsal itself found: the same effects, with the story of each one that came to harm. */
  readonly rehearsed: Rehearsed;
  /** Messages that were still on their queues when the time was up. */
  readonly left: number;
  readonly protection: Protection;
  readonly store: Store;
  readonly killShare: number;
  readonly seed: number;
  readonly seconds: number;
}

/** Whether nothing was lost, nothing doubled, nothing left undone, and nothing set aside without having been tried. */
export function isGood(result: TrafficResult): boolean {
  return isSound(result) && unjudgedIn(result) === 0;
}

function isSound(result: TrafficResult): boolean {
  const { emails, giftCards, payments, repayments, left, outboxLeft, rehearsed } = result;
  const isDone = rehearsed.good && left === 0 && outboxLeft === 0 && chainOf(result).every(hasFollowed);
  return isDone && isPosted(payments) && isRepaid(repayments) && [emails, giftCards].every(isClean);
}

/** What became of the effects behind the payments. */
export function chainOf({ rehearsed }: Pick<TrafficResult, 'rehearsed'>): readonly ChainVerdict[] {
  return chainEffects.map((effect) => {
    const found = rehearsed.effects.find((one) => one.effect === effect);
    if (found === undefined) throw new Error(`the rehearsal of the shop counts no ${effect}`);
    const { intents: payments, done, doubled } = found;
    return { effect, payments, done, doubled };
  });
}

/** What became of one effect behind the payments. */
export interface ChainVerdict {
  readonly effect: ChainEffect;
  readonly payments: number;
  /** Payments that have it, once: of those that have it more often, none. */
  readonly done: number;
  readonly doubled: readonly string[];
}

/** Whether each payment has the effect once: the app can ask its provider, so that none has to wait for an operator. */
export function hasFollowed({ payments, done }: ChainVerdict): boolean {
  return done === payments;
}

function unjudgedIn({ emails, giftCards }: TrafficResult): number {
  return emails.unjudged.length + giftCards.unjudged.length;
}

/** Why a run is neither good nor bad, and what to do; `undefined` if it can be judged. */
export function noVerdictOf(result: TrafficResult): string | undefined {
  return whyUnjudged(result.rehearsed, isSound(result) ? unjudgedIn(result) : 0);
}

/** @param unjudged how many effects nobody can judge, if all else is well */
export function whyUnjudged({ noVerdict }: Pick<Rehearsed, 'noVerdict'>, unjudged: number): string | undefined {
  return noVerdict ?? (unjudged > 0 ? tooSlow(unjudged) : undefined);
}

/** How often providers were asked about effects in doubt. */
export function timesAsked({ applied, notApplied, inconclusive }: Verdicts): number {
  return applied + notApplied + inconclusive;
}

/** The result as the one line that a program reads. */
export function jsonLine(result: TrafficResult): string {
  const both = (pick: (verdict: EffectVerdict) => readonly string[]) =>
    pick(result.emails).length + pick(result.giftCards).length;
  const [receipts, points] = chainOf(result);
  return JSON.stringify({
    orders: result.orders,
    messages: result.messages,
    deliveries: result.deliveries,
    emails: result.emails.done,
    giftCards: result.giftCards.done,
    suppressed: result.suppressed,
    deferred: result.deferred,
    takeovers: result.takeovers,
    reconciled: timesAsked(result.verdicts),
    resolved: result.decided.length,
    parked: both(({ parked }) => parked),
    setAside: both(({ setAside }) => setAside),
    neverRun: both(({ neverRun }) => neverRun),
    unfinished: both(({ unfinished }) => unfinished),
    lost: both(({ lost }) => lost),
    doubled: both(({ doubled }) => doubled),
    repeated: both(({ repeated }) => repeated),
    payments: result.payments.payments,
    ledgerEntries: result.payments.ledgerEntries,
    drift: result.payments.drift.length,
    statementFindings: result.payments.statement?.found.length,
    refused: result.payments.refused.length,
    receipts: receipts?.done,
    receiptsDoubled: receipts?.doubled.length,
    points: points?.done,
    pointsDoubled: points?.doubled.length,
    outboxLeft: result.outboxLeft,
    relaysKilled: result.relaysKilled,
    repayments: result.repayments.repaid,
    repaidTwice: result.repayments.repaidTwice.length,
    locksLeft: result.repayments.locksLeft,
    left: result.left,
    killed: result.sandboxes.killed,
    seconds: result.seconds,
  });
}
