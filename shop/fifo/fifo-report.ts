import { whatWentWrong } from '../../lib/rehearsal/file/report.ts';
import { type Colour, createPrinter, optionsOf } from '../printing.ts';
import { whyUnjudged } from '../traffic/traffic-result.ts';
import { complaintsAbout, isInOrder } from './change-verdict.ts';
import type { FifoResult } from './fifo.ts';

/** Whether nothing was lost, doubled, out of order, or set aside without having been tried. */
export function isGoodFifo(result: FifoResult): boolean {
  return isSound(result) && result.verdict.unjudged.length === 0;
}

function isSound({ verdict, left, rehearsed }: FifoResult): boolean {
  return rehearsed.good && left === 0 && isInOrder(verdict);
}

/** Why a run is neither good nor bad, and what to do; `undefined` if it can be judged. */
export function noVerdictOfFifo(result: FifoResult): string | undefined {
  return whyUnjudged(result.rehearsed, isSound(result) ? result.verdict.unjudged.length : 0);
}

/** The result as the one line that a program reads. */
export function fifoJsonLine({ verdict, ...result }: FifoResult): string {
  return JSON.stringify({
    changes: verdict.changes,
    accounts: verdict.accounts,
    messages: result.messages,
    deliveries: result.deliveries,
    done: verdict.done,
    rejected: verdict.rejected.length,
    parked: verdict.parked.length,
    setAside: verdict.setAside.length,
    neverRun: verdict.neverRun.length,
    outOfOrder: verdict.outOfOrder.length,
    unfinished: verdict.unfinished.length,
    lost: verdict.lost.length,
    doubled: verdict.doubled.length,
    left: result.left,
    killed: result.sandboxes.killed,
    seconds: result.seconds,
  });
}

/** The result as a person reads it. `colour` only when there is a terminal to show it. */
export function fifoReport(result: FifoResult, colour: boolean): string {
  const { verdict, sandboxes } = result;
  const { paint, row } = createPrinter(colour);
  const sent = `for ${verdict.changes} changes of ${verdict.accounts} accounts, a message group each`;
  return [
    '',
    paint('bold', 'Messages'),
    row('sent', result.messages, sent),
    row('delivered', result.deliveries, `in ${result.batches} batches`),
    '',
    paint('bold', 'Troubles'),
    row(
      'killed',
      sandboxes.killed,
      'sandboxes, with SIGKILL: before, during or after the effect, or while it was recorded',
    ),
    row('timed out', sandboxes.timedOut, 'sandboxes that the Lambda stand-in killed'),
    row('provider faults', result.providerFaults, 'calls that failed, before or after the effect'),
    '',
    paint('bold', 'Changes'),
    row('booked', verdict.done, 'each once, unless it says so below'),
    row('rejected', verdict.rejected.length, 'refused by the service; dead-lettered with the reason'),
    row('parked', verdict.parked.length, 'they wait for a decision of the operator'),
    row('set aside', verdict.setAside.length, 'tried, and failed at every receive'),
    row('never run', verdict.neverRun.length, 'set aside, although they were never tried', true),
    row('out of order', verdict.outOfOrder.length, 'booked after a later change of the same account', true),
    row('doubled', verdict.doubled.length, 'booked more than once', true),
    row('lost', verdict.lost.length, 'not booked, and not in the dead-letter queue', true),
    ...(result.left > 0 ? [row('left', result.left, 'still on the queue when the time was up', true)] : []),
    ...whatWentWrong({ ...result.rehearsed, findings: [] }, { colour, again: again(result) }),
    '',
    ...conclusion(result).map(([format, text]) => paint(format, text)),
    '',
  ].join('\n');
}

function conclusion(result: FifoResult): readonly (readonly [Colour, string])[] {
  const untested = isGoodFifo(result) ? [] : result.rehearsed.untested;
  const all = [noVerdictOfFifo(result), ...complaintsAbout(result.verdict), ...untested];
  const wrong = all.flatMap((text) => (text === undefined ? [] : [['red', text] as const]));
  const good = `In order; nothing lost, nothing doubled, nothing set aside unrun, after ${result.seconds} s.`;
  return [...wrong, ...(isGoodFifo(result) ? [['green', good] as const] : []), ['dim', `Again: ${again(result)}`]];
}

function again(result: FifoResult): string {
  return `npm start -- --fifo --kill ${result.killShare} --seed ${result.seed}${optionsOf(result)}`;
}
