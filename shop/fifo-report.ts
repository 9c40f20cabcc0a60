import { styleText } from 'node:util';
import { isInOrder } from './change-verdict.ts';
import type { FifoResult } from './fifo.ts';

/** Whether nothing was lost, doubled, out of order, or set aside without having been tried. */
export function isGoodFifo({ verdict, left }: FifoResult): boolean {
  return left === 0 && isInOrder(verdict);
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
  const paint = (format: 'bold' | 'dim' | 'green' | 'red', text: string) =>
    colour ? styleText(format, text, { validateStream: false }) : text;
  const row = (label: string, count: number, meaning: string, bad = false) => {
    const number = String(count).padStart(6);
    return `  ${label.padEnd(16)}${bad && count > 0 ? paint('red', number) : number}   ${paint('dim', meaning)}`;
  };
  const lines = [
    '',
    paint('bold', 'Messages'),
    row(
      'sent',
      result.messages,
      `for ${verdict.changes} changes of ${verdict.accounts} accounts, a message group each`,
    ),
    row('delivered', result.deliveries, `in ${result.batches} batches`),
    '',
    paint('bold', 'Sandboxes'),
    row('killed', sandboxes.killed, 'with SIGKILL: before, during or after the effect, or at its record'),
    row('timed out', sandboxes.timedOut, 'and were killed by the Lambda stand-in'),
    row('provider faults', result.providerFaults, 'calls that failed, on either side of the effect'),
    '',
    paint('bold', 'Changes'),
    row('booked', verdict.done, 'each once, unless it says so below'),
    row('rejected', verdict.rejected.length, 'refused by the service; dead-lettered with the reason'),
    row('parked', verdict.parked.length, 'they wait for a decision'),
    row('set aside', verdict.setAside.length, 'tried, and failed at every receive'),
    row('never run', verdict.neverRun.length, 'set aside, although they were never tried', true),
    row('out of order', verdict.outOfOrder.length, 'booked after a later change of the same account', true),
    row('doubled', verdict.doubled.length, 'booked more than once', true),
    row('lost', verdict.lost.length, 'not booked, and no person is told', true),
  ];
  if (result.left > 0) lines.push(row('left over', result.left, 'still on the queue when the time was up', true));
  const wrong = Object.entries({
    'Set aside, never run': verdict.neverRun,
    'Out of order': verdict.outOfOrder,
    Doubled: verdict.doubled,
    Lost: verdict.lost,
  }).filter(([, changes]) => changes.length > 0);
  lines.push(
    '',
    ...wrong.map(([what, changes]) => paint('red', `${what}: ${some(changes)}.`)),
    ...(isGoodFifo(result)
      ? [paint('green', `In order; nothing lost, nothing doubled, nothing set aside unrun, after ${result.seconds} s.`)]
      : []),
    paint('dim', `Again: ${again(result)}`),
    '',
  );
  return lines.join('\n');
}

function again({ killShare, seed, protection }: FifoResult): string {
  const how = { 'as-written': '', retry: ' --retry', none: ' --unprotected' }[protection];
  return `npm start -- --fifo --kill ${killShare} --seed ${seed}${how}`;
}

function some(items: readonly string[]): string {
  const shown = items.slice(0, 5).join(', ');
  return items.length > 5 ? `${shown} and ${items.length - 5} more` : shown;
}
