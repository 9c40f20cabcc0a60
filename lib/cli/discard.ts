import { userInfo } from 'node:os';
import type { DiscardPlan, DiscardResult, Operator } from 'pawl/operate';
import { type Io, type Line, UsageError } from './command.ts';
import { confirmed } from './confirm.ts';
import { isWanted, lookAt } from './dead-letters.ts';
import { openAccount } from './open-account.ts';
import { plural, printJson, progress, Table } from './output.ts';

/** `pawl discard`. @returns 1 if a message stays */
export async function discard(line: Line, io: Io): Promise<number> {
  if (line.positionals.length > 0) throw new UsageError('pawl discard takes no names. Name messages with --message.');
  // A whole queue is never meant by leaving something out.
  if (line.texts('message').length === 0 && line.text('reason') === undefined)
    throw new UsageError('pawl discard needs --message or --reason: which dead letters can never run?');
  const acted = { by: line.text('by') ?? userInfo().username, note: line.needed('note') };
  const evenInDoubt = line.flag('even-in-doubt');
  // The command prints its results itself.
  const account = await openAccount(line, { io, onEvent: () => undefined });
  try {
    const { operate } = account;
    const plans: DiscardPlan[] = [];
    for (const { deadLetterUrl: from } of await account.deadLetters()) {
      const { letters } = await lookAt(line, io, operate, from);
      const wanted = letters.filter((letter) => isWanted(line, letter));
      if (wanted.length > 0) plans.push(await operate.planDiscard({ from, letters: wanted, evenInDoubt, ...acted }));
    }
    return await carryOut(line, io, operate, plans);
  } finally {
    account.close();
  }
}

async function carryOut(line: Line, io: Io, operate: Operator, plans: readonly DiscardPlan[]): Promise<number> {
  const isJson = line.flag('json');
  for (const plan of plans) printPlan(io, isJson, plan);
  const items = plans.flatMap((plan) => plan.items);
  const count = plans.reduce((sum, plan) => sum + plan.count, 0);
  const stay = items.length - count;
  if (line.flag('dry-run') || count === 0) {
    if (isJson) printJson(io, { kind: 'summary', planned: count, stay });
    else io.out.line(`${plural(count, 'message')} would be discarded, ${stay} would stay.`);
    return stay > 0 ? 1 : 0;
  }
  const inDoubt = items.filter((item) => item.will === 'discard' && item.inDoubt).length;
  const doubt = inDoubt === 0 ? '' : ` Of ${inDoubt}, the effect may have happened: their claims stay as they are.`;
  if (!(await confirmed(line, io, `Delete ${plural(count, 'message')} for good?${doubt} This cannot be undone.`))) {
    io.error.line('Nothing was changed.');
    return 1;
  }
  const counting = progress(io, 'discarded');
  let ended = 0;
  let discarded = 0;
  const said = () => `${plural(discarded, 'message')} discarded, ${items.length - discarded} not.`;
  const left = () => 'Of those under way, each is deleted or stays, hidden for two minutes at most. Start it again.';
  try {
    await io.ending.during({ done: () => (ended > 0 ? said() : undefined), left }, async (signal) => {
      for (const plan of plans) {
        for await (const result of operate.discard(plan, { signal })) {
          counting.at(++ended, count);
          if (result.outcome === 'discarded') discarded++;
          printResult(io, isJson, result);
        }
      }
    });
  } finally {
    counting.end();
  }
  if (isJson) printJson(io, { kind: 'summary', discarded, stay: items.length - discarded });
  else io.out.line(said());
  return discarded < items.length ? 1 : 0;
}

function printPlan(io: Io, isJson: boolean, { from, items }: DiscardPlan): void {
  if (isJson) {
    for (const item of items) printJson(io, { kind: 'plan', from, ...item });
    return;
  }
  io.out.line(`From ${from}`);
  const table = new Table(io, [
    ['WILL', 22],
    ['REASON', 16],
    ['CLAIM IS', 10],
    ['MESSAGE', 36],
    ['CLAIM', 0],
  ]);
  for (const item of items) {
    const will = item.will === 'stay' ? `stay: ${item.whyNot}` : item.inDoubt ? 'discard, in doubt' : 'discard';
    const status = item.will === 'discard' ? item.claim : '';
    table.row(will, item.reason ?? '(moved by SQS)', status, item.messageId, item.claimId ?? '?');
  }
}

function printResult(io: Io, isJson: boolean, result: DiscardResult): void {
  if (isJson) {
    printJson(io, { kind: 'result', ...result });
    return;
  }
  if (result.outcome === 'discarded') return;
  const why = result.outcome === 'stays' ? `: ${result.whyNot}` : 'error' in result ? `: ${result.error.message}` : '';
  io.out.line(`Not discarded: ${result.messageId}: ${result.outcome}${why}`);
}
