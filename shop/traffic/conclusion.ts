import { plural } from '../../lib/pawl/kernel/plural.ts';
import type { ChainEffect } from '../plan/chain-plan.ts';
import { type Colour, optionsOf, some, storeOption } from '../printing.ts';
import type { EffectKind } from '../providers/ledger.ts';
import { isFoundExactly } from './payments.ts';
import { chainOf, hasFollowed, isGood, noVerdictOf, type TrafficResult } from './traffic-result.ts';
import type { EffectVerdict } from './verdict.ts';

/** A line of the conclusion, and its colour. */
export type Line = readonly [Exclude<Colour, 'bold'>, string];

export const nameOf: Readonly<Record<EffectKind, string>> = { email: 'emails', 'gift-card': 'gift cards' };

/** What follows from a payment, as a report calls it. */
export const chainNames: Readonly<Record<ChainEffect, string>> = { receipt: 'receipts', points: 'points' };

/** What a report says in the end: what is wrong, what waits for the operator, and how to run the same again. */
export function conclusion(result: TrafficResult): readonly Line[] {
  const good: Line = ['green', `Nothing lost, nothing doubled, after ${result.seconds} s.`];
  return [
    ...(isGood(result)
      ? [good]
      : [...noVerdict(result), ...wrongEffects(result), ...(result.isCutOff ? cutOff(result) : missing(result))]),
    ...parked(result),
    ...repeated(result),
    ...setAside(result),
    ...commands(result),
  ];
}

function noVerdict(result: TrafficResult): readonly Line[] {
  const why = noVerdictOf(result);
  return why === undefined ? [] : [['red', why]];
}

function missing(result: TrafficResult): readonly Line[] {
  return [...wrongMoney(result), ...wrongChain(result), ...unfinished(result)];
}

function cutOff({ rehearsed }: TrafficResult): readonly Line[] {
  return rehearsed.untested.map((why) => ['red', `Not judged: ${why}`]);
}

function both({ emails, giftCards }: TrafficResult) {
  return [emails, giftCards];
}

function wrongEffects(result: TrafficResult): readonly Line[] {
  return both(result).flatMap((verdict) => {
    const { effect, lost, doubled } = verdict;
    return [
      ...red(doubled, `Doubled ${nameOf[effect]}: ${some(doubled)}.`),
      ...red(lost, `Lost ${nameOf[effect]}: ${some(lost)}.`),
      ...neverRun(verdict),
    ];
  });
}

/** What is wrong in the end, and is about no single effect that is counted. */
export function complaints({
  emails,
  giftCards,
  ...money
}: Pick<TrafficResult, 'emails' | 'giftCards' | 'payments' | 'repayments'>): readonly string[] {
  const aside = [emails, giftCards].flatMap(neverRun);
  return [...aside, ...wrongMoney(money)].map(([, text]) => text);
}

function neverRun({ effect, neverRun: orders }: EffectVerdict): readonly Line[] {
  return red(orders, `Set aside ${nameOf[effect]} that were never tried: ${some(orders)}.`);
}

function wrongMoney({ payments, repayments }: Pick<TrafficResult, 'payments' | 'repayments'>): readonly Line[] {
  const { drift, refused, statement } = payments;
  const misread: Line = [
    'red',
    `Findings: ${some(statement?.found ?? [])}; planted: ${some(statement?.planted ?? [])}.`,
  ];
  const { repaidTwice, wanted, repaid, locksLeft } = repayments;
  const open: Line = ['red', `Not repaid: ${plural(wanted - repaid, 'debt')}.`];
  const locked: Line = ['red', `Still locked: ${plural(locksLeft, 'debt')}.`];
  return [
    ...red(refused, `Refused payments: ${some(refused)}.`),
    ...red(drift, `Ledger: ${some(drift)}.`),
    ...(statement === undefined || isFoundExactly(statement) ? [] : [misread]),
    ...red(repaidTwice, `Repaid twice: ${some(repaidTwice)}.`),
    ...(repaid < wanted ? [open] : []),
    ...(locksLeft > 0 ? [locked] : []),
  ];
}

function wrongChain(result: TrafficResult): readonly Line[] {
  const open: Line = ['red', `Left in the outbox: ${plural(result.outboxLeft, 'message')}.`];
  const chain = chainOf(result).flatMap((verdict): readonly Line[] => {
    const { effect, payments, done, doubled } = verdict;
    if (hasFollowed(verdict)) return [];
    const missing = payments - done - doubled.length;
    return [
      [
        'red',
        `Behind ${plural(payments, 'payment')}, ${chainNames[effect]}: ${missing} missing, ${doubled.length} doubled.`,
      ],
    ];
  });
  return [...chain, ...(result.outboxLeft > 0 ? [open] : [])];
}

function red(items: readonly string[], text: string): readonly Line[] {
  return items.length > 0 ? [['red', text]] : [];
}

function unfinished(result: TrafficResult): readonly Line[] {
  if (result.left === 0) return [];
  const effects = both(result).reduce((sum, verdict) => sum + verdict.unfinished.length, 0);
  const text = `Left on the queues after ${result.seconds} s: ${plural(result.left, 'message')}. Unfinished: ${plural(effects, 'effect')}.`;
  return [['red', text]];
}

function parked(result: TrafficResult): readonly Line[] {
  return both(result).flatMap((verdict) => {
    const decided = result.decided.filter(({ effect }) => effect === verdict.effect);
    const stillWait = verdict.parked.length + verdict.parkedAndDone;
    const inAll = stillWait + decided.length;
    if (inAll === 0) return [];
    const why =
      'A worker died or a call failed during the effect, and a second time is worse than a delay. The operator decides.';
    const lines: Line[] = [['dim', `Parked ${nameOf[verdict.effect]}: ${inAll}. ${why}`]];
    for (const { orderId, verdict: said } of decided) {
      const meaning =
        said === 'applied' ? 'it had happened, and did not run again' : 'it had not happened, and ran then';
      lines.push(['dim', `  ${orderId}: looked up by the operator, resolved as ${said}, redriven: ${meaning}.`]);
    }
    const waiting = `  ${stillWait} still ${stillWait === 1 ? 'waits' : 'wait'}. (The provider did ${verdict.parkedAndDone} of them.)`;
    return stillWait > 0 ? [...lines, ['dim', waiting]] : lines;
  });
}

function repeated(result: TrafficResult): readonly Line[] {
  return both(result).flatMap(({ effect, repeated: repeats }): readonly Line[] => {
    const why = "under 'retry', by a provider that has no effect keys. Use 'park' or 'reconcile' with such a provider.";
    return repeats.length > 0 ? [['dim', `Repeated ${nameOf[effect]}: ${repeats.length}, ${why}`]] : [];
  });
}

function setAside(result: TrafficResult): readonly Line[] {
  return both(result).flatMap(({ effect, setAside: orders }): readonly Line[] => {
    const why =
      'Not done, and not in doubt: SQS moved their messages to the dead-letter queue after too many receives, mostly by workers that died. Redrive them.';
    return orders.length > 0 ? [['dim', `Set aside ${nameOf[effect]}: ${some(orders)}. ${why}`]] : [];
  });
}

/** The command that repeats the run. */
export function again({ orders, payments, repayments, killShare, seed }: TrafficResult): string {
  return `npm start -- --orders ${orders} --payments ${payments.payments} --repayments ${repayments.requests} --kill ${killShare} --seed ${seed}`;
}

function commands(result: TrafficResult): readonly Line[] {
  const command = again(result);
  const same: Line = ['dim', `Again: ${command}${optionsOf(result)}`];
  return result.protection === 'none'
    ? [same]
    : [same, ['dim', `Without pawl: ${command}${storeOption(result.store)} --unprotected`]];
}
