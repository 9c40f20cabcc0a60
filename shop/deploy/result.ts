import type { Verdicts } from '../traffic/pawl-events.ts';
import { isFoundExactly, isPosted, type PaymentsVerdict } from '../traffic/payments.ts';
import { isRepaid, type RepaymentsVerdict } from '../traffic/repayments.ts';
import { type ChainVerdict, hasFollowed } from '../traffic/traffic-result.ts';
import { type EffectVerdict, isClean } from '../traffic/verdict.ts';
import type { OrdersVerdict } from './orders.ts';

/** What a run found out. */
export interface DeployResult extends OrdersVerdict {
  readonly payments: PaymentsVerdict;
  readonly repayments: RepaymentsVerdict;
  /** What followed from the payments. */
  readonly chain: readonly ChainVerdict[];
  /** Messages that no worker, relay or sweep has sent. */
  readonly outboxLeft: number;
  readonly suppressed: number;
  readonly deferred: number;
  readonly takeovers: number;
  readonly verdicts: Verdicts;
  readonly providerFaults: number;
  /** How often all processes of functions were killed at once. */
  readonly hostFailures: number;
  readonly killed: number;
  /** Messages that were still on their queues when the time was up. */
  readonly left: number;
  /** Of the checks along the way: what was expected, and was not so. */
  readonly failures: readonly string[];
  readonly claimsKept: number;
  readonly seconds: number;
}

export function isGood(result: DeployResult): boolean {
  const { emails, giftCards, payments, repayments, chain, outboxLeft, left, failures } = result;
  const clean = [emails, giftCards].every(isClean) && isPosted(payments) && isRepaid(repayments);
  return clean && chain.every(hasFollowed) && outboxLeft === 0 && left === 0 && failures.length === 0;
}

const both = (result: DeployResult, pick: (verdict: EffectVerdict) => readonly string[]) =>
  pick(result.emails).length + pick(result.giftCards).length;

const nameOf = { receipt: 'receipts', points: 'points' } as const;
const saysOf = {
  receipt: 'mailed, by messages in the commits of the entries',
  points: 'booked behind an event bus, by events in the commits of the entries',
} as const;

/** The result as the one line that a program reads. */
export function jsonLine(result: DeployResult): string {
  return JSON.stringify({
    ok: isGood(result),
    orders: result.orders,
    messages: result.messages,
    duplicates: result.duplicates,
    emails: result.emails.done,
    giftCards: result.giftCards.done,
    suppressed: result.suppressed,
    deferred: result.deferred,
    takeovers: result.takeovers,
    parked: both(result, ({ parked }) => parked),
    setAside: both(result, ({ setAside }) => setAside),
    neverRun: both(result, ({ neverRun }) => neverRun),
    lost: both(result, ({ lost }) => lost),
    doubled: both(result, ({ doubled }) => doubled),
    payments: result.payments.payments,
    callbacks: result.payments.callbacks,
    ledgerEntries: result.payments.ledgerEntries,
    drift: result.payments.drift,
    statementFindings: result.payments.statement?.found.length,
    refused: result.payments.refused,
    ...Object.fromEntries(
      result.chain.flatMap(({ effect, done, doubled }) => [
        [nameOf[effect], done],
        [`${nameOf[effect]}Doubled`, doubled],
      ]),
    ),
    outboxLeft: result.outboxLeft,
    debts: result.repayments.wanted,
    repaid: result.repayments.repaid,
    repaidTwice: result.repayments.repaidTwice,
    locksLeft: result.repayments.locksLeft,
    hostFailures: result.hostFailures,
    killed: result.killed,
    claimsKept: result.claimsKept,
    failures: result.failures,
    seconds: result.seconds,
  });
}

/** The result as a person reads it. */
export function report(result: DeployResult): string {
  const { applied, notApplied, inconclusive } = result.verdicts;
  const { payments, repayments } = result;
  const row = (label: string, count: number, meaning: string) =>
    `  ${label.padEnd(16)}${String(count).padStart(6)}   ${meaning}`;
  const effect = (label: string, verdict: EffectVerdict) =>
    `  ${label.padEnd(14)}${[
      verdict.orders,
      verdict.done,
      verdict.doubled.length,
      verdict.parked.length,
      verdict.setAside.length,
      verdict.lost.length,
    ]
      .map((count, column) => String(count).padStart(column === 4 ? 11 : 9))
      .join('')}`;
  const lines = [
    'Messages',
    row(
      'sent',
      result.messages,
      `for ${result.orders} orders; ${result.duplicates} of them for an effect that had its message already`,
    ),
    row('suppressed', result.suppressed, 'duplicates whose effect had happened already'),
    row('deferred', result.deferred, 'given back to the queue, while the claim was held by another worker'),
    row('taken over', result.takeovers, 'claims whose worker was gone, or whose outcome was in doubt'),
    row(
      'reconciled',
      applied + notApplied + inconclusive,
      `times the provider was asked: ${applied} applied, ${notApplied} not`,
    ),
    row('dead-lettered', result.deadLettered, 'moved out of the way, to be looked at: a parked mail once per message'),
    '',
    'Troubles',
    row(
      'host failures',
      result.hostFailures,
      `while a function was in the middle of an effect: ${result.killed} processes of functions died`,
    ),
    row(
      'provider faults',
      result.providerFaults,
      'calls that failed, hung until the function timed out, or were answered late',
    ),
    '',
    'Effects           orders     done  doubled   parked  set aside     lost',
    effect('emails', result.emails),
    effect('gift cards', result.giftCards),
    '',
    'Payments',
    row(
      'reported',
      payments.payments,
      `with ${payments.callbacks} callbacks to the HTTP API; ${payments.outages} met a queue that failed`,
    ),
    row('entries', payments.ledgerEntries, 'in the ledger: a debit and a credit for each'),
    row('drift', payments.drift.length, 'payments whose entries are not what the processor says'),
    ...(payments.statement === undefined
      ? []
      : [row('findings', payments.statement.found.length, `in its statement: ${payments.statement.found.join(', ')}`)]),
    ...result.chain.map(({ effect, done, doubled }) =>
      row(nameOf[effect], done, `${saysOf[effect]}; ${doubled.length} more than once`),
    ),
    row('outbox left', result.outboxLeft, 'messages that no worker, relay or sweep has sent'),
    '',
    'Repayments',
    row('requests', repayments.requests, `each sent twice, for ${repayments.wanted} debts`),
    row('repaid', repayments.repaid, `debts, ${repayments.repaidTwice.length} of them twice`),
    row('locks left', repayments.locksLeft, 'debts that are still locked'),
    '',
  ];
  if (isGood(result)) {
    lines.push(`Deployed, updated and destroyed; nothing lost, nothing doubled, after ${result.seconds} s.`);
  } else {
    lines.push('This is not as it should be:', ...problems(result).map((problem) => `  ${problem}`));
  }
  return lines.join('\n');
}

function problems(result: DeployResult): readonly string[] {
  const effects = [result.emails, result.giftCards].flatMap(({ effect, lost, doubled, neverRun }) => [
    ...(lost.length > 0 ? [`lost ${effect}: ${lost.slice(0, 5).join(', ')}`] : []),
    ...(neverRun.length > 0 ? [`set aside, never tried ${effect}: ${neverRun.slice(0, 5).join(', ')}`] : []),
    ...(doubled.length > 0 ? [`doubled ${effect}: ${doubled.slice(0, 5).join(', ')}`] : []),
  ]);
  const { payments, repayments } = result;
  return [
    ...effects,
    ...(payments.ledgerEntries === 2 * payments.payments
      ? []
      : [`the ledger has ${payments.ledgerEntries} entries for ${payments.payments} payments`]),
    ...payments.drift.slice(0, 5).map((one) => `drift: ${one}`),
    ...(payments.statement === undefined || isFoundExactly(payments.statement)
      ? []
      : [
          `the statement: found ${payments.statement.found.join(', ')}; planted ${payments.statement.planted.join(', ')}`,
        ]),
    ...payments.refused.slice(0, 5).map((paymentId) => `never accepted: ${paymentId}`),
    ...result.chain.flatMap((one) =>
      hasFollowed(one)
        ? []
        : [
            `${nameOf[one.effect]}: ${one.payments - one.done - one.doubled.length} missing, ${one.doubled.length} doubled`,
          ],
    ),
    ...(result.outboxLeft > 0 ? [`${result.outboxLeft} messages are left in the outbox`] : []),
    ...repayments.repaidTwice.slice(0, 5).map((debt) => `repaid twice: ${debt}`),
    ...(repayments.repaid < repayments.wanted ? [`${repayments.wanted - repayments.repaid} debts are not repaid`] : []),
    ...(repayments.locksLeft > 0 ? [`${repayments.locksLeft} debts are still locked`] : []),
    ...(result.left > 0 ? [`${result.left} messages were still on their queues`] : []),
    ...result.failures,
  ];
}
