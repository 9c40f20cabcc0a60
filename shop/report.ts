import { styleText } from 'node:util';
import type { StoreFaultStats } from '../lib/rehearsal/store-faults.ts';
import type { Protection } from './changed-bundle.ts';
import type { EffectKind } from './ledger.ts';
import type { Decided } from './operator.ts';
import type { Verdicts } from './pawl-events.ts';
import { isPosted, type PaymentsVerdict } from './payments.ts';
import { isRepaid, type RepaymentsVerdict } from './repayments.ts';
import { type EffectVerdict, isClean } from './verdict.ts';

/** Everything that a run of the traffic found out. */
export interface TrafficResult {
  readonly orders: number;
  readonly messages: number;
  readonly producerDuplicates: number;
  readonly sqsRedeliveries: number;
  readonly providerFaults: number;
  readonly storeFaults: StoreFaultStats;
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
  readonly emails: EffectVerdict;
  readonly giftCards: EffectVerdict;
  readonly payments: PaymentsVerdict;
  readonly repayments: RepaymentsVerdict;
  /** Messages that were still on their queues when the time was up. */
  readonly left: number;
  readonly protection: Protection;
  readonly killShare: number;
  readonly seed: number;
  readonly seconds: number;
}

const NAME_OF: Readonly<Record<EffectKind, string>> = { email: 'emails', 'gift-card': 'gift cards' };

/** Whether nothing was lost, nothing doubled, nothing left undone, and nothing set aside without having been tried. */
export function isGood({ emails, giftCards, payments, repayments, left }: TrafficResult): boolean {
  return left === 0 && isPosted(payments) && isRepaid(repayments) && [emails, giftCards].every(isClean);
}

/** The result as the one line that a program reads. */
export function jsonLine(result: TrafficResult): string {
  const both = (pick: (verdict: EffectVerdict) => readonly string[]) =>
    pick(result.emails).length + pick(result.giftCards).length;
  return JSON.stringify({
    orders: result.orders,
    messages: result.messages,
    deliveries: result.deliveries,
    emails: result.emails.done,
    giftCards: result.giftCards.done,
    suppressed: result.suppressed,
    deferred: result.deferred,
    takeovers: result.takeovers,
    reconciled: asked(result.verdicts),
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
    refused: result.payments.refused.length,
    repayments: result.repayments.repaid,
    repaidTwice: result.repayments.repaidTwice.length,
    locksLeft: result.repayments.locksLeft,
    left: result.left,
    killed: result.sandboxes.killed,
    seconds: result.seconds,
  });
}

function asked({ applied, notApplied, inconclusive }: Verdicts): number {
  return applied + notApplied + inconclusive;
}

/** The result as a person reads it. `colour` only when there is a terminal to show it. */
export function report(result: TrafficResult, colour: boolean): string {
  const paint = (format: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) =>
    colour ? styleText(format, text, { validateStream: false }) : text;
  const lines: string[] = [''];
  const row = (label: string, count: number, meaning: string) =>
    lines.push(`  ${label.padEnd(16)}${String(count).padStart(6)}   ${paint('dim', meaning)}`);

  lines.push(paint('bold', 'Messages'));
  row(
    'sent',
    result.messages,
    `for ${result.orders} orders; ${result.producerDuplicates} of them sent twice by the producer`,
  );
  row(
    'delivered',
    result.deliveries,
    `in ${result.batches} batches; ${result.sqsRedeliveries} that SQS was made to deliver again`,
  );
  if (result.protection !== 'none') {
    row('suppressed', result.suppressed, 'duplicates whose effect had happened already');
    row('deferred', result.deferred, 'given back to the queue, while the claim was held by another worker');
    row('taken over', result.takeovers, 'claims whose worker was gone, or whose outcome was in doubt');
    row('reconciled', asked(result.verdicts), `times the provider was asked: ${said(result.verdicts)}`);
  }
  row('dead-lettered', result.deadLettered, 'moved out of the way, to be looked at');
  if (result.left > 0) row('left over', result.left, paint('red', 'still on their queues when the time was up'));

  lines.push('', paint('bold', 'Sandboxes'));
  row('started', result.sandboxes.started, 'each a process of its own');
  row('killed', result.sandboxes.killed, 'with SIGKILL: before, during or after the effect, or at its record');
  row('timed out', result.sandboxes.timedOut, 'and were killed by the Lambda stand-in');
  row('provider faults', result.providerFaults, 'calls that failed, hung, or were answered late');
  if (result.protection !== 'none') {
    const { throttled, unread, answersLost } = result.storeFaults;
    row(
      'store faults',
      throttled + unread + answersLost,
      `${throttled} statements throttled, ${unread} keys left unread, ${answersLost} answers lost`,
    );
  }

  lines.push('', paint('bold', 'Effects           orders    done  doubled   parked  set aside  never run     lost'));
  for (const verdict of [result.emails, result.giftCards]) {
    const count = (items: readonly string[], width: number, bad: boolean) => {
      const text = String(items.length).padStart(width);
      return bad && items.length > 0 ? paint('red', text) : text;
    };
    lines.push(
      `  ${NAME_OF[verdict.effect].padEnd(14)}${String(verdict.orders).padStart(8)}${String(verdict.done).padStart(8)}` +
        `${count(verdict.doubled, 9, true)}${count(verdict.parked, 9, false)}${count(verdict.setAside, 11, false)}${count(verdict.neverRun, 11, true)}${count(verdict.lost, 9, true)}`,
    );
  }
  const { payments, callbacks, corrected, outages, refused, ledgerEntries, drift } = result.payments;
  lines.push('', paint('bold', 'Payments'));
  row(
    'paid',
    payments,
    `each told of twice at the same instant, from two processes; ${callbacks} calls until all were answered`,
  );
  row(
    'corrected',
    corrected,
    'that the processor told wrong at first, with the same id; every call has another time stamp',
  );
  row('queue outages', outages, 'whose message the queue would not take at first, or took without saying so');
  row('refused', refused.length, 'that were not accepted, however often the processor called');
  row('ledger entries', ledgerEntries, 'one debit and one credit each');
  row('drift', drift.length, 'payments whose entries are not what the processor says');
  const { requests, wanted, repaid, repaidTwice, locksLeft } = result.repayments;
  lines.push('', paint('bold', 'Repayments'));
  row(
    'requested',
    wanted,
    `debts, in ${requests} requests over sets that overlap, each sent twice; one of up to 150 debts`,
  );
  row('repaid', repaid, `of them; ${repaidTwice.length} more than once`);
  row('locks left', locksLeft, 'debts that nobody could touch now');
  lines.push('', ...conclusion(result).map(([format, text]) => paint(format, text)), '');
  return lines.join('\n');
}

function said({ applied, notApplied, tooEarly, inconclusive }: Verdicts): string {
  const early = tooEarly > 0 ? ` (${tooEarly} too early to be believed)` : '';
  return `${applied} applied, ${notApplied} not applied${early}, ${inconclusive} inconclusive`;
}

function conclusion(result: TrafficResult): readonly (readonly ['green' | 'red' | 'dim', string])[] {
  const lines: ['green' | 'red' | 'dim', string][] = [];
  if (isGood(result)) {
    lines.push(['green', `Nothing lost, nothing doubled, after ${result.seconds} s.`]);
  } else {
    for (const { effect, lost, doubled, neverRun } of [result.emails, result.giftCards]) {
      if (doubled.length > 0) lines.push(['red', `Doubled ${NAME_OF[effect]}: ${some(doubled)}.`]);
      if (lost.length > 0) lines.push(['red', `Lost ${NAME_OF[effect]}: ${some(lost)}.`]);
      if (neverRun.length > 0)
        lines.push(['red', `Set aside ${NAME_OF[effect]} that were never tried: ${some(neverRun)}.`]);
    }
    const { drift, refused } = result.payments;
    if (refused.length > 0) lines.push(['red', `Refused payments: ${some(refused)}.`]);
    if (drift.length > 0) lines.push(['red', `Ledger: ${some(drift)}.`]);
    const { repaidTwice, wanted, repaid, locksLeft } = result.repayments;
    if (repaidTwice.length > 0) lines.push(['red', `Repaid twice: ${some(repaidTwice)}.`]);
    if (repaid < wanted) lines.push(['red', `${wanted - repaid} debts were not repaid.`]);
    if (locksLeft > 0) lines.push(['red', `${locksLeft} debts are still locked.`]);
    const unfinished = result.emails.unfinished.length + result.giftCards.unfinished.length;
    if (result.left > 0)
      lines.push([
        'red',
        `${result.left} messages were not dealt with in ${result.seconds} s, so that ${unfinished} effects are unfinished.`,
      ]);
  }
  for (const { effect, parked, parkedAndDone } of [result.emails, result.giftCards]) {
    const decided = result.decided.filter((one) => one.effect === effect);
    const inAll = parked.length + decided.length;
    if (inAll === 0) continue;
    lines.push([
      'dim',
      `Parked ${NAME_OF[effect]}: ${inAll}. A worker died or a call failed half-way, and a second time is worse than a ` +
        `delay. A person decides.`,
    ]);
    for (const { orderId, verdict } of decided) {
      const meaning =
        verdict === 'applied' ? 'it had happened, and was not done again' : 'it had not, and was done then';
      lines.push(['dim', `  ${orderId}: looked up by the operator, resolved as ${verdict}, redriven: ${meaning}.`]);
    }
    if (parked.length > 0) {
      lines.push(['dim', `  ${parked.length} still wait. (The provider did ${parkedAndDone} of them.)`]);
    }
  }
  for (const { effect, repeated } of [result.emails, result.giftCards]) {
    if (repeated.length === 0) continue;
    lines.push([
      'dim',
      `Repeated ${NAME_OF[effect]}: ${repeated.length}, under 'retry', by a provider that has no effect keys. ` +
        "'park' and 'reconcile' are for those.",
    ]);
  }
  for (const { effect, setAside } of [result.emails, result.giftCards]) {
    if (setAside.length === 0) continue;
    lines.push([
      'dim',
      `Set aside ${NAME_OF[effect]}: ${some(setAside)}. Not done, and not in doubt: their messages were received too often, ` +
        'mostly by workers that died, and SQS moved them to the dead-letter queue. Redrive them.',
    ]);
  }
  const again = `npm start -- --orders ${result.orders} --payments ${result.payments.payments} --repayments ${result.repayments.requests} --kill ${result.killShare} --seed ${result.seed}`;
  const how = { 'as-written': '', retry: ' --retry', none: ' --unprotected' }[result.protection];
  lines.push(['dim', `Again: ${again}${how}`]);
  if (result.protection !== 'none') lines.push(['dim', `Without pawl: ${again} --unprotected`]);
  return lines;
}

function some(items: readonly string[]): string {
  const shown = items.slice(0, 5).join(', ');
  return items.length > 5 ? `${shown} and ${items.length - 5} more` : shown;
}
