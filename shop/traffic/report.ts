import { whatWentWrong } from '../../lib/rehearsal/file/report.ts';
import type { StoreFaultStats } from '../faults/faults.ts';
import { createPrinter, optionsOf, type Printer } from '../printing.ts';
import { again, chainNames, conclusion, nameOf } from './conclusion.ts';
import type { Verdicts } from './pawl-events.ts';
import type { StatementVerdict } from './payments.ts';
import { chainOf, type TrafficResult, timesAsked } from './traffic-result.ts';
import type { EffectVerdict } from './verdict.ts';

/** The result as a person reads it. `colour` only when there is a terminal to show it. */
export function report(result: TrafficResult, colour: boolean): string {
  const printer = createPrinter(colour);
  const { paint } = printer;
  return [
    '',
    paint('bold', 'Messages'),
    ...messages(result, printer),
    '',
    paint('bold', 'Troubles'),
    ...troubles(result, printer),
    '',
    paint('bold', 'Effects           orders    done  doubled   parked  set aside  never run     lost'),
    ...[result.emails, result.giftCards].map((verdict) => effect(verdict, printer)),
    '',
    paint('bold', 'Payments'),
    ...payments(result, printer),
    '',
    paint('bold', 'Behind the payments'),
    ...chain(result, printer),
    '',
    paint('bold', 'Repayments'),
    ...repayments(result, printer),
    // What `check` found is part of the conclusion.
    ...whatWentWrong({ ...result.rehearsed, findings: [] }, { colour, again: `${again(result)}${optionsOf(result)}` }),
    '',
    ...conclusion(result).map(([format, text]) => paint(format, text)),
    '',
  ].join('\n');
}

function messages(result: TrafficResult, { row }: Printer): readonly string[] {
  const { orders, producerDuplicates, batches, sqsRedeliveries, verdicts } = result;
  const sent = `for ${orders} orders; the producer sent ${producerDuplicates} of them twice`;
  const delivered = `in ${batches} batches; SQS was made to deliver ${sqsRedeliveries} of them again`;
  const byPawl = [
    row('suppressed', result.suppressed, 'duplicates whose effect had happened already'),
    row('deferred', result.deferred, 'returned to the queue, while another worker held the claim'),
    row('taken over', result.takeovers, 'claims whose worker had died, or whose effect was in doubt'),
    row('reconciled', timesAsked(verdicts), `times the provider was asked: ${said(verdicts)}`),
  ];
  return [
    row('sent', result.messages, sent),
    row('delivered', result.deliveries, delivered),
    ...(result.protection === 'none' ? [] : byPawl),
    row('dead-lettered', result.deadLettered, 'moved to a dead-letter queue, for the operator'),
    ...(result.left > 0 ? [row('left', result.left, 'still on their queues when the time was up', true)] : []),
  ];
}

function said({ applied, notApplied, tooEarly, inconclusive }: Verdicts): string {
  const early = tooEarly > 0 ? ` (${tooEarly} too early to be believed)` : '';
  return `${applied} applied, ${notApplied} not applied${early}, ${inconclusive} inconclusive`;
}

function troubles(result: TrafficResult, { row }: Printer): readonly string[] {
  const { sandboxes, payments, storeFaults } = result;
  const ofStore = storeFaultNames.flatMap(([fault, name]) => {
    const times = storeFaults[fault];
    return times === undefined ? [] : [{ times, said: `${times} ${name}` }];
  });
  const inAll = ofStore.reduce((sum, { times }) => sum + times, 0);
  return [
    row('sandboxes', sandboxes.started, 'started, each a process of its own'),
    row(
      'killed',
      sandboxes.killed,
      'of them, with SIGKILL: before, during or after the effect, or while it was recorded',
    ),
    row('timed out', sandboxes.timedOut, 'of them, and were killed by the Lambda stand-in'),
    row('provider faults', result.providerFaults, 'calls that failed, hung, or got a late response'),
    row(
      'queue outages',
      payments.outages,
      'payments whose message the queue refused at first, or took with the response lost',
    ),
    ...(result.protection === 'none' ? [] : [row('store faults', inAll, ofStore.map(({ said }) => said).join(', '))]),
  ];
}

const storeFaultNames = [
  ['throttled', 'statements throttled'],
  ['unread', 'keys left unread'],
  ['connectionsLost', 'connections ended before a statement arrived'],
  ['answersLost', 'responses lost'],
] as const satisfies readonly (readonly [keyof StoreFaultStats, string])[];

function effect(verdict: EffectVerdict, { paint }: Printer): string {
  const count = (items: readonly string[], width: number, isBad = false) => {
    const text = String(items.length).padStart(width);
    return isBad && items.length > 0 ? paint('red', text) : text;
  };
  return [
    `  ${nameOf[verdict.effect].padEnd(14)}${String(verdict.orders).padStart(8)}${String(verdict.done).padStart(8)}`,
    count(verdict.doubled, 9, true),
    count(verdict.parked, 9),
    count(verdict.setAside, 11),
    count(verdict.neverRun, 11, true),
    count(verdict.lost, 9, true),
  ].join('');
}

function payments({ payments: verdict }: TrafficResult, { row }: Printer): readonly string[] {
  const { callbacks, corrected, refused, ledgerEntries, drift, statement } = verdict;
  const paid = `each with two callbacks at the same instant, from two processes; ${callbacks} calls until each had its response`;
  return [
    row('paid', verdict.payments, paid),
    row('corrected', corrected, 'whose callbacks were malformed at first, with the same id and another time stamp'),
    row('refused', refused.length, 'that the app has not accepted, however often the processor called', true),
    row('ledger entries', ledgerEntries, 'one debit and one credit each'),
    row('drift', drift.length, 'whose entries do not match the statement of the processor', true),
    ...(statement === undefined ? [] : [row('findings', statement.found.length, foundIn(statement))]),
  ];
}

function chain(result: TrafficResult, { row }: Printer): readonly string[] {
  const rows = chainOf(result).map(({ effect, payments: of, done, doubled }) =>
    row(chainNames[effect], done, `for ${of} payments, by a message of each; ${doubled.length} more than once`),
  );
  return [
    ...rows,
    row('relays killed', result.relaysKilled, 'as they sent what workers had left in the outbox'),
    row('outbox left', result.outboxLeft, 'messages that no worker, relay or sweep has sent', true),
  ];
}

function foundIn({ found, planted }: StatementVerdict): string {
  const said = found.length === 0 ? 'nothing' : found.join(', ');
  return `in the statement of the processor, where ${planted.length} were planted: ${said}`;
}

function repayments({ repayments: verdict }: TrafficResult, { row }: Printer): readonly string[] {
  const { requests, wanted, repaid, repaidTwice, locksLeft } = verdict;
  const requested = `debts, in ${requests} requests over sets that overlap, each sent twice; the first over up to 150 debts`;
  return [
    row('requested', wanted, requested),
    row('repaid', repaid, `of them; ${repaidTwice.length} more than once`),
    row('locks left', locksLeft, 'debts that are still locked', true),
  ];
}
